#pragma once

#include "engine/code/emit/unit.h"
#include "engine/wire/messages.h"

#include <string>
#include <vector>

namespace nw::code {

// SYMBOL(ports, env) and everything it calls.
void emitKernel(Unit& unit);
// nw_model_run, see compileModelEntry.
Status emitModelEntry(Unit& unit, const std::vector<wire::ModelCall>& calls, const std::vector<std::string>& symbols,
                      std::int64_t workspaceOffset);
// nw_parallel.
void emitParallelRuntime(Unit& unit);

} // namespace nw::code
