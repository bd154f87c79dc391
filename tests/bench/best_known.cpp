#include "tests/bench/best_known.h"

#include "engine/base/text.h"
#include "engine/measure/keep_file.h"

#include <algorithm>
#include <charconv>
#include <fstream>
#include <iterator>

namespace nw::bench {
namespace {

constexpr const char* kNoisy = " noisy";

bool readFigure(std::string text, double& value, bool& isNoisy)
{
    isNoisy = text.ends_with(kNoisy);
    text.resize(text.size() - (isNoisy ? std::string_view(kNoisy).size() : 0));
    const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
    return code == std::errc() && end == text.data() + text.size();
}

std::string entryText(const BestKnown& best)
{
    const std::string figure = best.shareOfPeak > 0 ? format("peak {:.3f}", best.shareOfPeak) : format("ns {:.0f}", best.ns);
    std::string text = format("task {}\nname {}\ntarget {}\n{}{}\nscript\n", best.task, best.name, best.target, figure, best.isNoisy ? kNoisy : "");
    for (const std::string& line : splitText(best.script, '\n')) {
        text += trim(line).empty() ? "" : format("    {}\n", line);
    }
    return text;
}

} // namespace

Result<BestScripts> BestScripts::read(std::filesystem::path path)
{
    BestScripts scripts;
    scripts.m_path = std::move(path);
    std::ifstream file(scripts.m_path);
    const std::string text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
    int number = 0;
    for (const std::string& line : splitText(text, '\n')) {
        ++number;
        if (trim(line).empty() || line.starts_with('#')) {
            scripts.m_head += scripts.m_all.empty() && !line.empty() ? line + "\n" : "";
            continue;
        }
        const std::size_t space = line.find(' ');
        const std::string word = line.substr(0, space);
        const std::string rest = space == std::string::npos ? std::string() : line.substr(space + 1);
        if (word == "task") {
            scripts.m_all.push_back({});
            scripts.m_all.back().task = rest;
            continue;
        }
        bool fine = !scripts.m_all.empty();
        BestKnown none;
        BestKnown& best = fine ? scripts.m_all.back() : none;
        if (word.empty()) {
            best.script += std::string(trim(line)) + "\n";
        } else if (word == "name") {
            best.name = rest;
        } else if (word == "target") {
            best.target = rest;
        } else if (word == "peak") {
            fine = fine && readFigure(rest, best.shareOfPeak, best.isNoisy);
        } else if (word == "ns") {
            fine = fine && readFigure(rest, best.ns, best.isNoisy);
        } else if (word != "script") {
            fine = false;
        }
        if (!fine) {
            return failed(format("{}, line {}: \"{}\" is no part of an entry. It begins with \"task\", and its steps are indented.",
                                 scripts.m_path.string(), number, line));
        }
    }
    return scripts;
}

const BestKnown* BestScripts::find(const std::string& task) const
{
    const auto found = std::find_if(m_all.begin(), m_all.end(), [&](const BestKnown& best) { return best.task == task; });
    return found == m_all.end() ? nullptr : &*found;
}

Status BestScripts::keep(const BestKnown& best)
{
    const auto found = std::find_if(m_all.begin(), m_all.end(), [&](const BestKnown& one) { return one.task == best.task; });
    if (found == m_all.end()) {
        m_all.push_back(best);
    } else {
        *found = best;
    }
    std::string text = m_head;
    for (const BestKnown& one : m_all) {
        text += (text.empty() ? "" : "\n") + entryText(one);
    }
    return measure::keepFile(m_path, text);
}

} // namespace nw::bench
