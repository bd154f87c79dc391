#include "tests/engine/compute/run_graph.h"

#include "engine/base/text.h"
#include "engine/compute/interpret.h"
#include "engine/plan/plan.h"
#include "tests/engine/compute/group_maker.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace nw::test {
namespace {

Tensor tensorOf(const compute::OracleOutput& output)
{
    Result<Tensor> tensor = Tensor::create(output.type, output.shape);
    ENSURE(tensor.has_value(), "no tensor");
    for (std::size_t i = 0; i < output.values.size(); ++i) {
        const double value = output.values[i];
        switch (output.type) {
        case DType::F32: tensor->mutableData<float>()[i] = static_cast<float>(value); break;
        case DType::F64: tensor->mutableData<double>()[i] = value; break;
        case DType::I64: tensor->mutableData<std::int64_t>()[i] = output.exact[i]; break;
        case DType::I32: tensor->mutableData<std::int32_t>()[i] = static_cast<std::int32_t>(value); break;
        default: tensor->mutableData<std::uint8_t>()[i] = value != 0 ? 1 : 0; break;
        }
    }
    return *std::move(tensor);
}

class Runner {
public:
    Runner(const graph::Graph& graph, std::map<graph::ValueId, Tensor> known, int threads)
        : m_graph(graph)
        , m_known(std::move(known))
        , m_threads(threads)
    {}

    Result<std::vector<Tensor>> run()
    {
        const auto groups = plan::fuseGroups(m_graph);
        if (!groups) {
            return groups.error();
        }
        for (const plan::Group& group : *groups) {
            if (Status status = runGroup(group); !status) {
                return status.error();
            }
        }
        std::vector<Tensor> outputs;
        for (const graph::ValueId output : m_graph.outputs) {
            Result<Tensor> value = valueOf(output);
            if (!value) {
                return value.error();
            }
            outputs.push_back(*std::move(value));
        }
        return outputs;
    }

private:
    // Known, constant, or a view of one that is.
    Result<Tensor> valueOf(graph::ValueId id)
    {
        const auto known = m_known.find(id);
        if (known != m_known.end()) {
            return known->second;
        }
        const graph::Value& value = m_graph.values[static_cast<std::size_t>(id)];
        if (value.constant) {
            return *value.constant;
        }
        const auto given = m_graph.defaults.find(id);
        if (given != m_graph.defaults.end()) {
            return given->second;
        }
        const auto shape = m_graph.staticShape(id);
        if (value.producer < 0 || !shape) {
            return failed("nobody computes " + value.name);
        }
        const graph::Node& producer = m_graph.nodes[static_cast<std::size_t>(value.producer)];
        const Result<Tensor> viewed = valueOf(producer.inputs.at(0));
        return viewed ? Result<Tensor>(viewed->reshaped(*shape)) : viewed;
    }

    Status runGroup(const plan::Group& group)
    {
        const Result<compute::Definition> definition = compute::defineGroup(m_graph, group);
        if (!definition) {
            return definition.error();
        }
        std::vector<Tensor> inputs;
        for (const plan::GroupPort& port : group.ports) {
            if (port.kind != plan::PortKind::Output) {
                Result<Tensor> value = valueOf(port.value);
                if (!value) {
                    return value.error();
                }
                inputs.push_back(asPort(*definition, inputs.size(), *value));
            }
        }
        const auto results = compute::interpret(*definition, inputs, m_threads);
        if (!results) {
            return failed(group.name + ": " + results.error().message);
        }
        for (const plan::GroupPort& port : group.ports) {
            for (const compute::OracleOutput& output : *results) {
                if (port.kind == plan::PortKind::Output && output.port == port.name) {
                    m_known[port.value] = tensorOf(output).reshaped(*m_graph.staticShape(port.value));
                }
            }
        }
        return Done{};
    }

    const graph::Graph& m_graph;
    std::map<graph::ValueId, Tensor> m_known;
    int m_threads;
};

} // namespace

Result<std::vector<Tensor>> runGraph(const graph::Graph& graph, std::map<graph::ValueId, Tensor> known, int threads)
{
    return Runner(graph, std::move(known), threads).run();
}

double relativeDifference(const Tensor& got, const Tensor& expected)
{
    constexpr double infinity = std::numeric_limits<double>::infinity();
    if (got.type() != expected.type() || got.shape() != expected.shape()) {
        return infinity;
    }
    double largest = 1e-6;
    double difference = 0;
    for (std::int64_t i = 0; i < got.count(); ++i) {
        const double a = got.asDouble(i);
        const double b = expected.asDouble(i);
        if (!std::isfinite(a) || !std::isfinite(b)) {
            difference = a == b || (std::isnan(a) && std::isnan(b)) ? difference : infinity;
            continue;
        }
        largest = std::max(largest, std::abs(b));
        difference = std::max(difference, std::abs(a - b));
    }
    return isFloat(got.type()) ? difference / largest : difference == 0 ? 0 : infinity;
}

} // namespace nw::test
