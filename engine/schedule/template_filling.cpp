#include "engine/schedule/template_filling.h"

#include "engine/base/text.h"
#include "engine/schedule/script_number.h"
#include "engine/schedule/template_names.h"
#include "engine/schedule/template_nest.h"

#include <algorithm>
#include <functional>
#include <set>

namespace nw::schedule {

namespace {

constexpr int kMostRepeats = 32;
// Threads are woken for what takes one of them longer than this, at speeds that a core reaches on large tensors.
constexpr double kWorthThreads = 30e-6;
constexpr double kOperationsPerSecond = 50e9;
constexpr double kBytesPerSecond = 20e9;

bool isWorthThreads(const Task& task)
{
    const compute::Work work = compute::workOf(*task.definition);
    return task.threads > 1 && std::max(work.nominalFlops / kOperationsPerSecond, work.bytes() / kBytesPerSecond) > kWorthThreads;
}

// A line with what stands in brackets in front of it.
struct MarkedLine {
    std::string text;
    std::string with; // a stage
    bool each = false, repeat = false, threads = false, serial = false, epilogue = false, alone = false;

    explicit MarkedLine(std::string_view line)
    {
        const std::pair<std::string_view, bool MarkedLine::*> kPrefixes[] = {{"[each] ", &MarkedLine::each},
                                                                             {"[repeat] ", &MarkedLine::repeat},
                                                                             {"[threads] ", &MarkedLine::threads},
                                                                             {"[serial] ", &MarkedLine::serial},
                                                                             {"[epilogue] ", &MarkedLine::epilogue},
                                                                             {"[alone] ", &MarkedLine::alone}};
        for (bool isFound = true; isFound;) {
            isFound = false;
            for (const auto& [prefix, flag] : kPrefixes) {
                if (line.starts_with(prefix)) {
                    this->*flag = isFound = true;
                    line.remove_prefix(prefix.size());
                }
            }
        }
        constexpr std::string_view kWith = "[with ";
        const std::size_t close = line.find("] ");
        if (line.starts_with(kWith) && close != std::string_view::npos) {
            with = line.substr(kWith.size(), close - kWith.size());
            line.remove_prefix(close + 2);
        }
        text = line;
    }
};

class Filling {
public:
    Filling(const Template& from, const Task& task, const LoopNest& initial)
        : m_from(from)
        , m_task(task)
        , m_names(task)
        , m_cache(initial, Context{&task.target})
        , m_isWorthThreads(isWorthThreads(task))
    {
        for (const compute::Axis& axis : task.definition->stages.front().spatial) {
            m_kept.insert(axis.name);
        }
    }

    Result<std::string> fill()
    {
        std::vector<MarkedLine> lines;
        for (const std::string& line : splitText(trim(m_from.text), '\n')) {
            const MarkedLine marked(line);
            const bool isWanted = (!marked.epilogue || m_names.hasEpilogue()) && (!marked.alone || !m_names.hasEpilogue())
                && (!marked.threads || m_isWorthThreads) && (!marked.serial || !m_isWorthThreads)
                && (marked.with.empty() || m_names.hasInner(marked.with));
            if (isWanted) {
                lines.push_back(marked);
            }
        }
        for (std::size_t i = 0; i < lines.size();) {
            const auto end = std::find_if(lines.begin() + static_cast<std::ptrdiff_t>(i), lines.end(),
                                          [&](const MarkedLine& line) { return line.each != lines[i].each; });
            const std::span<const MarkedLine> together(lines.begin() + static_cast<std::ptrdiff_t>(i), end);
            if (const Status done = lines[i].each ? addForEach(together) : addAll(together, m_names.anchor()); !done) {
                return done.error();
            }
            i += together.size();
        }
        if (const Result<Replay> whole = m_cache.replayText(m_text); !whole) {
            return whole.error();
        }
        return m_text;
    }

private:
    Status addForEach(std::span<const MarkedLine> lines)
    {
        const Result<Replay> now = m_cache.replayText(m_text);
        if (!now) {
            return now.error();
        }
        std::vector<std::string> blocks;
        for (const LoopNest::Path& path : now->nest().blocks()) {
            blocks.push_back(path.block->name);
        }
        for (const std::string& block : blocks) {
            if (const Status done = addAll(lines, block); !done) {
                return done;
            }
        }
        return Done{};
    }

    Status addAll(std::span<const MarkedLine> lines, const std::string& block)
    {
        for (const MarkedLine& line : lines) {
            for (int turn = 0; turn < (line.repeat ? kMostRepeats : 1); ++turn) {
                const Result<bool> isThere = add(line, block);
                if (!isThere) {
                    return isThere.error();
                }
                if (!*isThere) {
                    break;
                }
            }
        }
        return Done{};
    }

