#include "engine/base/overloaded.h"
#include "engine/compute/count_points.h"
#include "engine/compute/winograd.h"

#include <algorithm>

namespace nw::compute {
namespace {

bool reads(const Expr& e, std::string_view buffer)
{
    bool found = false;
    walk(e, [&](const Expr& node) {
        const auto* const access = node->as<Load>();
        found = found || (access != nullptr && access->buffer == buffer);
        return !found;
    });
    return found;
}

bool isLiteral(const Expr& e, double value)
{
    const auto* const real = e->as<FloatImm>();
    const auto* const whole = e->as<IntImm>();
    return real != nullptr ? real->value == value : whole != nullptr && static_cast<double>(whole->value) == value;
}

// Counts the operations of one stage: `real` where they touch real elements, `nominal` everywhere. Transforms, which the
// direct algorithm does not have, are never nominal: all of the stage, or its choices that read the buffer `transformed`.
class StageCounter {
public:
    StageCounter(const Stage& stage, bool isTransform, std::string_view transformed)
        : m_stage(stage)
        , m_transformed(transformed)
        , m_isNominal(!isTransform)
        , m_axes(stage.spatial)
    {
        m_axes.insert(m_axes.end(), stage.reduction.begin(), stage.reduction.end());
        m_all = countPoints(m_axes, {});
    }

    void count(Work& work)
    {
        Facts facts;
        if (m_stage.combiner != Combiner::None) {
            addTapFacts(m_stage.body, facts);
            add(1, facts);
        }
        countIn(m_stage.body, facts);
        work.flops += m_real;
        work.nominalFlops += m_nominal;
    }

private:
    // What holds where the body contributes to the total: a select around padding is not taken, and in a sum no
    // factor is a padded one.
    void addTapFacts(const Expr& e, Facts& facts) const
    {
        if (const auto* const choice = e->as<Select>()) {
            const bool isNeutral = m_stage.combiner == Combiner::Sum ? isLiteral(choice->no, 0) : equal(choice->no, m_stage.init);
            if (isNeutral && !hasLoad(choice->condition)) {
                addFacts(choice->condition, true, facts);
                addTapFacts(choice->yes, facts);
            }
            return;
        }
        const auto* const product = e->as<Binary>();
        if (product != nullptr && product->op == BinaryOp::Mul && m_stage.combiner == Combiner::Sum) {
            addTapFacts(product->a, facts);
            addTapFacts(product->b, facts);
        }
    }

    void add(double operations, const Facts& facts)
    {
        m_real += operations * countPoints(m_axes, facts);
        m_nominal += m_isNominal ? operations * m_all : 0;
    }

    void countIn(const Expr& e, const Facts& facts)
    {
        if (!hasLoad(e)) {
            return; // index arithmetic and constants
        }
        std::visit(overloaded{
                       [](const IntImm&) {},
                       [](const FloatImm&) {},
                       [](const Var&) {},
                       [](const Load&) {},
                       [&](const CastTo& n) { countIn(n.a, facts); },
                       [&](const Unary& n) {
                           add(1, facts);
                           countIn(n.a, facts);
                       },
                       [&](const Binary& n) {
                           add(1, facts);
                           countIn(n.a, facts);
                           countIn(n.b, facts);
                       },
                       [&](const Select& n) { countChoice(n, facts); },
                   },
                   e->kind());
    }

    // On index conditions each side counts where it is taken; on data both sides are computed.
    void countChoice(const Select& choice, const Facts& facts)
    {
        const bool before = m_isNominal;
        m_isNominal = before && (m_transformed.empty() || !reads(choice.yes, m_transformed));
        countIn(choice.condition, facts);
        Facts inYes = facts;
        Facts inNo = facts;
        if (!hasLoad(choice.condition)) {
            addFacts(choice.condition, true, inYes);
            addFacts(choice.condition, false, inNo);
        }
        countIn(choice.yes, inYes);
        countIn(choice.no, inNo);
        m_isNominal = before;
    }

    const Stage& m_stage;
    std::string_view m_transformed;
    bool m_isNominal;
    std::vector<Axis> m_axes;
    double m_all = 0;
    double m_real = 0;
    double m_nominal = 0;
};

} // namespace

Work workOf(const Definition& definition)
{
    Work work;
    const std::optional<WinogradShape> tiles = winogradOf(definition);
    bool isTransform = tiles.has_value(); // up to what the output reads
    for (const Stage& stage : definition.stages) {
        StageCounter(stage, isTransform, tiles ? kWinogradColumns : std::string_view()).count(work);
        isTransform = isTransform && stage.name != kWinogradColumns;
    }
    if (tiles) { // what the direct convolution would do
        work.nominalFlops += 2.0 * 9 * static_cast<double>(tiles->ic) * static_cast<double>(tiles->n * tiles->oc)
            * static_cast<double>(tiles->oh * tiles->ow);
    }
    for (const Port& port : definition.ports) {
        std::int64_t bytes = static_cast<std::int64_t>(byteSize(port.type));
        for (const Expr& extent : port.shape) {
            const std::optional<std::int64_t> value = constInt(extent);
            ENSURE(value.has_value(), "counting needs the extents of port " + port.name);
            bytes *= *value;
        }
        std::int64_t& total = port.kind == PortKind::Input      ? work.inputBytes
                              : port.kind == PortKind::Constant ? work.constantBytes
                                                                : work.outputBytes;
        total += bytes;
    }
    return work;
}

} // namespace nw::compute
