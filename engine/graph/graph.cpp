#include "engine/graph/graph.h"

#include "engine/base/ensure.h"

#include <algorithm>

namespace nw::graph {
namespace {

template <typename T>
T attributeOr(const Attributes& attributes, const std::string& name, const T& otherwise)
{
    const auto found = attributes.values.find(name);
    if (found == attributes.values.end()) {
        return otherwise;
    }
    const T* value = std::get_if<T>(&found->second);
    ENSURE(value != nullptr, "attribute " + name + " has another kind");
    return *value;
}

} // namespace

std::int64_t Attributes::integer(const std::string& name, std::int64_t otherwise) const
{
    return attributeOr(*this, name, otherwise);
}

double Attributes::real(const std::string& name, double otherwise) const
{
    return attributeOr(*this, name, otherwise);
}

std::string Attributes::text(const std::string& name, const std::string& otherwise) const
{
    return attributeOr(*this, name, otherwise);
}

std::vector<std::int64_t> Attributes::integers(const std::string& name, const std::vector<std::int64_t>& otherwise) const
{
    return attributeOr(*this, name, otherwise);
}

std::vector<std::vector<NodeId>> Graph::uses() const
{
    std::vector<std::vector<NodeId>> out(values.size());
    for (std::size_t n = 0; n < nodes.size(); ++n) {
        for (const ValueId input : nodes[n].inputs) {
            if (input == kNoValue) {
                continue;
            }
            std::vector<NodeId>& users = out[static_cast<std::size_t>(input)];
            if (users.empty() || users.back() != static_cast<NodeId>(n)) {
                users.push_back(static_cast<NodeId>(n));
            }
        }
    }
    return out;
}

bool Graph::isOutput(ValueId value) const
{
    return std::find(outputs.begin(), outputs.end(), value) != outputs.end();
}

std::optional<std::vector<std::int64_t>> Graph::staticShape(ValueId value) const
{
    std::vector<std::int64_t> out;
    for (const Expr& extent : values.at(static_cast<std::size_t>(value)).type.shape) {
        const auto known = constInt(extent);
        if (!known) {
            return std::nullopt;
        }
        out.push_back(*known);
    }
    return out;
}

} // namespace nw::graph
