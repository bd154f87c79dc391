#include "engine/compute/interpret.h"

#include "engine/base/text.h"
#include "engine/base/thread_pool.h"
#include "engine/compute/oracle/exactness.h"
#include "engine/compute/oracle/stage_runner.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <map>
#include <memory>

namespace nw::compute {
namespace {

using oracle::Buffer;
using oracle::isReal;
using oracle::kLanes;

std::string shapeText(const std::vector<std::int64_t>& shape)
{
    std::vector<std::string> parts;
    for (const std::int64_t extent : shape) {
        parts.push_back(std::to_string(extent));
    }
    return "[" + join(parts, ", ") + "]";
}

Buffer emptyBuffer(const std::string& name, DType type, const std::vector<std::int64_t>& shape)
{
    Buffer buffer{name, type, shape, oracle::pointsOf(shape), {}, {}, {}};
    if (isReal(type)) {
        buffer.reals.resize(static_cast<std::size_t>(buffer.count));
    } else {
        buffer.wholes.resize(static_cast<std::size_t>(buffer.count));
    }
    return buffer;
}

Result<Buffer> bufferOf(const Port& port, const std::vector<std::int64_t>& shape, const Tensor& tensor)
{
    if (tensor.type() != port.type || tensor.shape() != shape) {
        return failed(format("the tensor for {} is {} {}, the definition wants {} {}", port.name, toText(tensor.type()),
                             shapeText(tensor.shape()), toText(port.type), shapeText(shape)));
    }
    Buffer buffer = emptyBuffer(port.name, port.type, shape);
    for (std::int64_t i = 0; i < buffer.count; ++i) {
        if (isReal(port.type)) {
            buffer.reals[static_cast<std::size_t>(i)] = tensor.asDouble(i);
        } else {
            buffer.wholes[static_cast<std::size_t>(i)] = tensor.asInt(i);
        }
    }
    return buffer;
}

// Largest magnitude, when every value is a whole number.
std::optional<double> wholeSize(const Buffer& buffer)
{
    double size = 0;
    for (const double value : buffer.reals) {
        if (!(std::abs(value) < 0x1p53) || value != std::trunc(value)) {
            return std::nullopt;
        }
        size = std::max(size, std::abs(value));
    }
    for (const std::int64_t value : buffer.wholes) {
        size = std::max(size, std::abs(static_cast<double>(value)));
    }
    return size;
}

class Interpreter {
public:
    Interpreter(const Definition& definition, int threads, const StopToken& stop)
        : m_definition(definition)
        , m_threads(std::max(threads, 1))
        , m_stop(stop)
    {}

    Result<std::vector<OracleOutput>> run(const std::vector<Tensor>& inputs)
    {
        if (const std::string fault = verify(m_definition); !fault.empty()) {
            return failed("the definition is not sound: " + fault);
        }
        if (Status status = takeInputs(inputs); !status) {
            return status.error();
        }
        m_tracks = !isExactHere();
        for (const Stage& stage : m_definition.stages) {
            if (Status status = runStage(stage); !status) {
                return status.error();
            }
        }
        return outputs();
    }

private:
    Status takeInputs(const std::vector<Tensor>& inputs)
    {
        std::size_t next = 0;
        for (const Port& port : m_definition.ports) {
            const auto shape = m_definition.staticShape(port.name);
            if (!shape) {
                return failed("the extents of " + port.name + " are not all known: bind its symbols first");
            }
            if (port.kind == PortKind::Output) {
                continue;
            }
            if (next >= inputs.size()) {
                return failed("there is no tensor for " + port.name);
            }
            Result<Buffer> buffer = bufferOf(port, *shape, inputs[next++]);
            if (!buffer) {
                return buffer.error();
            }
            m_buffers.emplace(port.name, *std::move(buffer));
        }
        return next == inputs.size() ? Status(Done{}) : Status(failed("there are more tensors than ports"));
    }

    // Whether rounding cannot occur on these inputs, so that no bounds need be kept.
    bool isExactHere() const
    {
        std::map<std::string, double> largest;
        for (const auto& [name, buffer] : m_buffers) {
            const std::optional<double> size = wholeSize(buffer);
            if (!size) {
                return false;
            }
            largest[name] = *size;
        }
        return oracle::staysExact(m_definition, largest);
    }

