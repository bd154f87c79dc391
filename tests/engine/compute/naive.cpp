#include "tests/engine/compute/naive.h"

#include "engine/base/int_math.h"
#include "engine/base/overloaded.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

namespace nw::test {
namespace {

using compute::Combiner;
using compute::Definition;
using compute::Stage;

// Floats (rounded to the element type) in `real`, everything else in `whole`.
struct Value {
    double real = 0;
    std::int64_t whole = 0;
};

struct Store {
    DType type = DType::F32;
    std::vector<std::int64_t> shape;
    std::vector<Value> values;
};

class Program {
public:
    explicit Program(const Definition& definition)
        : m_definition(definition)
    {}

    std::vector<Tensor> run(const std::vector<Tensor>& inputs)
    {
        std::size_t next = 0;
        for (const compute::Port& port : m_definition.ports) {
            if (port.kind != compute::PortKind::Output) {
                const Tensor& tensor = inputs.at(next++);
                Store store{port.type, tensor.shape(), {}};
                for (std::int64_t i = 0; i < tensor.count(); ++i) {
                    store.values.push_back(isFloat(port.type) ? Value{tensor.asDouble(i), 0} : Value{0, tensor.asInt(i)});
                }
                m_stores[port.name] = std::move(store);
            }
        }
        for (const Stage& stage : m_definition.stages) {
            runStage(stage);
        }
        std::vector<Tensor> outputs;
        for (const compute::Port& port : m_definition.ports) {
            if (port.kind == compute::PortKind::Output) {
                outputs.push_back(tensorOf(m_stores.at(port.name)));
            }
        }
        return outputs;
    }

private:
    static Tensor tensorOf(const Store& store)
    {
        Result<Tensor> tensor = Tensor::create(store.type, store.shape);
        ENSURE(tensor.has_value(), "no tensor");
        for (std::size_t i = 0; i < store.values.size(); ++i) {
            switch (store.type) {
            case DType::F32: tensor->mutableData<float>()[i] = static_cast<float>(store.values[i].real); break;
            case DType::F64: tensor->mutableData<double>()[i] = store.values[i].real; break;
            case DType::I64: tensor->mutableData<std::int64_t>()[i] = store.values[i].whole; break;
            case DType::I32: tensor->mutableData<std::int32_t>()[i] = static_cast<std::int32_t>(store.values[i].whole); break;
            default: tensor->mutableData<std::uint8_t>()[i] = store.values[i].whole != 0 ? 1 : 0; break;
            }
        }
        return *std::move(tensor);
    }

    static double rounded(double value, DType type)
    {
        return type == DType::F32 ? static_cast<double>(static_cast<float>(value)) : value;
    }

    // Calls `visit` with the variables of every point of the axes set.
    template <typename Visit>
    void forEach(const std::vector<compute::Axis>& axes, Visit&& visit, std::size_t axis = 0)
    {
        if (axis == axes.size()) {
            visit();
            return;
        }
        for (std::int64_t i = 0; i < *constInt(axes[axis].extent); ++i) {
            m_variables[axes[axis].name] = i;
            forEach(axes, visit, axis + 1);
        }
    }

    void runStage(const Stage& stage)
    {
        Store store{stage.type, *m_definition.staticShape(stage.buffer), {}};
        forEach(stage.spatial, [&] {
            if (stage.combiner == Combiner::None) {
                store.values.push_back(evaluate(stage.body));
                return;
            }
            Value total = evaluate(stage.init);
            forEach(stage.reduction, [&] { total = combine(stage, total, evaluate(stage.body)); });
            store.values.push_back(total);
        });
        m_stores[stage.buffer] = std::move(store);
    }

    static Value combine(const Stage& stage, Value a, Value b)
    {
        const BinaryOp ops[] = {BinaryOp::Add, BinaryOp::Add, BinaryOp::Mul, BinaryOp::Max, BinaryOp::Min};
        return binaryOf(ops[static_cast<int>(stage.combiner)], stage.type, a, b);
    }

    static Value binaryOf(BinaryOp op, DType type, Value a, Value b)
    {
        return isFloat(type) ? realOf(op, type, a.real, b.real) : wholeOf(op, a.whole, b.whole);
    }

    static Value realOf(BinaryOp op, DType type, double a, double b)
    {
        const auto truth = [](bool holds) { return Value{0, holds ? 1 : 0}; };
        const auto real = [&](double value) { return Value{rounded(value, type), 0}; };
        switch (op) {
        case BinaryOp::Add: return real(a + b);
        case BinaryOp::Sub: return real(a - b);
        case BinaryOp::Mul: return real(a * b);
        case BinaryOp::Div: return real(a / b);
        case BinaryOp::Min: return real(std::isnan(a) || std::isnan(b) ? a + b : std::min(a, b));
        case BinaryOp::Max: return real(std::isnan(a) || std::isnan(b) ? a + b : std::max(a, b));
        case BinaryOp::Pow: return real(std::pow(a, b));
        case BinaryOp::TruncMod: return real(std::fmod(a, b));
        case BinaryOp::Lt: return truth(a < b);
        case BinaryOp::Le: return truth(a <= b);
        case BinaryOp::Gt: return truth(a > b);
        case BinaryOp::Ge: return truth(a >= b);
        case BinaryOp::Eq: return truth(a == b);
        case BinaryOp::Ne: return truth(a != b);
        default: throwBug(__FILE__, __LINE__, "not evaluated on floats here");
        }
    }

