#pragma once

#include "engine/base/result.h"
#include "engine/schedule/task.h"

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>

namespace nw::schedule {

// What a template's conditions and marks may ask of the task alone (templates.h).
class TaskNames {
public:
    explicit TaskNames(const Task& task);

    const std::string& anchor() const { return m_anchor; }
    bool hasEpilogue() const { return !m_epilogue.empty(); }
    bool hasInner(const std::string& stage) const { return m_inner.contains(stage); }
    std::int64_t number(std::string_view name) const; // of a condition
    // What stands in place of a mark; nothing when it is none of the task's.
    std::optional<Result<std::string>> mark(std::string_view text) const;

private:
    std::int64_t steps(std::string_view axis) const; // 1 for one that is not there
    Result<std::string> fitted(const std::vector<std::string>& words) const;
    Result<std::string> tile(const std::vector<std::string>& words) const;

    const Target& m_target;
    std::string m_anchor, m_epilogue, m_row, m_column;
    std::optional<std::int64_t> m_width;
    std::set<std::string> m_inner; // stages but the last
    std::map<std::string, std::int64_t, std::less<>> m_steps;   // of the axes; of one name those of the first stage that has it
    std::map<std::string, std::int64_t, std::less<>> m_numbers; // what else conditions compare
};

// Elements of memory between two steps of a variable with these indices; nothing where that is no number.
std::optional<std::int64_t> elementsApart(const Layout& layout, const std::vector<std::int64_t>& shape, const std::vector<Expr>& indices,
                                          const std::string& variable, Ranges ranges);

// Width of the blocks of a layout, "c % 16", and the axis that lies in them.
struct BlockedAxis {
    std::size_t axis = 0;
    std::int64_t width = 0;
};
std::optional<BlockedAxis> blockedAxis(const Layout& layout);

} // namespace nw::schedule
