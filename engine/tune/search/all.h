#pragma once

#include "engine/tune/search.h"

namespace nw::tune {

extern const Search evolutionarySearch;
extern const Search annealingSearch;
extern const Search randomSearch;

} // namespace nw::tune
