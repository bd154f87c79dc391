#include "engine/base/text.h"
#include "engine/compute/definition.h"
#include "engine/compute/facts.h"

#include <algorithm>
#include <cctype>
#include <limits>
#include <set>

namespace nw::compute {
namespace {

constexpr auto kMany = std::numeric_limits<std::int64_t>::max();

bool isNeverNegative(const Expr& e, const Facts& facts, const Ranges& ranges)
{
    if (boundsOf(e, ranges).low >= 0) {
        return true;
    }
    return std::any_of(facts.begin(), facts.end(),
                       [&](const Expr& fact) { return boundsOf(e - fact, ranges).low >= 0; });
}

class Verifier {
public:
    explicit Verifier(const Definition& definition)
        : m_definition(definition)
    {}

    std::string fault()
    {
        checkPorts();
        for (const Stage& stage : m_definition.stages) {
            checkStage(stage);
            m_buffers.insert(stage.buffer);
        }
        for (const Port& port : m_definition.ports) {
            if (port.kind == PortKind::Output) {
                require(m_definition.writerOf(port.name) != nullptr, "no stage writes the output " + port.name);
            }
        }
        require(!m_definition.stages.empty(), "there is no stage");
        return m_fault;
    }

private:
    void require(bool holds, const std::string& otherwise)
    {
        if (!holds && m_fault.empty()) {
            m_fault = otherwise;
        }
    }

    void checkName(const std::string& name)
    {
        const auto isPlain = [](char c) {
            return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '.';
        };
        require(!name.empty() && std::isdigit(static_cast<unsigned char>(name[0])) == 0
                    && std::all_of(name.begin(), name.end(), isPlain),
                "\"" + name + "\" is not a name");
    }

    void checkPorts()
    {
        checkName(m_definition.kind);
        for (const Port& port : m_definition.ports) {
            checkName(port.name);
            require(m_names.insert(port.name).second, "the name " + port.name + " is taken twice");
            require(isRunnable(port.type),
                    format("port {} has element type {}, which has no arithmetic here", port.name, toText(port.type)));
            for (const Expr& extent : port.shape) {
                checkExtent(extent, "port " + port.name);
            }
            require(!port.range || port.range->first <= port.range->second, "the range of " + port.name + " is empty");
            if (port.kind != PortKind::Output) {
                m_buffers.insert(port.name);
            }
        }
    }

    void checkExtent(const Expr& extent, const std::string& owner)
    {
        if (extent == nullptr || extent->type() != DType::I64) {
            require(false, owner + " has an extent that is no index expression");
            return;
        }
        const std::optional<std::int64_t> value = constInt(extent);
        require(!value || *value >= 0, owner + " has a negative extent");
        m_isStatic = m_isStatic && value.has_value();
        for (const std::string& symbol : freeVars(extent)) {
            m_symbols.insert(symbol);
        }
    }

    void checkStage(const Stage& stage)
    {
        checkName(stage.name);
        require(m_names.insert(stage.name).second, "the name " + stage.name + " is taken twice");
        require(m_definition.writerOf(stage.buffer) == &stage, "the buffer " + stage.buffer + " is written twice");
        checkAxes(stage);
        checkTarget(stage);
        require(isRunnable(stage.type), "stage " + stage.name + " has a type without arithmetic");
        require(stage.body != nullptr, "stage " + stage.name + " has no body");
        const bool combines = stage.combiner != Combiner::None;
        require(combines == (stage.init != nullptr) && combines == !stage.reduction.empty(),
                "stage " + stage.name + " needs combiner, reduction axes and initial value, or none of them");
        require(!combines || stage.type != DType::Bool, "stage " + stage.name + " combines bool values");
        if (!m_fault.empty()) {
            return;
        }
        require(stage.body->type() == stage.type, "the body of stage " + stage.name + " is "
                                                      + std::string(toText(stage.body->type())) + ", the stage "
                                                      + std::string(toText(stage.type)));
        require(!combines || stage.init->type() == stage.type,
                "the initial value of stage " + stage.name + " has another type");
        checkExpr(stage.body, Facts(m_axisFacts), stage);
        if (combines) {
            require(freeVars(stage.init).empty(), "the initial value of stage " + stage.name + " is no constant");
        }
    }

