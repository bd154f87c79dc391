// The reduction of a StageRunner: what a step adds to the running totals, and the bound that they end with.

#include "engine/compute/oracle/stage_runner.h"

#include <algorithm>

namespace nw::compute::oracle {
namespace {

BinaryOp operatorOf(Combiner combiner)
{
    switch (combiner) {
    case Combiner::Prod: return BinaryOp::Mul;
    case Combiner::Max: return BinaryOp::Max;
    case Combiner::Min: return BinaryOp::Min;
    case Combiner::Sum:
    case Combiner::None: break;
    }
    return BinaryOp::Add;
}

} // namespace

void StageRunner::startTotal(int count)
{
    m_total.isExact = true;
    m_total.reals.resize(kWidth);
    m_total.sizes.resize(kWidth);
    m_total.bounds.resize(kWidth);
    m_total.wholes.resize(kWidth);
    const auto* const real = m_stage.init->as<FloatImm>();
    const auto* const whole = m_stage.init->as<IntImm>();
    std::fill_n(m_total.reals.begin(), count, real != nullptr ? real->value : 0.0);
    std::fill_n(m_total.sizes.begin(), count, real != nullptr ? std::abs(real->value) : 0.0);
    std::fill_n(m_total.bounds.begin(), count, 0.0);
    std::fill_n(m_total.wholes.begin(), count, whole != nullptr ? whole->value : 0);
}

void StageRunner::addTerms(int count)
{
    if (m_addsProducts) {
        addProducts(count);
    } else if (isReal(m_stage.type)) {
        addReals(count);
    } else {
        addWholes(count);
    }
}

void StageRunner::addProducts(int count)
{
    const Node& root = m_program.nodes[static_cast<std::size_t>(m_program.root)];
    const Lanes& a = m_lanes[static_cast<std::size_t>(root.a)];
    const Lanes& b = m_lanes[static_cast<std::size_t>(root.b)];
    double* const total = m_total.reals.data();
    double* const sizes = m_total.sizes.data();
    double* const bounds = m_total.bounds.data();
    if (!m_tracks) {
        for (int i = 0; i < count; ++i) {
            total[i] += a.reals[i] * b.reals[i];
        }
        return;
    }
    for (int i = 0; i < count; ++i) {
        const double term = a.reals[i] * b.reals[i];
        total[i] += term;
        sizes[i] += std::abs(term);
    }
    for (int i = 0; i < count && !(a.isExact && b.isExact); ++i) {
        const double ea = a.bound(i);
        const double eb = b.bound(i);
        bounds[i] += (eb == 0 ? 0 : std::abs(a.reals[i]) * eb) + (ea == 0 ? 0 : (std::abs(b.reals[i]) + eb) * ea);
    }
}

void StageRunner::addReals(int count)
{
    const Lanes& term = m_lanes[static_cast<std::size_t>(m_program.root)];
    if (m_stage.combiner == Combiner::Sum) {
        for (int i = 0; i < count; ++i) {
            m_total.reals[static_cast<std::size_t>(i)] += term.reals[i];
            m_total.sizes[static_cast<std::size_t>(i)] += std::abs(term.reals[i]);
        }
        for (int i = 0; i < count && m_tracks && !term.isExact; ++i) {
            m_total.bounds[static_cast<std::size_t>(i)] += term.bounds[i];
        }
        return;
    }
    combine(term, count);
}

// An operation reads its operands after it began to write its result, so the total is kept twice.
void StageRunner::combine(const Lanes& term, int count)
{
    m_before = m_total;
    const Lanes before = m_before.lanes();
    Lanes total = m_total.lanes();
    const BinaryOp op = operatorOf(m_stage.combiner);
    if (isReal(m_stage.type)) {
        realArithmetic(op, m_stage.type, before, term, total, count, m_tracks);
    } else {
        wholeArithmetic(op, m_stage.type, before, term, total, count, m_tracks);
    }
    m_total.isExact = total.isExact;
}

void StageRunner::addWholes(int count)
{
    const Lanes& term = m_lanes[static_cast<std::size_t>(m_program.root)];
    if (m_stage.combiner == Combiner::Sum && term.isExact && m_total.isExact) {
        for (int i = 0; i < count; ++i) {
            std::int64_t& total = m_total.wholes[static_cast<std::size_t>(i)];
            const auto sum = static_cast<std::uint64_t>(total) + static_cast<std::uint64_t>(term.wholes[i]);
            total = wrapped(static_cast<std::int64_t>(sum), m_stage.type);
        }
        return;
    }
    combine(term, count);
}

// A sum of K terms in any order: (4 + sqrt(K)) * epsilon * sum|terms| beside the terms' own bounds, and half an ulp of
// each where a term is a product.
void StageRunner::storeTotal(std::int64_t first, int count)
{
    if (m_tracks && m_stage.combiner == Combiner::Sum && isReal(m_stage.type)) {
        m_total.isExact = false;
        const Rounding rounding = roundingOf(m_stage.type);
        const double terms = static_cast<double>(pointsOf(m_reduction));
        const double factor = (4 + std::sqrt(terms)) * rounding.epsilon + (m_addsProducts ? rounding.unit : 0);
        for (int i = 0; i < count; ++i) {
            const auto lane = static_cast<std::size_t>(i);
            const double own = m_total.bounds[lane];
            const double size = m_total.sizes[lane] + own;
            m_total.bounds[lane] = own + factor * size + (size == 0 ? 0 : rounding.smallest);
            if (size > rounding.largest && std::isfinite(m_total.reals[lane])) {
                m_total.bounds[lane] = kInfinity; // a partial sum may overflow
            }
            const bool isCertain = own < kInfinity;
            if (!std::isfinite(m_total.reals[lane])) {
                m_total.bounds[lane] = isCertain ? 0 : kInfinity;
            }
        }
    }
    store(m_total.lanes(), first, count);
}

} // namespace nw::compute::oracle
