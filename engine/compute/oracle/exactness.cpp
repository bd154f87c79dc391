#include "engine/compute/oracle/exactness.h"

#include "engine/base/overloaded.h"
#include "engine/compute/oracle/program.h"

#include <algorithm>
#include <cmath>

namespace nw::compute::oracle {
namespace {

using Size = std::optional<double>;

// Whole numbers up to this are all held by the type.
double limitOf(DType type)
{
    switch (type) {
    case DType::F32: return 0x1p24;
    case DType::F64: return 0x1p53;
    case DType::I32: return 0x1p31 - 1;
    case DType::Bool: return 1;
    default: return 0x1p53; // i64, as far as a double counts too
    }
}

class Sizes {
public:
    Sizes(const Stage& stage, const std::map<std::string, double>& buffers)
        : m_buffers(buffers)
    {
        for (const std::vector<Axis>* const axes : {&stage.spatial, &stage.reduction}) {
            for (const Axis& axis : *axes) {
                m_axes[axis.name] = static_cast<double>(constInt(axis.extent).value_or(0));
            }
        }
    }

    // Largest magnitude of the expression; nothing when it may be no whole number or too large.
    Size of(const Expr& e) const
    {
        const Size size = ofNode(e);
        return size && *size <= limitOf(e->type()) ? size : std::nullopt;
    }

private:
    Size ofNode(const Expr& e) const
    {
        return std::visit(overloaded{
                              [&](const IntImm& n) { return Size(isSentinel(n) ? 0 : std::abs(static_cast<double>(n.value))); },
                              [&](const FloatImm& n) { return ofFloat(n.value); },
                              [&](const Var& n) { return ofAxis(n.name); },
                              [&](const Unary& n) { return ofUnary(n); },
                              [&](const Binary& n) { return ofBinary(n, e->type()); },
                              [&](const Select& n) { return ofSelect(n); },
                              [&](const CastTo& n) { return e->type() == DType::Bool ? one(of(n.a)) : of(n.a); },
                              [&](const Load& n) { return ofLoad(n.buffer); },
                          },
                          e->kind());
    }

    // The ends of i64, neutral for Min and Max.
    static bool isSentinel(const IntImm& n)
    {
        return n.value == std::numeric_limits<std::int64_t>::max() || n.value == std::numeric_limits<std::int64_t>::min();
    }

    static Size one(const Size& size) { return size ? Size(1) : size; }

    static Size ofFloat(double value)
    {
        if (std::isinf(value)) {
            return 0; // neutral for Min and Max
        }
        return value == std::floor(value) ? Size(std::abs(value)) : std::nullopt;
    }

    Size ofAxis(const std::string& name) const
    {
        const auto found = m_axes.find(name);
        return found == m_axes.end() ? std::nullopt : Size(found->second);
    }

    Size ofLoad(const std::string& buffer) const
    {
        const auto found = m_buffers.find(buffer);
        return found == m_buffers.end() ? std::nullopt : Size(found->second);
    }

    Size ofUnary(const Unary& n) const
    {
        const Size size = of(n.a);
        switch (n.op) {
        case UnaryOp::Neg:
        case UnaryOp::Abs:
        case UnaryOp::Floor:
        case UnaryOp::Ceil:
        case UnaryOp::Round: return size;
        case UnaryOp::Not:
        case UnaryOp::Sign:
        case UnaryOp::IsNan:
        case UnaryOp::IsInf: return one(size);
        default: return std::nullopt;
        }
    }

    Size ofBinary(const Binary& n, DType type) const
    {
        const Size a = of(n.a);
        const Size b = of(n.b);
        if (!a || !b) {
            return std::nullopt;
        }
        switch (n.op) {
        case BinaryOp::Add:
        case BinaryOp::Sub: return *a + *b;
        case BinaryOp::Mul: return *a * *b;
        case BinaryOp::Min:
        case BinaryOp::Max: return std::max(*a, *b);
        case BinaryOp::Div: return isReal(type) ? std::nullopt : a;
        case BinaryOp::FloorDiv: return *a + 1;
        case BinaryOp::FloorMod: return *b;
        case BinaryOp::TruncMod: return *a;
        case BinaryOp::Pow: return std::nullopt;
        case BinaryOp::Lt:
        case BinaryOp::Le:
        case BinaryOp::Gt:
        case BinaryOp::Ge:
        case BinaryOp::Eq:
        case BinaryOp::Ne:
        case BinaryOp::And:
        case BinaryOp::Or:
        case BinaryOp::Xor: return 1;
        }
        return std::nullopt;
    }

    Size ofSelect(const Select& n) const
    {
        const Size condition = of(n.condition);
        const Size yes = of(n.yes);
        const Size no = of(n.no);
        return condition && yes && no ? Size(std::max(*yes, *no)) : std::nullopt;
    }

    const std::map<std::string, double>& m_buffers;
    std::map<std::string, double> m_axes;
};

Size sizeOfStage(const Stage& stage, const std::map<std::string, double>& buffers)
{
    const Sizes sizes(stage, buffers);
    Size size = sizes.of(stage.body);
    if (!size || stage.combiner == Combiner::None) {
        return size;
    }
    const Size init = sizes.of(stage.init);
    if (!init || stage.combiner == Combiner::Prod) {
        return std::nullopt;
    }
    if (stage.combiner == Combiner::Sum) {
        const double terms = static_cast<double>(pointsOf(extentsOf(stage.reduction)));
        const double total = *init + *size * terms;
        return total <= limitOf(stage.type) ? Size(total) : std::nullopt;
    }
    return std::max(*size, *init);
}

} // namespace

bool staysExact(const Definition& definition, const std::map<std::string, double>& largest)
{
    std::map<std::string, double> buffers = largest;
    for (const Stage& stage : definition.stages) {
        for (const std::vector<Axis>* const axes : {&stage.spatial, &stage.reduction}) {
            if (!std::all_of(axes->begin(), axes->end(), [](const Axis& axis) { return constInt(axis.extent).has_value(); })) {
                return false; // a sum of unknown length
            }
        }
        const Size size = sizeOfStage(stage, buffers);
        if (!size) {
            return false;
        }
        buffers[stage.buffer] = *size;
    }
    return true;
}

std::optional<std::map<std::string, double>> wholeMagnitudes(const Definition& definition, double size)
{
    std::map<std::string, double> largest;
    for (const Port& port : definition.ports) {
        if (port.kind == PortKind::Output) {
            continue;
        }
        double low = -size;
        double high = size;
        if (port.range) {
            low = std::ceil(port.range->first);
            high = std::floor(port.range->second);
            if (low > high) {
                return std::nullopt;
            }
        }
        largest[port.name] = port.type == DType::Bool ? 1 : std::max(std::abs(low), std::abs(high));
    }
    return largest;
}

} // namespace nw::compute::oracle

namespace nw::compute {

bool isExactOnIntegers(const Definition& definition)
{
    const auto largest = oracle::wholeMagnitudes(definition, 1);
    return largest && oracle::staysExact(definition, *largest);
}

} // namespace nw::compute