    void checkAxes(const Stage& stage)
    {
        m_ranges.clear();
        m_axisFacts.clear();
        m_isEmpty = false;
        std::set<std::string> axes;
        for (const std::vector<Axis>* const list : {&stage.spatial, &stage.reduction}) {
            for (const Axis& axis : *list) {
                checkName(axis.name);
                require(axes.insert(axis.name).second, "axis " + axis.name + " stands twice in stage " + stage.name);
                checkExtent(axis.extent, "axis " + axis.name + " of stage " + stage.name);
                const std::int64_t extent = axis.extent ? constInt(axis.extent).value_or(kMany) : 0;
                m_ranges[axis.name] = Interval{0, extent == kMany ? Interval::kPlusInf : extent - 1};
                m_isEmpty = m_isEmpty || extent == 0;
                if (extent == kMany && axis.extent) {
                    m_axisFacts.push_back(axis.extent - var(axis.name) - 1);
                }
            }
        }
        for (const std::string& symbol : m_symbols) {
            require(axes.count(symbol) == 0, "axis " + symbol + " has the name of a symbol");
            m_ranges[symbol] = Interval{0, Interval::kPlusInf};
        }
    }

    void checkTarget(const Stage& stage)
    {
        const Port* const port = m_definition.port(stage.buffer);
        if (port == nullptr) {
            require(stage.buffer == stage.name, "stage " + stage.name + " writes " + stage.buffer
                                                    + ", which is neither an output nor its own name");
            return;
        }
        require(port->kind == PortKind::Output, "stage " + stage.name + " writes the input " + port->name);
        require(port->type == stage.type, "stage " + stage.name + " and output " + port->name + " differ in type");
        bool same = port->shape.size() == stage.spatial.size();
        for (std::size_t i = 0; same && i < port->shape.size(); ++i) {
            same = isConst(simplify(port->shape[i] - stage.spatial[i].extent, m_ranges), 0);
        }
        require(same, "stage " + stage.name + " and output " + port->name + " differ in shape");
    }

    void checkExpr(const Expr& e, const Facts& facts, const Stage& stage)
    {
        walk(e, [&](const Expr& node) {
            if (const auto* const choice = node->as<Select>()) {
                checkExpr(choice->condition, facts, stage);
                Facts inYes = facts;
                addFacts(choice->condition, true, inYes);
                checkExpr(choice->yes, inYes, stage);
                Facts inNo = facts;
                addFacts(choice->condition, false, inNo);
                checkExpr(choice->no, inNo, stage);
                return false;
            }
            if (const auto* const name = node->as<Var>()) {
                require(m_ranges.count(name->name) != 0, "stage " + stage.name + " uses unknown " + name->name);
            } else if (const auto* const access = node->as<Load>()) {
                checkLoad(*access, node->type(), facts, stage);
            }
            return true;
        });
    }

    void checkLoad(const Load& access, DType type, const Facts& facts, const Stage& stage)
    {
        require(m_buffers.count(access.buffer) != 0,
                "stage " + stage.name + " reads " + access.buffer + ", which is no input and no earlier stage");
        if (!m_fault.empty()) {
            return;
        }
        std::vector<Expr> shape;
        DType held = DType::Other;
        if (const Port* const port = m_definition.port(access.buffer)) {
            shape = port->shape;
            held = port->type;
        } else {
            const Stage* const writer = m_definition.writerOf(access.buffer);
            held = writer->type;
            for (const Axis& axis : writer->spatial) {
                shape.push_back(axis.extent);
            }
        }
        require(type == held, "stage " + stage.name + " reads " + access.buffer + " as another type");
        require(shape.size() == access.indices.size(),
                "stage " + stage.name + " reads " + access.buffer + " with the wrong number of indices");
        for (std::size_t i = 0; i < shape.size() && m_fault.empty() && m_isStatic && !m_isEmpty; ++i) {
            const Expr& index = access.indices[i];
            require(isNeverNegative(index, facts, m_ranges) && isNeverNegative(shape[i] - index - 1, facts, m_ranges),
                    format("stage {} may read {} outside: index {} of {} is {}", stage.name, access.buffer, i,
                           toText(shape[i]), toText(index)));
        }
    }

    const Definition& m_definition;
    std::set<std::string> m_names;   // ports and stages
    std::set<std::string> m_buffers; // what may be read so far
    std::set<std::string> m_symbols;
    Ranges m_ranges;
    Facts m_axisFacts;
    bool m_isEmpty = false;  // a stage without points reads nothing
    bool m_isStatic = true;  // with symbols an access that cannot be proved is let through
    std::string m_fault;
};

} // namespace

std::string verify(const Definition& definition)
{
    return Verifier(definition).fault();
}

} // namespace nw::compute