    static Value wholeOf(BinaryOp op, std::int64_t a, std::int64_t b)
    {
        switch (op) {
        case BinaryOp::Add: return {0, a + b};
        case BinaryOp::Sub: return {0, a - b};
        case BinaryOp::Mul: return {0, a * b};
        case BinaryOp::Div: return {0, a / b};
        case BinaryOp::FloorDiv: return {0, floorDivide(a, b)};
        case BinaryOp::FloorMod: return {0, floorModulo(a, b)};
        case BinaryOp::Min: return {0, std::min(a, b)};
        case BinaryOp::Max: return {0, std::max(a, b)};
        case BinaryOp::Lt: return {0, a < b ? 1 : 0};
        case BinaryOp::Le: return {0, a <= b ? 1 : 0};
        case BinaryOp::Gt: return {0, a > b ? 1 : 0};
        case BinaryOp::Ge: return {0, a >= b ? 1 : 0};
        case BinaryOp::Eq: return {0, a == b ? 1 : 0};
        case BinaryOp::And: return {0, a & b};
        case BinaryOp::Or: return {0, a | b};
        default: throwBug(__FILE__, __LINE__, "not evaluated on integers here");
        }
    }

    static Value unaryOf(UnaryOp op, DType type, Value a)
    {
        const auto real = [&](double value) { return Value{rounded(value, type), 0}; };
        switch (op) {
        case UnaryOp::Neg: return {-a.real, -a.whole};
        case UnaryOp::Not: return {0, a.whole != 0 ? 0 : 1};
        case UnaryOp::Abs: return {std::abs(a.real), std::abs(a.whole)};
        case UnaryOp::Sqrt: return real(std::sqrt(a.real));
        case UnaryOp::Exp: return real(std::exp(a.real));
        case UnaryOp::Log: return real(std::log(a.real));
        case UnaryOp::Tanh: return real(std::tanh(a.real));
        case UnaryOp::Erf: return real(std::erf(a.real));
        case UnaryOp::IsInf: return {0, std::isinf(a.real) ? 1 : 0};
        case UnaryOp::IsNan: return {0, std::isnan(a.real) ? 1 : 0};
        default: throwBug(__FILE__, __LINE__, "not evaluated here");
        }
    }

    Value evaluate(const Expr& e)
    {
        return std::visit(overloaded{
                              [](const IntImm& n) { return Value{0, n.value}; },
                              [](const FloatImm& n) { return Value{n.value, 0}; },
                              [&](const Var& n) { return Value{0, m_variables.at(n.name)}; },
                              [&](const Unary& n) { return unaryOf(n.op, e->type(), evaluate(n.a)); },
                              [&](const Binary& n) { return binaryOf(n.op, n.a->type(), evaluate(n.a), evaluate(n.b)); },
                              [&](const Select& n) { return evaluate(evaluate(n.condition).whole != 0 ? n.yes : n.no); },
                              [&](const CastTo& n) { return cast(e->type(), n.a->type(), evaluate(n.a)); },
                              [&](const Load& n) { return read(n); },
                          },
                          e->kind());
    }

    static Value cast(DType type, DType from, Value a)
    {
        if (isFloat(type)) {
            return {rounded(isFloat(from) ? a.real : static_cast<double>(a.whole), type), 0};
        }
        const std::int64_t whole = isFloat(from) ? static_cast<std::int64_t>(a.real) : a.whole;
        return {0, type == DType::Bool ? (isFloat(from) ? a.real != 0 : a.whole != 0) : whole};
    }

    Value read(const Load& access)
    {
        const Store& store = m_stores.at(access.buffer);
        std::int64_t place = 0;
        for (std::size_t i = 0; i < access.indices.size(); ++i) {
            const std::int64_t index = evaluate(access.indices[i]).whole;
            ENSURE(index >= 0 && index < store.shape[i], "read outside " + access.buffer);
            place = place * store.shape[i] + index;
        }
        return store.values.at(static_cast<std::size_t>(place));
    }

    const Definition& m_definition;
    std::map<std::string, Store> m_stores;
    std::map<std::string, std::int64_t> m_variables;
};

} // namespace

std::vector<Tensor> evaluateNaively(const Definition& definition, const std::vector<Tensor>& inputs)
{
    return Program(definition).run(inputs);
}

} // namespace nw::test
