#pragma once

#include "engine/tune/mutation.h"

namespace nw::tune {

extern const Mutation stepKnob;
extern const Mutation redrawKnob;
extern const Mutation tradeKnobs;
extern const Mutation crossPoints;
extern const Mutation moveToSketch;

} // namespace nw::tune
