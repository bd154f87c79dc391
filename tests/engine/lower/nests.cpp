#include "tests/engine/lower/nests.h"

#include "engine/base/text.h"
#include "engine/compute/interpret.h"
#include "engine/session/fuzz/steps.h"

#include <algorithm>
#include <cmath>

namespace nw::lower {

namespace {

const std::string kConvBody
    = "    select(oh + kh >= 1 && oh + kh < 8 && ow + kw >= 1 && ow + kw < 8, X[n, ic, oh + kh - 1, ow + kw - 1], 0.0)"
      " * W[oc, ic, kh, kw]\n";

std::vector<Sample> makeSamples()
{
    std::vector<Sample> all;
    all.push_back({"matmul",
                   "definition matmul\ninput A f32 [7, 5]\nconstant B f32 [5, 19]\noutput Y f32 [7, 19]\n"
                   "stage matmul -> Y f32 [m:7, n:19] sum [k:5] from 0.0 =\n    A[m, k] * B[k, n]\n",
                   {}});
    all.push_back({"matmul with epilogue",
                   "definition matmul\ninput A f32 [6, 8]\nconstant B f32 [8, 12]\nconstant C f32 [12]\noutput Y f32 [6, 12]\n"
                   "stage matmul f32 [m:6, n:12] sum [k:8] from 0.0 =\n    A[m, k] * B[k, n]\n"
                   "stage relu -> Y f32 [m:6, n:12] =\n    max(matmul[m, n] + C[n], 0.0)\n",
                   {}});
    all.push_back({"conv",
                   "definition conv\ninput X f32 [1, 3, 7, 7]\nconstant W f32 [5, 3, 3, 3]\noutput Y f32 [1, 5, 7, 7]\n"
                   "stage conv -> Y f32 [n:1, oc:5, oh:7, ow:7] sum [ic:3, kh:3, kw:3] from 0.0 =\n"
                       + kConvBody,
                   {}});
    all.push_back({"blocked conv with border",
                   "definition conv\ninput X f32 [1, 3, 7, 7]\nconstant W f32 [6, 3, 3, 3]\nconstant B f32 [6]\n"
                   "output Y f32 [1, 6, 7, 7]\n"
                   "stage conv f32 [n:1, oc:6, oh:7, ow:7] sum [ic:3, kh:3, kw:3] from 0.0 =\n"
                       + kConvBody
                       + "stage relu -> Y f32 [n:1, oc:6, oh:7, ow:7] =\n    max(conv[n, oc, oh, ow] + B[oc], 0.0)\n",
                   {{"Y", "(n, c, h, w) -> (n, c / 4, h, w, c % 4) border 0 0 1 1"}, {"X", "plain border 0 0 1 1"}}});
    all.push_back({"strided pool",
                   "definition maxpool\ninput X f32 [1, 2, 9, 9]\noutput Y f32 [1, 2, 5, 5]\n"
                   "stage maxpool -> Y f32 [n:1, c:2, oh:5, ow:5] max [kh:3, kw:3] from -inf =\n"
                   "    select(oh * 2 + kh >= 1 && oh * 2 + kh < 10 && ow * 2 + kw >= 1 && ow * 2 + kw < 10, "
                   "X[n, c, oh * 2 + kh - 1, ow * 2 + kw - 1], -inf)\n",
                   {{"Y", "(n, c, h, w) -> (n, h, w, c)"}}});
    all.push_back({"add", "definition add\ninput A f32 [3, 37]\ninput B f32 [37]\noutput C f32 [3, 37]\n"
                          "stage add -> C f32 [d0:3, d1:37] =\n    A[d0, d1] + B[d1]\n",
                   {{"C", "(a, b) -> (a, b / 8, b % 8) border 1 0:2"}}});
    all.push_back({"integers", "definition sub\ninput A i64 [4, 9]\noutput C i64 [4, 9]\n"
                               "stage sub -> C i64 [d0:4, d1:9] =\n    A[d0, 8 - d1] * 3 - d0\n",
                   {}});
    all.push_back({"row sums",
                   "definition softmax\ninput X f32 [5, 11]\noutput Y f32 [5, 11]\n"
                   "stage max f32 [d0:5] max [r0:11] from -inf =\n    X[d0, r0]\n"
                   "stage sum f32 [d0:5] sum [r0:11] from 0.0 =\n    X[d0, r0] - max[d0]\n"
                   "stage sub -> Y f32 [d0:5, d1:11] =\n    X[d0, d1] * 2.0 - sum[d0]\n",
                   {}});
    all.push_back({"one element", "definition reducesum\ninput X f32 [13]\noutput Y f32 [1]\n"
                                  "stage reducesum -> Y f32 [d0:1] sum [r0:13] from 0.0 =\n    X[r0]\n",
                   {}});
    return all;
}

std::vector<Layout> layoutsOf(const compute::Definition& definition, const std::map<std::string, std::string>& layouts)
{
    std::vector<Layout> result;
    for (const compute::Port& port : definition.ports) {
        const auto found = layouts.find(port.name);
        if (found == layouts.end()) {
            result.push_back({});
            continue;
        }
        Result<Layout> layout = parseLayout(found->second);
        ENSURE(layout.has_value(), layout ? "" : layout.error().message);
        result.push_back(*std::move(layout));
    }
    return result;
}

} // namespace

Target testTarget(int vectorBytes, int vectorRegisters)
{
    Target target;
    target.name = "test";
    target.vectorBytes = vectorBytes;
    target.vectorRegisters = vectorRegisters;
    target.hasFma = true;
    target.hasMaskedMemory = true;
    target.cores = 2;
    return target;
}

std::shared_ptr<const compute::Definition> definitionOf(const std::string& text)
{
    Result<compute::Definition> parsed = compute::parseDefinition(text);
    ENSURE(parsed.has_value(), parsed ? "" : parsed.error().message);
    const std::string faults = compute::verify(*parsed);
    ENSURE(faults.empty(), faults);
    return std::make_shared<const compute::Definition>(*std::move(parsed));
}

schedule::LoopNest scheduled(const std::string& definition, const std::string& script, const Target& target,
                             const std::map<std::string, std::string>& layouts)
{
    const auto parsed = definitionOf(definition);
    const Result<schedule::LoopNest> initial = schedule::initialNest(parsed, layoutsOf(*parsed, layouts));
    ENSURE(initial.has_value(), initial ? "" : initial.error().message);
    const schedule::Context context{&target};
    const Result<schedule::Script> steps = schedule::parseScript(script, schedule::allPrimitives(), context);
    ENSURE(steps.has_value(), steps ? "" : format("line {}: {}", steps.error().line, steps.error().message));
    const Result<schedule::Replay> replayed = schedule::replay(*initial, *steps, {}, context);
    ENSURE(replayed.has_value(), replayed ? "" : format("line {}: {}", replayed.error().line, replayed.error().message));
    return replayed->nest();
}

const std::vector<Sample>& samples()
{
    static const std::vector<Sample> kSamples = makeSamples();
    return kSamples;
}

Drawn randomSchedule(const schedule::LoopNest& initial, Random& random, int steps, const Target& target)
{
    session::fuzz::Walked walked{initial, {}};
    session::fuzz::StepLimits limits;
    limits.length = steps;
    session::fuzz::walk(walked, random, limits, schedule::allPrimitives(), schedule::Context{&target},
                        [](const auto&, const auto&, const auto&) {});
    return {walked.nest, walked.script};
}

std::string compareWithOracle(const compute::Definition& definition, const std::vector<Tensor>& inputs,
                              const std::vector<Tensor>& outputs)
{
    const Result<std::vector<compute::OracleOutput>> expected = compute::interpret(definition, inputs);
    if (!expected) {
        return expected.error().message;
    }
    if (expected->size() != outputs.size()) {
        return "another number of outputs";
    }
    for (std::size_t o = 0; o < outputs.size(); ++o) {
        const compute::OracleOutput& oracle = (*expected)[o];
        for (std::size_t i = 0; i < oracle.values.size(); ++i) {
            const double value = outputs[o].asDouble(static_cast<std::int64_t>(i));
            const bool agrees = value == oracle.values[i] || std::abs(value - oracle.values[i]) <= oracle.bounds[i];
            if (!agrees) {
                return format("{}[{}] is {}, not {}", oracle.port, i, value, oracle.values[i]);
            }
        }
    }
    return {};
}

} // namespace nw::lower
