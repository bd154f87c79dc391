#include "engine/base/text.h"
#include "engine/graph/import/node_import.h"

#include <algorithm>
#include <array>

namespace nw::graph {
namespace {

// A fill with more elements is computed when the model runs, if it ever does.
constexpr std::int64_t kMostFilled = std::int64_t{1} << 29;

void importConstant(NodeImport& n)
{
    if (n.given("value")) {
        if (const Tensor* value = n.tensor("value")) {
            n.bind(0, n.constant(*value));
        }
    } else if (n.given("value_float")) {
        n.bind(0, n.scalar(DType::F32, n.real("value_float", 0)));
    } else if (n.given("value_int")) {
        n.bind(0, n.constant(integerTensor({n.integer("value_int", 0)}).reshaped({})));
    } else if (n.given("value_floats")) {
        const std::vector<double> wide = n.realList("value_floats");
        const std::vector<float> values(wide.begin(), wide.end());
        n.bind(0, n.constant(Tensor::of<float>(DType::F32, {static_cast<std::int64_t>(values.size())}, values)));
    } else if (n.given("value_ints")) {
        n.bind(0, n.constant(integerTensor(n.integerList("value_ints"))));
    } else {
        n.fail("its value is a string, is sparse, or is missing; tensors of numbers are supported");
    }
}

void importConstantOfShape(NodeImport& n)
{
    const Extents shape = n.extents(n.in(0), "target shape");
    const Tensor* value = n.given("value") ? n.tensor("value") : nullptr;
    if (n.failed()) {
        return;
    }
    if (value != nullptr && value->count() != 1) {
        n.fail("its value must be one element");
        return;
    }
    const Tensor element = value != nullptr ? value->reshaped({}) : Tensor::of<float>(DType::F32, {}, {0.0F});
    const auto literal = literalsOf(shape);
    const Result<std::int64_t> count = literal ? elementCount(*literal) : Result<std::int64_t>(0);
    if (!count) {
        n.fail(count.error());
        return;
    }
    if (!literal || *count > kMostFilled) {
        n.bind(0, n.expand(n.constant(element), shape));
        return;
    }
    Result<Tensor> made = filledLike(element, *literal);
    if (!made) {
        n.fail(made.error());
        return;
    }
    n.bind(0, n.constant(*std::move(made)));
}

// Computed at import only.
void importNonZero(NodeImport& n)
{
    n.bind(0, n.make("NonZero", {n.in(0)}));
}

void importRange(NodeImport& n)
{
    const ValueId start = n.in(0);
    const ValueId limit = n.in(1);
    const ValueId delta = n.in(2);
    if (const Tensor* step = n.contents(delta, "delta"); step != nullptr && (step->count() != 1 || step->asDouble(0) == 0)) {
        n.fail("its delta must be one element that is not 0");
    } else if (step != nullptr && n.isConstant(start) && n.isConstant(limit)) {
        const Tensor* first = n.contents(start, "start");
        const Tensor* last = n.contents(limit, "limit");
        const bool scalars = first->count() == 1 && last->count() == 1;
        if (!scalars || (last->asDouble(0) - first->asDouble(0)) / step->asDouble(0) > static_cast<double>(kMostFilled)) {
            n.fail("its start and limit must be single elements with a range that fits into memory");
        }
    }
    n.bind(0, n.make("Range", {start, limit, delta}));
}

} // namespace

std::span<const Handler> constantHandlers()
{
    static constexpr std::array kHandlers = {Handler{"Constant", 1, &importConstant},
        Handler{"ConstantOfShape", 9, &importConstantOfShape}, Handler{"NonZero", 9, &importNonZero},
        Handler{"Range", 11, &importRange}};
    return kHandlers;
}

} // namespace nw::graph
