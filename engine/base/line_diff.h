#pragma once

#include <string>
#include <vector>

namespace nw {

// One line of two texts laid side by side.
struct DiffLine {
    enum class Kind { Same, Removed, Added }; // Removed: only in the first, Added: only in the second
    Kind kind = Kind::Same;
    std::string text;
    bool operator==(const DiffLine&) const = default;
};

// By the longest common subsequence; of a change the removed lines come first.
std::vector<DiffLine> diffLines(const std::vector<std::string>& one, const std::vector<std::string>& two);
// The same of two texts, without the empty lines at their ends.
std::vector<DiffLine> diffTexts(const std::string& one, const std::string& two);
// "  same", "- removed", "+ added"
std::string toText(const DiffLine& line);

} // namespace nw
