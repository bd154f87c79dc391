#include "engine/base/target.h"

#include "engine/base/cpu.h"
#include "engine/base/text.h"

#include <algorithm>
#include <array>

namespace nw {
namespace {

using Features = std::vector<std::string>;

// The micro-architecture levels of the x86-64 psABI in LLVM's spelling, each on top of the one before.
const Features& levelTwo()
{
    static const Features features = {"cx16", "popcnt", "sahf", "sse3", "sse4.1", "sse4.2", "ssse3"};
    return features;
}

Features levelFeatures(int level)
{
    Features features = levelTwo();
    if (level >= 3) {
        features.insert(features.end(),
                        {"avx", "avx2", "bmi", "bmi2", "f16c", "fma", "lzcnt", "movbe", "xsave"});
    }
    if (level >= 4) {
        features.insert(features.end(), {"avx512bw", "avx512cd", "avx512dq", "avx512f", "avx512vl"});
    }
    std::sort(features.begin(), features.end());
    return features;
}

// What changes the code we make; the rest of cpuid would only split records of equal machines.
constexpr std::array<std::string_view, 18> kMattering
    = {"avx",        "avx2", "avx512bf16", "avx512bw", "avx512cd", "avx512dq", "avx512f", "avx512vl", "avx512vnni",
       "bmi",        "bmi2", "f16c",       "fma",      "lzcnt",    "movbe",    "popcnt",  "sse4.2",   "sse4.1"};

bool has(const Features& features, std::string_view name)
{
    return std::find(features.begin(), features.end(), name) != features.end();
}

// Registers and abilities that follow from the features.
void derive(Target& target)
{
    const bool isWide = has(target.features, "avx512f") && has(target.features, "avx512vl")
        && has(target.features, "avx512bw") && has(target.features, "avx512dq");
    target.vectorBytes = isWide ? 64 : has(target.features, "avx2") ? 32 : 16;
    target.vectorRegisters = has(target.features, "avx512vl") ? 32 : 16;
    target.hasFma = has(target.features, "fma");
    target.hasMaskedMemory = has(target.features, "avx2") || isWide;
}

void takeMachine(Target& target)
{
    const Machine machine = thisMachine();
    target.l1Bytes = machine.l1Bytes;
    target.l2Bytes = machine.l2Bytes;
    target.l3Bytes = machine.l3Bytes;
    target.cores = machine.cores;
}

} // namespace

std::string Target::toText() const
{
    std::string text = name;
    for (const std::string& feature : features) {
        text += " +" + feature;
    }
    if (!tuneCpu.empty()) {
        text += " tune=" + tuneCpu;
    }
    return text;
}

Target nativeTarget()
{
    Target target;
    target.name = "native";
    target.arch = machineArch();
    for (const std::string& feature : cpuFeatures()) {
        if (std::find(kMattering.begin(), kMattering.end(), feature) != kMattering.end()) {
            target.features.push_back(feature);
        }
    }
    std::sort(target.features.begin(), target.features.end());
    target.tuneCpu = cpuTuneName();
    derive(target);
    takeMachine(target);
    return target;
}

Result<Target> targetByName(const std::string& name)
{
    if (name == "native") {
        return nativeTarget();
    }
    static const std::vector<std::string> names = {"x86-64-v2", "x86-64-v3", "x86-64-v4"};
    const auto found = std::find(names.begin(), names.end(), name);
    if (found == names.end()) {
        std::vector<std::string> known = {"native"};
        known.insert(known.end(), names.begin(), names.end());
        const std::string near = nearest(name, known);
        return refused(format("There is no target \"{}\".{} Targets are {}.", name,
                              near.empty() ? "" : format(" Did you mean {}?", near), join(known, ", ")));
    }
    Target target;
    target.name = name;
    target.features = levelFeatures(static_cast<int>(found - names.begin()) + 2);
    // LLVM's model of a level is its oldest processor's; one of a machine with all its registers orders a full tile without
    // spills, and is as good for the others.
    static const std::vector<std::string> models = {"", "znver3", "znver4"};
    target.tuneCpu = models[static_cast<std::size_t>(found - names.begin())];
    derive(target);
    takeMachine(target);
    return target;
}

Status canRunHere(const Target& target)
{
    if (target.arch != machineArch()) {
        return refused(format("Code for {} cannot run here: this machine is {}. Choose the target native.",
                              target.arch, machineArch()));
    }
    const Features here = cpuFeatures();
    for (const std::string& feature : target.features) {
        if (!has(here, feature)) {
            return refused(format("Code for {} cannot run here: this processor has no {}. Choose the target native.",
                                  target.name, feature));
        }
    }
    return Done{};
}

} // namespace nw
