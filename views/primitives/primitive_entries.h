#pragma once

#include "engine/schedule/script.h"

#include <QString>

#include <span>
#include <string>
#include <vector>

namespace nw::views {

using schedule::PrimitiveGroup;

// One row of the list: a primitive and the best that it offers here.
struct PrimitiveEntry {
    const schedule::Primitive* primitive = nullptr;
    bool offered = false;
    schedule::Check check;          // of the best offer
    std::vector<std::string> lines; // of the offers with its verdict, the best first
};

// Would their rows show the same?
bool readsTheSame(const PrimitiveEntry& a, const PrimitiveEntry& b);
// In the order of the groups; within a group as given.
std::vector<PrimitiveEntry> primitiveEntries(std::span<const schedule::Primitive* const> primitives,
                                             const std::vector<schedule::Offer>& offers);
QString groupTitle(PrimitiveGroup group);
// What the lines do, without the primitive's name: "m into mo:_ mi:4 (or 6, 3)".
QString effectText(const PrimitiveEntry& entry);

QString verdictIcon(schedule::Verdict verdict);
QString verdictWord(schedule::Verdict verdict);

} // namespace nw::views
