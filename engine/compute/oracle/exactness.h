#pragma once

#include "engine/compute/definition.h"

#include <map>
#include <string>

namespace nw::compute::oracle {

// True when, with whole numbers no larger than given in every port, every value and every partial sum in any order is
// a whole number that its element type holds exactly.
bool staysExact(const Definition& definition, const std::map<std::string, double>& largest);

// Largest magnitude of whole numbers of size <= `size` inside each port's range; nothing when a range holds none.
std::optional<std::map<std::string, double>> wholeMagnitudes(const Definition& definition, double size);

} // namespace nw::compute::oracle
