#include "engine/session/fuzz/case.h"

#include "engine/base/text.h"
#include "engine/lower/lowered.h"
#include "engine/schedule/interpret_nest.h"

#include <algorithm>
#include <cstdlib>

namespace nw::session::fuzz {

namespace {

constexpr std::uint64_t kDataSeed = 20240229;

Status readHeader(Case& one, std::map<std::string, Layout>& layouts, const std::string& line)
{
    const std::vector<std::string> words = splitWords(line);
    if (words.size() == 2 && words[0] == "target") {
        one.target = words[1];
        return Done{};
    }
    if (words.size() == 2 && words[0] == "threads") {
        one.threads = std::max(std::atoi(words[1].c_str()), 1);
        return Done{};
    }
    if (words.size() > 2 && words[0] == "layout") {
        const std::size_t at = line.find(words[1], line.find("layout") + 6) + words[1].size();
        Result<Layout> layout = parseLayout(trim(std::string_view(line).substr(at)));
        if (!layout) {
            return layout.error();
        }
        layouts[words[1]] = *std::move(layout);
        return Done{};
    }
    return failed("\"" + line + "\" is no line of a kept case");
}

} // namespace

Result<schedule::Task> Case::task() const
{
    Result<Target> found = targetByName(target);
    if (!found) {
        return found.error();
    }
    schedule::Task task;
    task.definition = definition;
    task.layouts = layouts;
    task.target = *std::move(found);
    task.threads = threads;
    return task;
}

std::string toText(const Case& one)
{
    std::string text = format("target {}\nthreads {}\n", one.target, one.threads);
    for (std::size_t i = 0; i < one.layouts.size(); ++i) {
        if (!one.layouts[i].isPlain()) {
            text += format("layout {} {}\n", one.definition->ports[i].name, one.layouts[i].toText());
        }
    }
    return text + compute::toText(*one.definition) + "script\n" + one.script;
}

Result<Case> parseCase(std::string_view text)
{
    Case one;
    std::map<std::string, Layout> layouts;
    std::string definition;
    bool inScript = false;
    for (const std::string& line : splitText(text, '\n')) {
        if (inScript) {
            one.script += line + "\n";
        } else if (trim(line) == "script") {
            inScript = true;
        } else if (!definition.empty() || line.starts_with("definition ")) {
            definition += line + "\n";
        } else if (!line.empty() && line.front() != '#') {
            if (const Status read = readHeader(one, layouts, line); !read) {
                return read.error();
            }
        }
    }
    Result<compute::Definition> parsed = compute::parseDefinition(definition);
    if (!parsed) {
        return parsed.error();
    }
    if (const std::string fault = compute::verify(*parsed); !fault.empty()) {
        return failed("the definition of a kept case: " + fault);
    }
    for (const compute::Port& port : parsed->ports) {
        one.layouts.push_back(layouts[port.name]);
    }
    one.definition = std::make_shared<const compute::Definition>(*std::move(parsed));
    while (one.script.ends_with("\n\n") || one.script == "\n") {
        one.script.pop_back();
    }
    return one;
}

Result<Judge> Judge::create(std::shared_ptr<const compute::Definition> definition)
{
    Judge made;
    for (const compute::DataKind kind : {compute::DataKind::SmallIntegers, compute::DataKind::Uniform}) {
        Result<std::vector<Tensor>> inputs = compute::makeTestData(*definition, kind, kDataSeed);
        if (!inputs) {
            return inputs.error();
        }
        Result<std::vector<compute::OracleOutput>> expected = compute::interpret(*definition, *inputs);
        if (!expected) {
            return expected.error();
        }
        made.m_sets.push_back({*std::move(inputs), *std::move(expected)});
    }
    return made;
}

std::string Judge::differs(const schedule::LoopNest& nest, const Set& set, std::uint64_t orderSeed) const
{
    const Result<std::vector<Tensor>> outputs = schedule::interpretNest(nest, set.inputs, orderSeed);
    if (!outputs) {
        return outputs.error().message;
    }
    if (outputs->size() != set.expected.size()) {
        return format("{} outputs instead of {}", outputs->size(), set.expected.size());
    }
    for (std::size_t o = 0; o < outputs->size(); ++o) {
        const compute::OracleOutput& expected = set.expected[o];
        const Tensor& got = (*outputs)[o];
        if (const std::optional<std::size_t> at = compute::firstOutside(expected, got)) {
            return format("element {} of {} is {} instead of {} +- {}", *at, expected.port,
                          got.asDouble(static_cast<std::int64_t>(*at)), expected.values[*at], expected.bounds[*at]);
        }
    }
    return {};
}

std::string Judge::faultOf(const schedule::LoopNest& nest, int drawnOrders) const
{
    for (int order = 0; order <= drawnOrders; ++order) {
        for (const Set& set : m_sets) {
            std::string fault = differs(nest, set, static_cast<std::uint64_t>(order) * 7919);
            if (!fault.empty()) {
                return fault;
            }
        }
    }
    return {};
}

namespace {

Finding judgeUnguarded(const Case& one, const Judge& rules, Primitives primitives)
{
    const Result<schedule::Task> task = one.task();
    if (!task) {
        return {Fault::Device, task.error().message};
    }
    const schedule::Context context{&task->target};
    const Result<schedule::LoopNest> initial = schedule::initialNest(*task);
    if (!initial) {
        return {Fault::Illegal, initial.error().message};
    }
    const Result<schedule::Script> script = schedule::parseScript(one.script, primitives, context);
    if (!script) {
        return {Fault::Illegal, script.error().message};
    }
    const Result<schedule::Replay> replayed = schedule::replay(*initial, *script, {}, context);
    if (!replayed) {
        return {Fault::Illegal, format("line {}: {}", replayed.error().line, replayed.error().message)};
    }
    for (const schedule::Step& step : replayed->steps) {
        if (const std::string fault = schedule::verify(step.nest); !fault.empty()) {
            return {Fault::Wrong, "after \"" + step.text + "\": " + fault};
        }
    }
    if (const std::string fault = rules.faultOf(replayed->nest()); !fault.empty()) {
        return {Fault::Wrong, fault};
    }
    std::vector<lower::StageText> stages; // with it every pass's result is verified
    const Result<lower::Lowered> lowered = lower::lower(replayed->nest(), task->target, &stages);
    if (!lowered) {
        return {lowered.error().refusal != nullptr ? Fault::Limit : Fault::Bug, "lowering: " + lowered.error().message};
    }
    return {};
}

} // namespace

// A test runner: a broken promise in one case is that case's failure.
Finding judge(const Case& one, const Judge& rules, Primitives primitives)
{
    try {
        return judgeUnguarded(one, rules, primitives);
    } catch (const std::exception& thrown) {
        return {Fault::Bug, thrown.what()};
    }
}

} // namespace nw::session::fuzz
