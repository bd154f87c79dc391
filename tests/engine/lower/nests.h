#pragma once

#include "engine/base/random.h"
#include "engine/base/target.h"
#include "engine/base/tensor.h"
#include "engine/schedule/script.h"

#include <memory>
#include <string>
#include <vector>

namespace nw::lower {

// A target with fixed figures, so that texts do not depend on the machine.
Target testTarget(int vectorBytes = 64, int vectorRegisters = 32);

std::shared_ptr<const compute::Definition> definitionOf(const std::string& text);
// The plain nest after a script; a Bug with the words of the error when something is refused. `layouts` by port name.
schedule::LoopNest scheduled(const std::string& definition, const std::string& script, const Target& target,
                             const std::map<std::string, std::string>& layouts = {});

// Definitions small enough to interpret, named, of all the shapes that lowering meets.
struct Sample {
    std::string name;
    std::string definition;
    std::map<std::string, std::string> layouts; // by port
};
const std::vector<Sample>& samples();

// Up to `steps` random steps that the nest's checks allow, with the script that makes them.
struct Drawn {
    schedule::LoopNest nest;
    std::string script;
};
Drawn randomSchedule(const schedule::LoopNest& initial, Random& random, int steps, const Target& target);

// Empty when the values agree with the oracle of the definition, else the first difference.
std::string compareWithOracle(const compute::Definition& definition, const std::vector<Tensor>& inputs,
                              const std::vector<Tensor>& outputs);

} // namespace nw::lower
