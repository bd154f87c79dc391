#pragma once

#include "engine/base/random.h"
#include "engine/schedule/task.h"
#include "engine/schedule/templates.h"

// Tasks of the kinds that shipped templates are for, made from models of one operator (and what follows it).
namespace nw::schedule::test {

// Of random shape: odd, prime, one step, larger than a block. It may be one that the template does not take.
Result<Task> drawTask(const Template& from, Random& random, const Target& target);
// As a network has it.
Result<Task> usualTask(const Template& from, const Target& target);

} // namespace nw::schedule::test
