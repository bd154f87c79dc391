#pragma once

#include "engine/schedule/primitive.h"

#include <QPoint>
#include <QString>
#include <QStringList>

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace nw::views {

struct GestureVerdict {
    schedule::Verdict verdict = schedule::Verdict::Legal;
    QString words; // empty when legal
    QStringList places;
    bool allowed() const { return verdict == schedule::Verdict::Legal || verdict == schedule::Verdict::Pointless; }
};

// A drag (or a loop grabbed by key) and what dropping it now would do.
struct NestGesture {
    enum class Kind { None, Loop, Extent, Block, Buffer };
    Kind kind = Kind::None;
    bool pressed = false; // the button is down but the pointer has not gone far enough yet
    bool byKeyboard = false;
    std::string name;     // of the loop or block; of Buffer the block that writes it, if any
    std::string buffer;   // of Buffer: the one in the hand
    bool reads = false, writes = false; // of Buffer: what it was taken from reads it, writes it
    QPoint start, at;

    bool together = false;          // of Loop: with the loops that belong to it (Shift)
    std::vector<std::string> chain; // of Loop
    std::vector<std::string> moved; // of Loop: neighbours in the chain, `name` first
    std::vector<GestureVerdict> gaps; // of each gap of the chain; those beside what is moved are no places
    int gap = -1;                   // the one aimed at
    int target = -1;                // or a row: fuse with it, move to it
    std::int64_t factor = 0;        // of Extent

    std::string line; // what a drop would write; empty: nothing
    GestureVerdict verdict;
    std::map<std::string, GestureVerdict> asked;

    bool active() const { return kind != Kind::None && !pressed; }
    // The first gap that leaves everything where it is; of Loop.
    int ownGap() const { return static_cast<int>(std::find(chain.begin(), chain.end(), name) - chain.begin()); }
    bool staysAt(int where) const { return where >= ownGap() && where <= ownGap() + static_cast<int>(moved.size()); }
    bool holds(const std::string& row) const
    {
        return row == name || std::find(moved.begin(), moved.end(), row) != moved.end();
    }
    bool wouldApply() const { return active() && !line.empty() && verdict.allowed(); }
    // Beside the pointer: the line, or the reason.
    QString text() const { return !verdict.words.isEmpty() && !verdict.allowed() ? verdict.words : QString::fromStdString(line); }
};

} // namespace nw::views
