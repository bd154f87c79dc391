#include "engine/measure/library_op.h"

#include "engine/base/json.h"

#include <algorithm>
#include <vector>

namespace nw::measure {
namespace {

using compute::Combiner;
using compute::Definition;
using compute::Stage;

const Load* asLoad(const Expr& e)
{
    return e->as<Load>();
}

bool isZero(const Expr& e)
{
    const auto* real = e->as<FloatImm>();
    return isConst(e, 0) || (real != nullptr && real->value == 0);
}

std::vector<const Load*> loadsOf(const Expr& e)
{
    std::vector<const Load*> loads;
    walk(e, [&](const Expr& node) {
        if (const Load* one = asLoad(node)) {
            loads.push_back(one);
        }
        return true;
    });
    return loads;
}

bool reads(const Expr& e, const std::string& buffer)
{
    const std::vector<const Load*> loads = loadsOf(e);
    return std::any_of(loads.begin(), loads.end(), [&](const Load* one) { return one->buffer == buffer; });
}

// The operations after the anchor's sum, innermost first; nothing when they are not of the few that libraries fuse.
class Epilogue {
public:
    Epilogue(const Definition& definition, const Stage& anchor, std::string channel)
        : m_definition(definition)
        , m_anchor(anchor)
        , m_channel(std::move(channel))
    {}

    std::optional<std::vector<std::string>> read(const Expr& e)
    {
        std::vector<std::string> found;
        return add(e, found) ? std::optional(found) : std::nullopt;
    }

private:
    bool isAnchor(const Expr& e) const
    {
        const Load* one = asLoad(e);
        return one != nullptr && one->buffer == m_anchor.buffer;
    }
    // B[oc], or a port of the output's rank that varies along the channel axis alone.
    bool isBias(const Load& one) const
    {
        int channels = 0;
        for (const Expr& index : one.indices) {
            const auto* variable = index->as<Var>();
            if (variable != nullptr && variable->name == m_channel) {
                ++channels;
            } else if (!isConst(index, 0)) {
                return false;
            }
        }
        return channels == 1;
    }
    bool isWhole(const Load& one) const
    {
        if (one.indices.size() != m_anchor.spatial.size()) {
            return false;
        }
        for (std::size_t i = 0; i < one.indices.size(); ++i) {
            const auto* variable = one.indices[i]->as<Var>();
            if (variable == nullptr ? !isConst(m_anchor.spatial[i].extent, 1) : variable->name != m_anchor.spatial[i].name) {
                return false;
            }
        }
        return true;
    }
    bool add(const Expr& e, std::vector<std::string>& found)
    {
        if (isAnchor(e)) {
            return true;
        }
        const auto* operation = e->as<Binary>();
        if (operation == nullptr) {
            return false;
        }
        const bool first = reads(operation->a, m_anchor.buffer);
        const Expr& inner = first ? operation->a : operation->b;
        const Expr& other = first ? operation->b : operation->a;
        if (!reads(inner, m_anchor.buffer) || !add(inner, found)) {
            return false;
        }
        if (operation->op == BinaryOp::Max && isZero(other)) {
            found.emplace_back("relu");
            return true;
        }
        const Load* one = asLoad(other);
        if (operation->op != BinaryOp::Add || one == nullptr || m_definition.port(one->buffer) == nullptr) {
            return false;
        }
        if (found.empty() && isBias(*one)) {
            found.emplace_back("bias");
            return true;
        }
        if (isWhole(*one)) {
            found.emplace_back("add");
            return true;
        }
        return false;
    }

