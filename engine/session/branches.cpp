#include "engine/session/branches.h"

#include "engine/base/text.h"

#include <algorithm>

namespace nw::session {
namespace {

std::size_t shared(const std::vector<std::string>& one, const std::vector<std::string>& two)
{
    const auto apart = std::mismatch(one.begin(), one.end(), two.begin(), two.end());
    return static_cast<std::size_t>(apart.first - one.begin());
}

} // namespace

std::vector<std::string> stepLines(const std::string& text)
{
    std::vector<std::string> steps;
    for (const std::string& line : splitText(text, '\n')) {
        const std::string words(trim(std::string_view(line).substr(0, line.find('#'))));
        if (!words.empty() && !words.starts_with("knob ") && !words.starts_with("require ")) {
            steps.push_back(words);
        }
    }
    return steps;
}

bool changesAMiddleStep(const std::string& before, const std::string& after)
{
    const std::vector<std::string> old = stepLines(before);
    const std::vector<std::string> made = stepLines(after);
    const std::size_t same = shared(old, made);
    if (same == old.size()) {
        return false;
    }
    return same + 1 < old.size() || made.size() > old.size();
}

std::vector<Branch> branchesOf(const std::vector<record::Revision>& revisions, std::int64_t head, const Editing& editing)
{
    const std::vector<std::string> shown = stepLines(editing.text());
    std::vector<Branch> found;
    for (const record::Revision& revision : revisions) { // oldest first
        auto branch = std::find_if(found.begin(), found.end(), [&](const Branch& b) { return b.name == revision.branch; });
        if (branch == found.end()) {
            branch = found.insert(found.end(), Branch{});
            branch->name = revision.branch;
        }
        branch->tip = revision.id;
        branch->script = revision.script;
        branch->current = branch->current || revision.id == head;
        const Timing* const timing = editing.timingOfScript(revision.script);
        if (timing != nullptr && timing->ok() && (branch->bestNs <= 0 || timing->ns < branch->bestNs)) {
            branch->bestNs = timing->ns;
        }
    }
    for (Branch& branch : found) {
        const std::vector<std::string> steps = stepLines(branch.script);
        branch.steps = static_cast<int>(steps.size());
        branch.leaves = static_cast<int>(shared(steps, shown));
    }
    return found;
}

} // namespace nw::session
