#pragma once

#include "engine/base/result.h"

#include <filesystem>
#include <string>
#include <vector>

namespace nw::bench {

// The fastest script known for a task. Its figures are those of the day when it was found, for people: speeds are compared by
// measuring it again beside the other.
struct BestKnown {
    std::string task;   // Task::identity()
    std::string name;   // "matmul 512x512x512"
    std::string target; // Target::toText()
    double shareOfPeak = 0; // of the peak alternated with it; 0: memory bounds it, and `ns` is its time
    double ns = 0;
    bool isNoisy = false; // the figure; it is taken again when the machine is quieter
    std::string script; // plain
};

// An entry is a line for each of `task`, `name`, `target` and `peak` or `ns` (with `noisy` behind it, perhaps), then `script` with its steps indented below;
// '#' comments between entries. Failed with the line that is none of these.
class BestScripts {
public:
    // No entries when there is no such file.
    static Result<BestScripts> read(std::filesystem::path path);
    const BestKnown* find(const std::string& task) const; // null: none
    // In place of the task's entry, if there is one; the file is replaced as a whole.
    Status keep(const BestKnown& best);

private:
    std::filesystem::path m_path;
    std::string m_head; // comments before the first entry
    std::vector<BestKnown> m_all;
};

} // namespace nw::bench
