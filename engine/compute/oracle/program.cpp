#include "engine/compute/oracle/program.h"

#include "engine/base/overloaded.h"

#include <algorithm>
#include <map>
#include <unordered_map>

namespace nw::compute::oracle {
namespace {

class Compiler {
public:
    Compiler(const Stage& stage, const BufferOf& bufferOf)
        : m_bufferOf(bufferOf)
    {
        for (const Axis& axis : stage.spatial) {
            m_spatial.emplace(axis.name, m_spatial.size());
            m_extents[axis.name] = constInt(axis.extent).value_or(0);
        }
        for (const Axis& axis : stage.reduction) {
            m_reduction.emplace(axis.name, m_reduction.size());
            m_extents[axis.name] = constInt(axis.extent).value_or(0);
        }
    }

    Program compile(const Expr& body)
    {
        m_program.root = compileNode(body);
        markInlined();
        return std::move(m_program);
    }

private:
    int add(Node node)
    {
        for (const int operand : {node.a, node.b, node.c}) {
            node.varies = node.varies || (operand >= 0 && m_program.nodes[static_cast<std::size_t>(operand)].varies);
        }
        m_program.nodes.push_back(std::move(node));
        return static_cast<int>(m_program.nodes.size()) - 1;
    }

    int compileNode(const Expr& e)
    {
        const auto [first, last] = m_known.equal_range(e->hash());
        for (auto known = first; known != last; ++known) {
            if (equal(known->second.first, e)) {
                return known->second.second;
            }
        }
        const int index = compileNew(e);
        m_known.emplace(e->hash(), std::pair(e, index));
        return index;
    }

    int compileNew(const Expr& e)
    {
        if (e->type() == DType::I64 && e->as<Load>() == nullptr && e->as<IntImm>() == nullptr) {
            if (const std::optional<Affine> affine = affineOf(e)) {
                return compilePlace(*affine);
            }
        }
        Node node;
        node.type = e->type();
        return std::visit(
            overloaded{
                [&](const IntImm& n) {
                    node.whole = n.value;
                    return add(node);
                },
                [&](const FloatImm& n) {
                    node.real = n.value;
                    return add(node);
                },
                [&](const Var& n) { return compilePlace(Affine{0, {{n.name, 1}}}); },
                [&](const Unary& n) {
                    node.kind = Node::Kind::Unary;
                    node.unary = n.op;
                    node.a = compileNode(n.a);
                    return add(node);
                },
                [&](const Binary& n) {
                    node.kind = Node::Kind::Binary;
                    node.binary = n.op;
                    node.a = compileNode(n.a);
                    node.b = compileNode(n.b);
                    return add(node);
                },
                [&](const Select& n) {
                    node.kind = Node::Kind::Select;
                    node.a = compileNode(n.condition);
                    node.b = compileNode(n.yes);
                    node.c = compileNode(n.no);
                    return add(node);
                },
                [&](const CastTo& n) {
                    node.kind = Node::Kind::Cast;
                    node.a = compileNode(n.a);
                    return add(node);
                },
                [&](const Load& n) { return compileLoad(n, e->type()); },
            },
            e->kind());
    }

    int compilePlace(const Affine& affine)
    {
        Node node;
        node.kind = Node::Kind::Place;
        node.whole = affine.constant;
        node.spatial.assign(m_spatial.size(), 0);
        node.reduction.assign(m_reduction.size(), 0);
        for (const auto& [name, coefficient] : affine.terms) {
            const auto spatial = m_spatial.find(name);
            if (spatial != m_spatial.end()) {
                node.spatial[spatial->second] = coefficient;
                continue;
            }
            const auto reduction = m_reduction.find(name);
            ENSURE(reduction != m_reduction.end(), "the oracle met an unknown variable " + name);
            node.reduction[reduction->second] = coefficient;
            node.varies = true;
        }
        return add(std::move(node));
    }

    // The flat place is the sum of the affine indices times their strides, plus those that are not affine.
    int compileLoad(const Load& access, DType type)
    {
        const Buffer* const buffer = m_bufferOf(access.buffer);
        ENSURE(buffer != nullptr && buffer->shape.size() == access.indices.size(),
               "the oracle met an unknown buffer " + access.buffer);
        Affine flat;
        std::vector<std::pair<Expr, std::int64_t>> others;
        std::int64_t stride = 1;
        for (std::size_t i = access.indices.size(); i-- > 0;) {
            const std::optional<Affine> affine = affineOf(access.indices[i]);
            if (affine) {
                flat.constant += affine->constant * stride;
                for (const auto& [name, coefficient] : affine->terms) {
                    flat.terms[name] += coefficient * stride;
                }
            } else {
                others.emplace_back(access.indices[i], stride);
            }
            stride *= buffer->shape[i];
        }
        Node node;
        node.kind = Node::Kind::Load;
        node.type = type;
        node.buffer = buffer;
        node.mayLeave = !others.empty() || mayLeave(flat, buffer->count);
        node.a = compilePlace(flat);
        for (const auto& [index, step] : others) {
            const int scaled = addWhole(BinaryOp::Mul, compileNode(index), addConstant(step));
            node.a = addWhole(BinaryOp::Add, node.a, scaled);
        }
        return add(std::move(node));
    }

    bool mayLeave(const Affine& flat, std::int64_t count) const
    {
        std::int64_t low = flat.constant;
        std::int64_t high = flat.constant;
        for (const auto& [name, coefficient] : flat.terms) {
            const std::int64_t span = coefficient * (m_extents.at(name) - 1);
            (span < 0 ? low : high) += span;
        }
        return low < 0 || high >= count;
    }

    int addConstant(std::int64_t value)
    {
        Node node;
        node.whole = value;
        return add(node);
    }

    int addWhole(BinaryOp op, int a, int b)
    {
        Node node;
        node.kind = Node::Kind::Binary;
        node.binary = op;
        node.a = a;
        node.b = b;
        return add(node);
    }

    void markInlined()
    {
        std::vector<bool> isNeeded(m_program.nodes.size());
        isNeeded[static_cast<std::size_t>(m_program.root)] = true;
        for (const Node& node : m_program.nodes) {
            for (const int operand : {node.a, node.b, node.c}) {
                if (operand >= 0 && node.kind != Node::Kind::Load) {
                    isNeeded[static_cast<std::size_t>(operand)] = true;
                }
            }
        }
        for (std::size_t i = 0; i < m_program.nodes.size(); ++i) {
            m_program.nodes[i].isInlined = m_program.nodes[i].kind == Node::Kind::Place && !isNeeded[i];
        }
    }

    const BufferOf& m_bufferOf;
    std::map<std::string, std::size_t> m_spatial, m_reduction;
    std::map<std::string, std::int64_t> m_extents;
    std::unordered_multimap<std::size_t, std::pair<Expr, int>> m_known;
    Program m_program;
};

} // namespace

Program compileBody(const Stage& stage, const BufferOf& bufferOf)
{
    return Compiler(stage, bufferOf).compile(stage.body);
}

std::vector<std::int64_t> extentsOf(const std::vector<Axis>& axes)
{
    std::vector<std::int64_t> extents;
    for (const Axis& axis : axes) {
        extents.push_back(constInt(axis.extent).value_or(0));
    }
    return extents;
}

std::int64_t pointsOf(const std::vector<std::int64_t>& extents)
{
    std::int64_t points = 1;
    for (const std::int64_t extent : extents) {
        points *= extent;
    }
    return points;
}

} // namespace nw::compute::oracle
