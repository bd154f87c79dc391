#pragma once

#include "engine/schedule/primitive.h"

#include <QPoint>
#include <QString>
#include <QStringList>

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
    std::string name;     // of the loop or block; of Buffer the block that writes it
    QPoint start, at;

    std::vector<std::string> chain; // of Loop
    std::vector<GestureVerdict> gaps; // of each gap of the chain; those beside the loop itself are no places
    int gap = -1;                   // the one aimed at
    int target = -1;                // or a row: fuse with it, move to it
    std::int64_t factor = 0;        // of Extent

    std::string line; // what a drop would write; empty: nothing
    GestureVerdict verdict;
    std::map<std::string, GestureVerdict> asked;

    bool active() const { return kind != Kind::None && !pressed; }
    bool wouldApply() const { return active() && !line.empty() && verdict.allowed(); }
    // Beside the pointer: the line, or the reason.
    QString text() const { return !verdict.words.isEmpty() && !verdict.allowed() ? verdict.words : QString::fromStdString(line); }
};

} // namespace nw::views
