#include "engine/compute/oracle/stage_runner.h"

#include <algorithm>

namespace nw::compute::oracle {
namespace {

std::size_t at(int index)
{
    return static_cast<std::size_t>(index);
}

} // namespace

StageRunner::StageRunner(const Stage& stage, const Program& program, Buffer& target, bool tracks)
    : m_stage(stage)
    , m_program(program)
    , m_target(target)
    , m_tracks(tracks)
    , m_addsProducts(false)
    , m_spatial(extentsOf(stage.spatial))
    , m_reduction(extentsOf(stage.reduction))
    , m_doubles(program.nodes.size() * 2 * kWidth)
    , m_integers(program.nodes.size() * kWidth)
    , m_lanes(program.nodes.size())
    , m_places(program.nodes.size())
    , m_steps(program.nodes.size())
    , m_indices(stage.spatial.size(), std::vector<std::int64_t>(kWidth))
    , m_at(stage.reduction.size())
{
    const Node& root = program.nodes[at(program.root)];
    m_addsProducts = stage.combiner == Combiner::Sum && isReal(stage.type) && root.kind == Node::Kind::Binary
        && root.binary == BinaryOp::Mul && root.varies;
    for (std::size_t i = 0; i < program.nodes.size(); ++i) {
        const Node& node = program.nodes[i];
        Lanes& lanes = m_lanes[i];
        lanes.reals = &m_doubles[2 * i * kWidth];
        lanes.bounds = &m_doubles[(2 * i + 1) * kWidth];
        lanes.wholes = &m_integers[i * kWidth];
        if (node.kind == Node::Kind::Constant) {
            std::fill_n(lanes.reals, kWidth, node.real);
            std::fill_n(lanes.wholes, kWidth, node.whole);
        } else if (node.kind == Node::Kind::Place) {
            m_places[i].resize(kWidth);
        }
        const bool isSummedRoot = m_addsProducts && static_cast<int>(i) == program.root;
        if (node.varies && !node.isInlined && !isSummedRoot) {
            m_varying.push_back(i);
        }
    }
}

void StageRunner::run(std::int64_t first, int count, const StopToken& stop)
{
    placeLanes(first, count);
    for (std::size_t i = 0; i < m_program.nodes.size(); ++i) {
        const Node& node = m_program.nodes[i];
        if (node.kind == Node::Kind::Place) {
            evaluatePlace(node, i, count);
        } else if (!node.varies) {
            evaluate(i, count);
        }
    }
    if (m_stage.combiner == Combiner::None) {
        store(m_lanes[at(m_program.root)], first, count);
        return;
    }
    startTotal(count);
    std::fill(m_at.begin(), m_at.end(), 0);
    const std::int64_t steps = pointsOf(m_reduction);
    for (std::int64_t step = 0; step < steps && !((step & 1023) == 1023 && stop.stopRequested()); ++step) {
        moveSteps();
        for (const std::size_t i : m_varying) {
            evaluate(i, count);
        }
        addTerms(count);
        for (std::size_t axis = m_at.size(); axis-- > 0;) {
            if (++m_at[axis] < m_reduction[axis]) {
                break;
            }
            m_at[axis] = 0;
        }
    }
    storeTotal(first, count);
}

void StageRunner::placeLanes(std::int64_t first, int count)
{
    std::vector<std::int64_t> index(m_spatial.size());
    for (std::size_t axis = m_spatial.size(); axis-- > 0;) {
        index[axis] = first % m_spatial[axis];
        first /= m_spatial[axis];
    }
    for (int lane = 0; lane < count; ++lane) {
        for (std::size_t axis = 0; axis < index.size(); ++axis) {
            m_indices[axis][at(lane)] = index[axis];
        }
        for (std::size_t axis = index.size(); axis-- > 0;) {
            if (++index[axis] < m_spatial[axis]) {
                break;
            }
            index[axis] = 0;
        }
    }
}

void StageRunner::evaluatePlace(const Node& node, std::size_t index, int count)
{
    std::vector<std::int64_t>& place = m_places[index];
    std::fill_n(place.begin(), count, node.whole);
    for (std::size_t axis = 0; axis < node.spatial.size(); ++axis) {
        const std::int64_t coefficient = node.spatial[axis];
        for (int lane = 0; lane < count && coefficient != 0; ++lane) {
            place[at(lane)] += coefficient * m_indices[axis][at(lane)];
        }
    }
    m_steps[index] = 0;
    if (!node.varies && !node.isInlined) {
        evaluate(index, count);
    }
}

void StageRunner::moveSteps()
{
    for (std::size_t i = 0; i < m_program.nodes.size(); ++i) {
        const Node& node = m_program.nodes[i];
        if (node.kind == Node::Kind::Place && node.varies) {
            std::int64_t step = 0;
            for (std::size_t axis = 0; axis < m_at.size(); ++axis) {
                step += node.reduction[axis] * m_at[axis];
            }
            m_steps[i] = step;
        }
    }
}

void StageRunner::evaluate(std::size_t index, int count)
{
    const Node& node = m_program.nodes[index];
    Lanes& out = m_lanes[index];
    const auto typeOf = [&](int operand) { return m_program.nodes[at(operand)].type; };
    switch (node.kind) {
    case Node::Kind::Constant: return;
    case Node::Kind::Place:
        for (int lane = 0; lane < count; ++lane) {
            out.wholes[lane] = m_places[index][at(lane)] + m_steps[index];
        }
        return;
    case Node::Kind::Load: return evaluateLoad(node, out, count);
    case Node::Kind::Unary:
        return evaluateUnary(node.unary, node.type, typeOf(node.a), m_lanes[at(node.a)], out, count, m_tracks);
    case Node::Kind::Binary:
        return evaluateBinary(node.binary, typeOf(node.a), m_lanes[at(node.a)], m_lanes[at(node.b)], out, count,
                              m_tracks);
    case Node::Kind::Select:
        return evaluateSelect(node.type, m_lanes[at(node.a)], m_lanes[at(node.b)], m_lanes[at(node.c)], out, count,
                              m_tracks);
    case Node::Kind::Cast:
        return evaluateCast(node.type, typeOf(node.a), m_lanes[at(node.a)], out, count, m_tracks);
    }
}

void StageRunner::evaluateLoad(const Node& node, Lanes& out, int count)
{
    const Buffer& from = *node.buffer;
    const Node& offset = m_program.nodes[at(node.a)];
    const bool isPlace = offset.kind == Node::Kind::Place;
    const std::int64_t* const places = isPlace ? m_places[at(node.a)].data() : m_lanes[at(node.a)].wholes;
    const std::int64_t step = isPlace ? m_steps[at(node.a)] : 0;
    if (from.count == 0) {
        std::fill_n(out.reals, count, 0.0);
        std::fill_n(out.wholes, count, 0);
        return;
    }
    const auto gather = [&](auto* to, const auto& values) {
        if (node.mayLeave) {
            for (int lane = 0; lane < count; ++lane) {
                to[lane] = values[static_cast<std::size_t>(std::clamp<std::int64_t>(places[lane] + step, 0, from.count - 1))];
            }
        } else {
            for (int lane = 0; lane < count; ++lane) {
                to[lane] = values[static_cast<std::size_t>(places[lane] + step)];
            }
        }
    };
    if (isReal(from.type)) {
        gather(out.reals, from.reals);
    } else {
        gather(out.wholes, from.wholes);
    }
    const bool isOpen = !isPlace && !m_lanes[at(node.a)].isExact;
    out.isExact = !m_tracks || (from.bounds.empty() && !isOpen);
    if (!out.isExact) {
        std::fill_n(out.bounds, count, 0.0);
        if (!from.bounds.empty()) {
            gather(out.bounds, from.bounds);
        }
        for (int lane = 0; lane < count && isOpen; ++lane) {
            out.bounds[lane] = m_lanes[at(node.a)].bound(lane) != 0 ? kInfinity : out.bounds[lane];
        }
    }
}

void StageRunner::store(const Lanes& result, std::int64_t first, int count)
{
    if (isReal(m_target.type)) {
        std::copy_n(result.reals, count, m_target.reals.begin() + first);
    } else {
        std::copy_n(result.wholes, count, m_target.wholes.begin() + first);
    }
    for (int lane = 0; lane < count && m_tracks; ++lane) {
        m_target.bounds[static_cast<std::size_t>(first + lane)] = result.bound(lane);
    }
}

} // namespace nw::compute::oracle
