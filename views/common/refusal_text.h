#pragma once

#include "engine/base/result.h"

#include <QString>

namespace nw::views {

// Why a rule said no: its words in the language of the window, with the operands filled in.
QString reasonText(const Refusal& why);

} // namespace nw::views
