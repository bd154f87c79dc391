#pragma once

#include "engine/tune/features_form.h"
#include "engine/tune/features_walk.h"

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

// Parts of features_walk.cpp.
namespace nw::tune {

struct NamedValues {
    std::vector<std::string> names;
    std::vector<std::int64_t> values;

    void add(const std::string& name, std::int64_t value)
    {
        names.push_back(name);
        values.push_back(value);
    }
};

// 0 or more; a guess where the symbols do not tell.
std::int64_t extentOf(const Expr& extent, const NamedValues& symbols);

// Where an element lies, in elements from the buffer's start.
struct Addressing {
    std::vector<std::int64_t> extents, before; // logical, with border; what stands before
    std::vector<IndexForm> forms;              // of the memory indices, over the logical ones; empty: row-major
    std::vector<std::int64_t> strides;
    double size = 1;

    std::int64_t offset(std::span<const std::int64_t> logical, std::vector<std::int64_t>& room) const;
};

Addressing addressingOf(const schedule::Buffer& buffer);

// Counts a value's operations and gathers its loads, equal ones once.
void readValue(const Expr& e, Arithmetic& counted, std::vector<const Load*>& loads);

// Everything but what other blocks add to its bytes.
BlockWalk readBlock(const schedule::LoopNest& nest, const schedule::LoopNest::Path& path, const NamedValues& symbols,
                    std::map<const schedule::Buffer*, Addressing>& addressings, const Target& target);

} // namespace nw::tune
