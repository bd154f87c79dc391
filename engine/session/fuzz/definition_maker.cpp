#include "engine/session/fuzz/definition_maker.h"

#include "engine/base/text.h"

#include <algorithm>
#include <limits>
#include <numeric>

namespace nw::session::fuzz {

namespace {

constexpr std::int64_t kExtents[] = {1, 2, 3, 4, 5, 5, 6, 7, 7, 8, 9, 11, 13, 16, 17, 19, 23, 31, 33, 37};
constexpr DType kTypes[] = {DType::F32, DType::F32, DType::F32, DType::F32, DType::F32, DType::F64, DType::I32, DType::I64};

Expr startOf(compute::Combiner combiner, DType type)
{
    switch (combiner) {
    case compute::Combiner::Prod: return literal(type, 1);
    case compute::Combiner::Max:
        return isFloat(type) ? literal(type, -std::numeric_limits<double>::infinity()) : literal(type, -1000);
    case compute::Combiner::Min:
        return isFloat(type) ? literal(type, std::numeric_limits<double>::infinity()) : literal(type, 1000);
    case compute::Combiner::Sum:
    case compute::Combiner::None: break;
    }
    return literal(type, 0);
}

std::vector<compute::Axis> axesOf(const std::vector<DefinitionMaker::Walk>& walks)
{
    std::vector<compute::Axis> axes;
    for (const DefinitionMaker::Walk& walk : walks) {
        axes.push_back({walk.name, intImm(walk.extent)});
    }
    return axes;
}

} // namespace

std::vector<Expr> variablesOf(const std::vector<DefinitionMaker::Walk>& walks)
{
    std::vector<Expr> variables;
    for (const DefinitionMaker::Walk& walk : walks) {
        variables.push_back(var(walk.name));
    }
    return variables;
}

Extents extentsOf(const std::vector<DefinitionMaker::Walk>& walks)
{
    Extents extents;
    for (const DefinitionMaker::Walk& walk : walks) {
        extents.push_back(walk.extent);
    }
    return extents;
}

DefinitionMaker::DefinitionMaker(Random& random)
    : m_random(random)
    , m_type(kTypes[random.below(std::size(kTypes))])
{}

std::int64_t DefinitionMaker::extent(std::int64_t most)
{
    if (m_random.below(150) == 0) {
        return 0;
    }
    for (;;) {
        const std::int64_t drawn = kExtents[m_random.below(std::size(kExtents))];
        if (drawn <= std::max<std::int64_t>(most, 1)) {
            return drawn;
        }
    }
}

Extents DefinitionMaker::shape(std::size_t rank, std::int64_t points)
{
    Extents extents;
    for (std::size_t d = 0; d < rank; ++d) {
        extents.push_back(extent(points));
        points /= std::max<std::int64_t>(extents.back(), 1);
    }
    for (std::size_t i = rank; i > 1; --i) {
        std::swap(extents[i - 1], extents[m_random.below(i)]);
    }
    return extents;
}

std::string DefinitionMaker::fresh(const std::string& wanted) const
{
    std::string name = wanted;
    for (int copy = 2; m_definition.stage(name) != nullptr || m_definition.port(name) != nullptr; ++copy) {
        name = format("{}.{}", wanted, copy);
    }
    return name;
}

DefinitionMaker::Tensor DefinitionMaker::port(const std::string& name, DType type, const Extents& shape, compute::PortKind kind)
{
    compute::Port port;
    port.name = fresh(name);
    port.kind = kind;
    port.type = type;
    for (const std::int64_t extent : shape) {
        port.shape.push_back(intImm(extent));
    }
    m_definition.ports.push_back(port);
    return {port.name, type, shape};
}

DefinitionMaker::Tensor DefinitionMaker::stage(const std::string& name, const std::vector<Walk>& spatial, Expr body)
{
    return reduction(name, spatial, {}, compute::Combiner::None, std::move(body));
}

DefinitionMaker::Tensor DefinitionMaker::reduction(const std::string& name, const std::vector<Walk>& spatial,
                                                   const std::vector<Walk>& over, compute::Combiner combiner, Expr body)
{
    compute::Stage stage;
    stage.name = fresh(name);
    stage.buffer = stage.name;
    stage.type = body->type();
    stage.spatial = axesOf(spatial);
    stage.reduction = axesOf(over);
    stage.combiner = over.empty() ? compute::Combiner::None : combiner;
    if (stage.combiner != compute::Combiner::None) {
        stage.init = startOf(stage.combiner, stage.type);
    }
    stage.body = std::move(body);
    m_definition.stages.push_back(stage);
    return {stage.name, stage.type, extentsOf(spatial)};
}

Expr DefinitionMaker::read(const Tensor& tensor, const std::vector<Expr>& indices) const
{
    return load(tensor.name, tensor.type, indices);
}

Expr DefinitionMaker::readNew(const std::vector<Walk>& walks)
{
    std::vector<Walk> used = walks;
    if (chance(25)) { // broadcast from the left, as numpy does
        used.erase(used.begin(), used.begin() + static_cast<std::ptrdiff_t>(m_random.below(used.size() + 1)));
    }
    if (chance(20) && used.size() > 1) {
        std::swap(used[m_random.below(used.size())], used[m_random.below(used.size())]);
    }
    Extents shape;
    std::vector<Expr> indices;
    for (const Walk& walk : used) {
        const Expr at = var(walk.name);
        const std::int64_t last = std::max<std::int64_t>(walk.extent - 1, 0);
        switch (m_random.below(10)) {
        case 0: // one for all
            shape.push_back(1);
            indices.push_back(intImm(0));
            break;
        case 1: // backwards
            shape.push_back(walk.extent);
            indices.push_back(intImm(walk.extent - 1) - at);
            break;
        case 2: { // with steps
            const std::int64_t step = m_random.between(2, 3);
            shape.push_back(last * step + m_random.between(1, 2));
            indices.push_back(at * step);
            break;
        }
        case 3: { // each several times
            const std::int64_t times = m_random.between(2, 3);
            shape.push_back(last / times + 1);
            indices.push_back(floorDiv(at, intImm(times)));
            break;
        }
        default:
            shape.push_back(walk.extent);
            indices.push_back(at);
            break;
        }
    }
    const compute::PortKind kind = chance(40) ? compute::PortKind::Constant : compute::PortKind::Input;
    const Tensor tensor = port(kind == compute::PortKind::Constant ? "C" : "A", m_type, shape, kind);
    return read(tensor, indices);
}

Expr DefinitionMaker::readOld(const Tensor& tensor, const std::vector<Walk>& walks)
{
    std::vector<Expr> indices, guards;
    for (std::size_t d = 0; d < walks.size(); ++d) {
        const std::int64_t held = tensor.shape[d];
        Expr at = var(walks[d].name);
        if (held == 1) {
            indices.push_back(intImm(0));
            continue;
        }
        if (held == walks[d].extent && chance(10)) {
            at = intImm(held - 1) - at;
        }
        const std::int64_t shift = chance(15) ? m_random.between(-2, 2) : 0;
        at = shift == 0 ? at : shift > 0 ? at + shift : at - -shift;
        if (shift < 0) {
            guards.push_back(binary(BinaryOp::Ge, at, intImm(0)));
        }
        if (shift > 0 || held < walks[d].extent) {
            guards.push_back(lessThan(at, intImm(held)));
        }
        indices.push_back(at);
    }
    const Expr element = read(tensor, indices);
    return guards.empty() ? element : select(allOf(guards), element, literal(tensor.type, chance(60) ? 0 : 1));
}

Expr DefinitionMaker::smallLiteral()
{
    return literal(m_type, static_cast<double>(m_random.between(-2, 3)));
}

Expr DefinitionMaker::formula(Expr operand, const std::vector<Walk>& walks, int depth)
{
    if (depth == 0) {
        return operand;
    }
    const Expr a = formula(std::move(operand), walks, depth - 1);
    const Expr b = chance(35) ? smallLiteral() : chance(15) && !walks.empty() ? castTo(m_type, var(walks.front().name)) : readNew(walks);
    constexpr BinaryOp kOps[] = {BinaryOp::Add, BinaryOp::Add, BinaryOp::Sub, BinaryOp::Mul, BinaryOp::Max, BinaryOp::Min};
    switch (m_random.below(9)) {
    case 0: return unary(chance(50) ? UnaryOp::Neg : UnaryOp::Abs, a);
    case 1: return select(chance(50) ? lessThan(a, b) : binary(BinaryOp::Ge, b, literal(m_type, 0)), a, b);
    case 2:
        if (isFloat(m_type)) {
            constexpr UnaryOp kUnary[] = {UnaryOp::Exp, UnaryOp::Tanh, UnaryOp::Sigmoid, UnaryOp::Erf, UnaryOp::Sqrt, UnaryOp::Floor};
            const UnaryOp op = kUnary[m_random.below(std::size(kUnary))];
            // Small enough that nothing overflows, and no root of what is negative.
            const Expr tame = binary(BinaryOp::Min, unary(UnaryOp::Abs, a), literal(m_type, 4));
            return unary(op, tame) + b;
        }
        return binary(BinaryOp::FloorMod, a, literal(m_type, 7));
    case 3:
        if (isFloat(m_type)) {
            return binary(BinaryOp::Div, a, unary(UnaryOp::Abs, b) + literal(m_type, 1));
        }
        return binary(chance(50) ? BinaryOp::Div : BinaryOp::FloorDiv, a, literal(m_type, 3));
    default: return binary(kOps[m_random.below(std::size(kOps))], a, b);
    }
}

void DefinitionMaker::makeOutput(std::size_t stage, const std::string& port)
{
    compute::Stage& made = m_definition.stages[stage];
    compute::Port output;
    output.name = port;
    output.kind = compute::PortKind::Output;
    output.type = made.type;
    for (const compute::Axis& axis : made.spatial) {
        output.shape.push_back(axis.extent);
    }
    const std::string old = made.buffer;
    made.buffer = port;
    for (compute::Stage& reader : m_definition.stages) {
        reader.body = rewriteExpr(reader.body, [&](const Expr& e) {
            const Load* read = e->as<Load>();
            return read != nullptr && read->buffer == old ? load(port, e->type(), read->indices) : e;
        });
    }
    m_definition.ports.push_back(std::move(output));
}

compute::Definition DefinitionMaker::finish(const std::string& kind)
{
    m_definition.kind = kind;
    makeOutput(m_definition.stages.size() - 1, "Y");
    if (m_definition.stages.size() > 1 && chance(15)) {
        makeOutput(m_random.below(m_definition.stages.size() - 1), "Z");
    }
    return m_definition;
}

} // namespace nw::session::fuzz
