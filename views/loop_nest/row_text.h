#pragma once

#include "views/loop_nest/nest_rows.h"

#include <QString>

namespace nw::views {

// The words of a row.

QString kindIcon(NestRow::Kind kind);
QString kindWord(NestRow::Kind kind);
QString extentText(const NestRow& row);     // "28", "5 (tail)"
QString noteText(const NestRow& row);       // "vector f32x8", "unroll", of a block "C += X * W"
QString bufferText(const NestBuffer& buffer); // "conv.reg registers 1.8 KiB"
QString accessText(const NestRow& row);     // "A broadcast, B contiguous"
// All of it in one sentence: for screen readers, tool tips and the clipboard.
QString spokenText(const NestRow& row);

} // namespace nw::views
