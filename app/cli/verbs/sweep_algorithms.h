#pragma once

#include "app/cli/command.h"

#include <string>

namespace nw::app {

// nestw sweep M --algorithms: every algorithm of every task that has a choice is measured; the choices with the winners are
// written to `output`, or printed.
int sweepAlgorithms(const CommonOptions& options, const std::string& protocol, const std::string& output);

} // namespace nw::app
