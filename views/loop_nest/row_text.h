#pragma once

#include "engine/schedule/footprint.h"
#include "views/loop_nest/nest_rows.h"

#include <QString>

namespace nw::views {

// The words of a row.

QString kindIcon(NestRow::Kind kind);
QString kindWord(NestRow::Kind kind);
QString extentText(const NestRow& row);     // "28", "5 (tail)"
QString noteText(const NestRow& row);       // "vector f32x8", "parallel, grain 64", of a block "C += X * W"
QString bufferText(const NestBuffer& buffer); // "conv.reg registers 1.8 KiB"
QString accessText(const NestRow& row);     // "A broadcast, B contiguous"
// What one run of the loop touches and the smallest cache for it: "24 KiB (L1)"; empty when that is no memory.
QString footprintText(const schedule::LoopFootprint& footprint, const Target& target);
// The same by buffer, and that it is an estimate.
QString footprintTip(const schedule::LoopFootprint& footprint, const Target& target);
// All of it in one sentence: for screen readers, tool tips and the clipboard.
QString spokenText(const NestRow& row);

} // namespace nw::views
