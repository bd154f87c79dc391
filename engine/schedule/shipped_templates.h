#pragma once

#include <span>

namespace nw::schedule {

// The files of resources/templates as they stand, in the order in which they are tried (written by CMake).
struct ShippedTemplate {
    const char* name;
    const char* text;
};
std::span<const ShippedTemplate> shippedTemplates();

} // namespace nw::schedule
