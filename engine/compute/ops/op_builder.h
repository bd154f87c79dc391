#pragma once

#include "engine/compute/ops/context.h"

#include <span>
#include <string_view>

namespace nw::compute {

// One output element from the input elements at the same place. Absent optional inputs are null.
using Formula = Expr (*)(const OpContext& context, const std::vector<Expr>& inputs);

// Where a function is defined, or tame, for test data: input `input` in [low, high].
struct Limit {
    int input = -1; // none
    double low = 0;
    double high = 0;
};

// How one canonical operator becomes stages: `build`, or `formula` for an element-wise one.
struct OpBuilder {
    std::string_view name;
    Status (*build)(OpContext& context) = nullptr;
    Formula formula = nullptr;
    bool onlyFloats = false; // a formula over real functions
    Limit limit{};
};

// By family; all.cpp lists the families.
std::span<const OpBuilder> contractionBuilders();
std::span<const OpBuilder> winogradBuilders();
std::span<const OpBuilder> poolBuilders();
std::span<const OpBuilder> normalizationBuilders();
std::span<const OpBuilder> reductionBuilders();
std::span<const OpBuilder> movementBuilders();
std::span<const OpBuilder> arithmeticBuilders();
std::span<const OpBuilder> activationBuilders();
std::span<const OpBuilder> functionBuilders();

const OpBuilder* findBuilder(std::string_view opName); // nullptr when unknown

} // namespace nw::compute