    Status runStage(const Stage& stage)
    {
        std::vector<std::int64_t> shape = oracle::extentsOf(stage.spatial);
        Buffer target = emptyBuffer(stage.buffer, stage.type, shape);
        if (m_tracks) {
            target.bounds.resize(static_cast<std::size_t>(target.count));
        }
        const oracle::Program program = oracle::compileBody(stage, [this](const std::string& name) -> const Buffer* {
            const auto found = m_buffers.find(name);
            return found == m_buffers.end() ? nullptr : &found->second;
        });
        const std::int64_t blocks = (target.count + kLanes - 1) / kLanes;
        const std::int64_t parts = std::min<std::int64_t>(blocks, m_threads == 1 ? 1 : m_threads * std::int64_t{8});
        const auto runPart = [&](std::int64_t part) {
            oracle::StageRunner runner(stage, program, target, m_tracks);
            for (std::int64_t block = part; block < blocks && !m_stop.stopRequested(); block += parts) {
                const std::int64_t first = block * kLanes;
                runner.run(first, static_cast<int>(std::min<std::int64_t>(kLanes, target.count - first)), m_stop);
            }
        };
        if (parts <= 1) {
            for (std::int64_t part = 0; part < parts; ++part) {
                runPart(part);
            }
        } else {
            pool().parallelFor(parts, runPart);
        }
        if (m_stop.stopRequested()) {
            return stopped("computing the expected result was stopped");
        }
        if (std::all_of(target.bounds.begin(), target.bounds.end(), [](double bound) { return bound == 0; })) {
            target.bounds.clear();
        }
        m_buffers.emplace(stage.buffer, std::move(target));
        return Done{};
    }

    ThreadPool& pool()
    {
        if (m_pool == nullptr) {
            m_pool = std::make_unique<ThreadPool>(m_threads - 1);
        }
        return *m_pool;
    }

    std::vector<OracleOutput> outputs() const
    {
        std::vector<OracleOutput> results;
        for (const Port& port : m_definition.ports) {
            if (port.kind != PortKind::Output) {
                continue;
            }
            const Buffer& buffer = m_buffers.at(port.name);
            OracleOutput output{port.name, buffer.shape, buffer.type, buffer.reals, buffer.bounds, {}};
            if (!isReal(buffer.type)) {
                output.values.assign(buffer.wholes.begin(), buffer.wholes.end());
            }
            if (buffer.type == DType::I64) {
                output.exact = buffer.wholes;
            }
            output.bounds.resize(static_cast<std::size_t>(buffer.count), 0.0);
            results.push_back(std::move(output));
        }
        return results;
    }

    const Definition& m_definition;
    int m_threads;
    const StopToken& m_stop;
    bool m_tracks = true;
    std::map<std::string, Buffer> m_buffers; // nodes of programs point into it: a map keeps them in place
    std::unique_ptr<ThreadPool> m_pool;
};

} // namespace

Result<std::vector<OracleOutput>> interpret(const Definition& definition, const std::vector<Tensor>& inputs, int threads,
                                            const StopToken& stop)
{
    return Interpreter(definition, threads, stop).run(inputs);
}

bool isWithin(const OracleOutput& expected, std::size_t index, double got)
{
    const double value = expected.values[index];
    const double bound = expected.bounds[index];
    if (std::isinf(bound)) {
        return true;
    }
    if (!std::isfinite(value) || !std::isfinite(got)) {
        return std::isnan(value) ? std::isnan(got) : got == value;
    }
    return std::abs(got - value) <= bound;
}

std::optional<std::size_t> firstOutside(const OracleOutput& expected, const Tensor& got)
{
    for (std::size_t i = 0; i < expected.values.size(); ++i) {
        const auto place = static_cast<std::int64_t>(i);
        const bool isWhole = !expected.exact.empty() && expected.bounds[i] == 0;
        if (isWhole ? got.asInt(place) != expected.exact[i] : !isWithin(expected, i, got.asDouble(place))) {
            return i;
        }
    }
    return std::nullopt;
}

} // namespace nw::compute
