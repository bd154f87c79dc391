#pragma once

#include "engine/base/expr.h"
#include "engine/base/random.h"
#include "engine/base/simplify.h"

#include <map>
#include <optional>
#include <string>

// Random index expressions with ranges for their variables, and an evaluator written apart from the simplifier.

using Point = std::map<std::string, std::int64_t>;

// Value at a point: integers and truth values as numbers. Nothing where undefined (division by zero, overflow).
std::optional<std::int64_t> evaluate(const nw::Expr& e, const Point& point);

struct Sampler {
    nw::Random random;
    nw::Ranges ranges; // of i, j, k, l, m; n is unbounded

    explicit Sampler(std::uint64_t seed);
    nw::Expr index(int depth);
    nw::Expr condition(int depth);
    Point point(); // within the ranges
};