    // False: the line goes.
    Result<bool> add(const MarkedLine& line, const std::string& block)
    {
        const Result<std::optional<std::string>> filled = fillLine(line.text, block);
        if (!filled) {
            return filled.error();
        }
        if (!*filled) {
            return false;
        }
        std::string text = m_text + **filled + "\n";
        if (line.threads && !m_cache.replayText(text)) {
            return false;
        }
        m_text = std::move(text);
        return true;
    }

    // Nothing: one of the marks finds nothing in the nest.
    Result<std::optional<std::string>> fillLine(std::string_view line, const std::string& block)
    {
        std::string filled;
        while (true) {
            const std::size_t open = line.find('<');
            const std::size_t close = open == std::string_view::npos ? open : line.find('>', open);
            // "a <= b" is no mark.
            const bool isMark = close != std::string_view::npos && isNameStart(line[open + 1]);
            if (!isMark) {
                const std::size_t until = open == std::string_view::npos ? line.size() : open + 1;
                filled += line.substr(0, until);
                if (until == line.size()) {
                    return std::optional(filled);
                }
                line.remove_prefix(until);
                continue;
            }
            const Result<MarkWords> words = mark(line.substr(open + 1, close - open - 1), block);
            if (!words) {
                return words.error();
            }
            if (words->empty()) {
                return std::optional<std::string>();
            }
            filled += std::string(line.substr(0, open)) + join(*words, " ");
            line.remove_prefix(close + 1);
        }
    }

    Result<MarkWords> mark(std::string_view text, const std::string& block)
    {
        if (const std::optional<Result<std::string>> known = m_names.mark(text)) {
            return *known ? Result<MarkWords>(MarkWords{**known}) : known->error();
        }
        if (text == "block") {
            return MarkWords{block};
        }
        if (const std::vector<std::string> words = splitWords(text); words.size() == 3 && words[1] == "of") {
            return mark(words[0], words[2] == "epilogue" ? m_task.definition->stages.back().name : words[2]);
        }
        const Result<Replay> now = m_cache.replayText(m_text);
        if (!now) {
            return now.error();
        }
        const LoopNest& nest = now->nest();
        if (text == "cut" || text == "cutat") {
            const std::optional<Cut> cut = firstCut(nest, m_task.target);
            return !cut ? MarkWords() : text == "cut" ? MarkWords{cut->loop} : MarkWords{std::to_string(cut->steps)};
        }
        if (!nest.findBlock(block)) {
            return failed(format("<{}> stands behind a step that did away with {}", text, block));
        }
        return text == "outer" ? outerLoops(nest, block, m_task.threads) : markOfWalk(text, BlockWalk(nest, block, m_task.target), nest);
    }

    Result<MarkWords> markOfWalk(std::string_view text, const BlockWalk& walk, const LoopNest& nest) const
    {
        if (text == "order") {
            const std::optional<MarkWords> order = walk.inMemoryOrder();
            if (!order) {
                return refused({"template.order", NW_WORDS("{0} is for results that a loop makes one element after the other"), {m_from.name}, {}, {}});
            }
            return order->size() > 1 ? *order : MarkWords();
        }
        if (text == "pair") {
            return walk.oneWalk();
        }
        if (text == "joined") {
            return MarkWords{nest.freshName(join(walk.oneWalk(), "."))};
        }
        if (text == "inner") {
            return walk.innermost();
        }
        if (text == "long") {
            return walk.innermostLong();
        }
        if (text == "few") {
            return walk.fewAround();
        }
        if (text == "around") {
            return walk.around();
        }
        if (text == "across") {
            const MarkWords found = walk.across();
            if (found.empty()) {
                return refused({"template.across", NW_WORDS("{0} is for tensors that are read across the order in which they are written"), {m_from.name}, {}, {}});
            }
            return found;
        }
        if (text == "turned") {
            return walk.turned();
        }
        if (text == "along") {
            return walk.along(m_kept);
        }
        if (text == "beside" || text == "sideways") {
            if (walk.beside(m_kept).empty()) {
                return refused({"template.beside", NW_WORDS("{0} is for sums whose terms lie apart, while those of neighbouring sums lie side by side"), {m_from.name}, {}, {}});
            }
            return text == "beside" ? walk.beside(m_kept) : walk.sideways(m_kept);
        }
        if (text == "type") {
            return MarkWords{walk.elementType()};
        }
        if (text == "channel" || text == "blocks") {
            const std::optional<BlockWalk::Blocked> blocked = walk.blocked();
            return !blocked ? MarkWords() : text == "channel" ? MarkWords{blocked->loop} : MarkWords{std::to_string(blocked->width)};
        }
        return failed(format("<{}> stands for nothing here", text));
    }

    const Template& m_from;
    const Task& m_task;
    TaskNames m_names;
    ReplayCache m_cache;
    bool m_isWorthThreads;
    std::set<std::string> m_kept; // axes that the first stage does not sum over
    std::string m_text;
};

} // namespace

Result<std::string> fillTemplate(const Template& from, const Task& task, const LoopNest& initial)
{
    return Filling(from, task, initial).fill();
}

} // namespace nw::schedule