    const Definition& m_definition;
    const Stage& m_anchor;
    std::string m_channel;
};

std::optional<std::vector<std::string>> epilogueOf(const Definition& d, const std::string& channel)
{
    if (d.stages.size() == 1) {
        return std::vector<std::string>();
    }
    if (d.stages.size() != 2 || d.stages[1].combiner != Combiner::None) {
        return std::nullopt;
    }
    return Epilogue(d, d.stages[0], channel).read(d.stages[1].body);
}

// The two factors of a contraction: loads of ports, in the order written.
std::optional<std::pair<const Load*, const Load*>> factorsOf(const Stage& stage)
{
    const auto* product = stage.body->as<Binary>();
    const std::vector<const Load*> loads = loadsOf(stage.body);
    if (stage.combiner != Combiner::Sum || product == nullptr || product->op != BinaryOp::Mul || loads.size() != 2 ||
        stage.type != DType::F32) {
        return std::nullopt;
    }
    return std::pair(loads[0], loads[1]);
}

// stride, dilation and padding before, from "oh * s + kh * d - p".
struct WindowAxis {
    std::int64_t stride = 1, dilation = 1, before = 0, after = 0;
};
std::optional<WindowAxis> windowAxis(const Expr& index, const std::string& out, const std::string& tap, std::int64_t in,
                                     std::int64_t outExtent, std::int64_t taps)
{
    const std::optional<Affine> affine = affineOf(index);
    if (!affine) {
        return std::nullopt;
    }
    WindowAxis axis;
    // An axis of extent 1 has no variable in the index; its stride or dilation does not matter then.
    axis.stride = std::max<std::int64_t>(1, affine->coefficient(out));
    axis.dilation = std::max<std::int64_t>(1, affine->coefficient(tap));
    axis.before = -affine->constant;
    axis.after = (outExtent - 1) * axis.stride + (taps - 1) * axis.dilation + 1 - in - axis.before;
    if (axis.before < 0 || axis.after < -in || affine->terms.size() > 2) {
        return std::nullopt;
    }
    return axis;
}

// Strides, dilations and padding of a window stage over "oh" "ow" / "kh" "kw"; nothing for other than two axes.
bool addWindow(Json& json, const Load& source, const std::vector<std::int64_t>& in, const std::vector<std::int64_t>& out,
               const std::vector<std::int64_t>& kernel)
{
    static constexpr const char* kOut[] = {"oh", "ow"};
    static constexpr const char* kTap[] = {"kh", "kw"};
    if (in.size() != 4 || out.size() != 4 || kernel.size() != 2 || source.indices.size() != 4) {
        return false;
    }
    for (const char* key : {"strides", "dilations", "before", "after"}) {
        json[key] = Json::array();
    }
    for (std::size_t i = 0; i < 2; ++i) {
        const std::optional<WindowAxis> axis =
            windowAxis(source.indices[i + 2], kOut[i], kTap[i], in[i + 2], out[i + 2], kernel[i]);
        if (!axis) {
            return false;
        }
        json["strides"].push_back(axis->stride);
        json["dilations"].push_back(axis->dilation);
        json["before"].push_back(axis->before);
        json["after"].push_back(axis->after);
    }
    return true;
}

std::optional<Json> convOf(const Definition& d)
{
    const auto factors = factorsOf(d.stages[0]);
    const auto post = epilogueOf(d, "oc");
    if (!factors || !post) {
        return std::nullopt;
    }
    const auto src = d.staticShape(factors->first->buffer);
    const auto weights = d.staticShape(factors->second->buffer);
    const auto dst = d.staticShape(d.stages[0].buffer);
    if (!src || !weights || !dst || weights->size() != 4 || src->size() != 4 || (*weights)[1] == 0 ||
        (*src)[1] % (*weights)[1] != 0) {
        return std::nullopt;
    }
    Json json = {{"kind", "conv"}, {"src", *src}, {"weights", *weights}, {"dst", *dst}, {"groups", (*src)[1] / (*weights)[1]}};
    if (!addWindow(json, *factors->first, *src, *dst, {(*weights)[2], (*weights)[3]})) {
        return std::nullopt;
    }
    json["post"] = *post;
    return json;
}

std::optional<Json> matmulOf(const Definition& d)
{
    const auto factors = factorsOf(d.stages[0]);
    const auto post = epilogueOf(d, "n");
    if (!factors || !post) {
        return std::nullopt;
    }
    auto src = d.staticShape(factors->first->buffer);
    auto weights = d.staticShape(factors->second->buffer);
    auto dst = d.staticShape(d.stages[0].buffer);
    // Vectors would need another shape of the library's arguments; they are left out.
    if (!src || !weights || !dst || src->size() < 2 || weights->size() < 2 || src->size() != dst->size()) {
        return std::nullopt;
    }
    weights->insert(weights->begin(), dst->size() - std::min(dst->size(), weights->size()), 1);
    const auto transposed = [](const Load& one, const char* last) {
        const auto* variable = one.indices.back()->as<Var>();
        return variable == nullptr || variable->name != last;
    };
    const std::size_t rank = dst->size();
    const bool left = transposed(*factors->first, "k") && (*src)[rank - 1] != 1;
    const bool right = transposed(*factors->second, "n") && (*weights)[rank - 1] != 1;
    if (left) {
        std::swap((*src)[rank - 1], (*src)[rank - 2]);
    }
    if (right) {
        std::swap((*weights)[rank - 1], (*weights)[rank - 2]);
    }
    const compute::Port* port = d.port(factors->second->buffer);
    return Json{{"kind", "matmul"}, {"src", *src}, {"weights", *weights}, {"dst", *dst}, {"transposed", {left, right}},
                {"constant", port != nullptr && port->kind == compute::PortKind::Constant}, {"post", *post}};
}

std::optional<Json> poolOf(const Definition& d)
{
    const Stage& stage = d.stages[0];
    const std::vector<const Load*> loads = loadsOf(stage.body);
    const bool isMax = stage.combiner == Combiner::Max && d.stages.size() == 1;
    const bool isAverage = stage.combiner == Combiner::Sum && d.stages.size() == 2;
    if (loads.size() != 1 || (!isMax && !isAverage) || stage.type != DType::F32 || stage.reduction.size() != 2) {
        return std::nullopt;
    }
    const auto src = d.staticShape(loads[0]->buffer);
    const auto dst = d.staticShape(stage.buffer);
    std::vector<std::int64_t> kernel;
    for (const compute::Axis& axis : stage.reduction) {
        kernel.push_back(constInt(axis.extent).value_or(0));
    }
    if (!src || !dst) {
        return std::nullopt;
    }
    std::string op = "max";
    if (isAverage) {
        const auto* quotient = d.stages[1].body->as<Binary>();
        if (quotient == nullptr || quotient->op != BinaryOp::Div) {
            return std::nullopt;
        }
        op = freeVars(quotient->b).empty() ? "avg_include" : "avg_exclude";
    }
    Json json = {{"kind", "pool"}, {"op", op}, {"src", *src}, {"dst", *dst}, {"kernel", kernel}};
    return addWindow(json, *loads[0], *src, *dst, kernel) ? std::optional(json) : std::nullopt;
}

std::optional<Json> softmaxOf(const Definition& d)
{
    const Stage& stage = d.stages[0];
    const Load* source = asLoad(stage.body);
    if (source == nullptr || stage.combiner != Combiner::Max || stage.reduction.size() != 1 || stage.type != DType::F32) {
        return std::nullopt;
    }
    const auto src = d.staticShape(source->buffer);
    for (std::size_t i = 0; src && i < source->indices.size(); ++i) {
        const auto* variable = source->indices[i]->as<Var>();
        if (variable != nullptr && variable->name == stage.reduction[0].name) {
            return Json{{"kind", "softmax"}, {"src", *src}, {"axis", i}};
        }
    }
    return std::nullopt;
}

// Along the last axis alone and without an epilogue: that is what the library's operator does.
std::optional<Json> layerNormOf(const Definition& d)
{
    constexpr std::size_t kStages = 5; // sum, mean, var, invstd, the normalised element
    const Stage& sum = d.stages[0];
    const Load* source = asLoad(sum.body);
    if (d.stages.size() != kStages || source == nullptr || sum.reduction.size() != 1 || sum.type != DType::F32) {
        return std::nullopt;
    }
    const auto src = d.staticShape(source->buffer);
    const Stage& last = d.stages.back();
    const auto* shifted = last.body->as<Binary>();
    const Load* shift = shifted != nullptr && shifted->op == BinaryOp::Add ? asLoad(shifted->b) : nullptr;
    std::optional<double> epsilon;
    walk(d.stages[kStages - 2].body, [&](const Expr& e) {
        const auto* added = e->as<Binary>();
        const auto* literal = added != nullptr && added->op == BinaryOp::Add ? added->b->as<FloatImm>() : nullptr;
        epsilon = literal != nullptr ? literal->value : epsilon;
        return true;
    });
    if (!src || !epsilon || source->indices.size() != last.spatial.size()) {
        return std::nullopt;
    }
    for (const Load* one : loadsOf(last.body)) {
        // Scale and shift have one element for each of the last axis.
        const bool isParameter = d.port(one->buffer) != nullptr && one->buffer != source->buffer;
        if (isParameter && freeVars(one->indices.back()) != std::vector<std::string>{last.spatial.back().name}) {
            return std::nullopt;
        }
    }
    return Json{{"kind", "layernorm"}, {"src", *src}, {"epsilon", *epsilon}, {"shift", shift != nullptr}};
}

} // namespace

std::optional<std::string> libraryOpOf(const compute::Definition& definition)
{
    if (definition.stages.empty()) {
        return std::nullopt;
    }
    std::optional<Json> json;
    if (definition.kind == "conv") {
        json = convOf(definition);
    } else if (definition.kind == "matmul" || definition.kind == "gemm") {
        json = matmulOf(definition);
    } else if (definition.kind == "maxpool" || definition.kind == "averagepool") {
        json = poolOf(definition);
    } else if (definition.kind == "softmax") {
        json = softmaxOf(definition);
    } else if (definition.kind == "layernormalization") {
        json = layerNormOf(definition);
    }
    return json ? std::optional(json->dump()) : std::nullopt;
}

} // namespace nw::measure
