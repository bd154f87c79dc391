#include "engine/session/fuzz/shrink.h"

#include "engine/base/text.h"
#include "engine/session/fuzz/smaller.h"

#include <algorithm>
#include <cctype>
#include <map>

namespace nw::session::fuzz {

namespace {

// Words of a line from `first` on, up to a keyword; of "NAME:SIZE" the name.
std::vector<std::string> namesFrom(const std::vector<std::string>& words, std::size_t first)
{
    std::vector<std::string> names;
    for (std::size_t i = first; i < words.size() && words[i] != "into" && words[i] != "at" && words[i] != "tail"; ++i) {
        names.push_back(words[i].substr(0, words[i].find(':')));
    }
    return names;
}

// Loops that a step makes go by the names of those that it takes: what later lines say without the step.
std::map<std::string, std::string> namesBefore(const std::string& line)
{
    const std::vector<std::string> words = splitWords(line);
    const auto into = std::find(words.begin(), words.end(), "into");
    std::map<std::string, std::string> before;
    if (into == words.end() || words.size() < 2) {
        return before;
    }
    const std::vector<std::string> taken = namesFrom(words, 1);
    const std::vector<std::string> made = namesFrom(words, static_cast<std::size_t>(into - words.begin()) + 1);
    for (std::size_t i = 0; i < made.size() && !taken.empty(); ++i) {
        before[made[i]] = taken[i % taken.size()];
    }
    return before;
}

// No word twice: "reorder a b" without the split of c into a and b is "reorder c".
std::string renamed(const std::string& line, const std::map<std::string, std::string>& names)
{
    std::vector<std::string> kept;
    for (const std::string& word : splitWords(line)) {
        const auto found = names.find(word);
        const std::string& now = found == names.end() ? word : found->second;
        if (std::find(kept.begin(), kept.end(), now) == kept.end()) {
            kept.push_back(now);
        }
    }
    return join(kept, " ");
}

class Shrinker {
public:
    Shrinker(Case failing, const std::function<bool(const Case&)>& stillFails, int tries)
        : m_case(std::move(failing))
        , m_stillFails(stillFails)
        , m_left(tries)
    {}

    Case run()
    {
        for (bool changed = true; changed && m_left > 0;) {
            changed = dropSteps();
            changed = lastStepAlone() || changed;
            changed = simplerTask() || changed;
            changed = smallerDefinition() || changed;
            changed = smallerNumbers() || changed;
        }
        return m_case;
    }

private:
    bool accept(Case smaller)
    {
        if (m_left-- <= 0 || !m_stillFails(smaller)) {
            return false;
        }
        m_case = std::move(smaller);
        return true;
    }

    std::vector<std::string> lines() const
    {
        std::vector<std::string> all = splitText(m_case.script, '\n');
        std::erase(all, "");
        return all;
    }

    Case with(const std::vector<std::string>& script) const
    {
        Case other = m_case;
        other.script = script.empty() ? "" : join(script, "\n") + "\n";
        return other;
    }

    // Halves first, then one by one from the end: a later step often needs an earlier one.
    bool dropSteps()
    {
        bool changed = false;
        for (std::size_t size = std::max<std::size_t>(lines().size() / 2, 1); size > 0; size /= 2) {
            for (std::size_t end = lines().size(); end > 0; end = end > size ? end - size : 0) {
                std::vector<std::string> fewer = lines();
                end = std::min(end, fewer.size());
                if (end == 0) {
                    break;
                }
                const std::size_t first = end > size ? end - size : 0;
                fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(first), fewer.begin() + static_cast<std::ptrdiff_t>(end));
                const std::vector<std::string> all = lines();
                if (accept(with(fewer))) {
                    changed = true;
                } else if (end - first == 1) {
                    const std::map<std::string, std::string> names = namesBefore(all[first]);
                    for (std::size_t l = first; l < fewer.size() && !names.empty(); ++l) {
                        fewer[l] = renamed(fewer[l], names);
                    }
                    changed = (!names.empty() && accept(with(fewer))) || changed;
                }
            }
        }
        return changed;
    }

    // On a loop of the plain nest instead of one that the steps before it made.
    bool lastStepAlone()
    {
        const std::vector<std::string> all = lines();
        const Result<schedule::Task> task = m_case.task();
        const Result<schedule::LoopNest> plain = task ? schedule::initialNest(*task) : Result<schedule::LoopNest>(task.error());
        if (all.size() < 2 || !plain) {
            return false;
        }
        const std::vector<std::string> words = splitWords(all.back());
        for (std::size_t w = 1; w < words.size(); ++w) {
            for (const schedule::Loop* loop : plain->allLoops()) {
                std::vector<std::string> there = words;
                there[w] = loop->name;
                if (accept(with({join(there, " ")}))) {
                    return true;
                }
            }
        }
        return false;
    }

    bool simplerTask()
    {
        bool changed = false;
        if (m_case.threads > 1) {
            Case other = m_case;
            other.threads = 1;
            changed = accept(std::move(other));
        }
        for (std::size_t i = 0; i < m_case.layouts.size(); ++i) {
            if (!m_case.layouts[i].isPlain()) {
                Case other = m_case;
                other.layouts[i] = {};
                changed = accept(std::move(other)) || changed;
            }
        }
        return changed;
    }

    bool smallerDefinition()
    {
        bool changed = false;
        for (const auto& smaller : {&withFewerStages, &withSmallerExtents, &withSimplerBodies}) {
            const auto acceptOne = [&] {
                std::vector<Case> cases = smaller(m_case);
                return std::any_of(cases.begin(), cases.end(), [&](Case& one) { return accept(std::move(one)); });
            };
            while (m_left > 0 && acceptOne()) {
                changed = true;
            }
        }
        return changed;
    }

    // Each number behind a ':' of a step, halved.
    bool smallerNumbers()
    {
        bool changed = false;
        for (std::size_t l = 0; l < lines().size(); ++l) {
            for (std::size_t at = 0; (at = lines()[l].find(':', at)) != std::string::npos; ++at) {
                const std::string line = lines()[l];
                std::size_t end = at + 1;
                while (end < line.size() && std::isdigit(static_cast<unsigned char>(line[end])) != 0) {
                    ++end;
                }
                const std::string digits = line.substr(at + 1, end - at - 1);
                if (digits.empty() || digits.size() > 6 || std::stoi(digits) < 3) {
                    continue;
                }
                std::vector<std::string> other = lines();
                other[l] = line.substr(0, at + 1) + std::to_string(std::stoi(digits) / 2) + line.substr(end);
                changed = accept(with(other)) || changed;
            }
        }
        return changed;
    }

    Case m_case;
    const std::function<bool(const Case&)>& m_stillFails;
    int m_left;
};

} // namespace

Case shrink(Case failing, const std::function<bool(const Case&)>& stillFails, int tries)
{
    return Shrinker(std::move(failing), stillFails, tries).run();
}

} // namespace nw::session::fuzz
