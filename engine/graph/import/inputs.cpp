#include "engine/graph/import/inputs.h"

#include "engine/base/text.h"

#include <algorithm>
#include <set>

namespace nw::graph {
namespace {

using model::Model;
using model::ValueInfo;
using Bindings = std::map<std::string, std::int64_t>;

bool isConstantInitializer(const Model& model, const ValueInfo& input)
{
    return model.irVersion < 4 && model.initializers.contains(input.name);
}

Status checkBindings(const Model& model, const ImportOptions& options)
{
    for (const ValueInfo& input : model.inputs) {
        for (std::size_t axis = 0; axis < input.shape.size(); ++axis) {
            const std::string& symbol = input.shape[axis].symbol;
            const auto bound = options.bind.find(symbol);
            if (!symbol.empty() && bound != options.bind.end() && bound->second < 0) {
                return failed(format("{} = {}: axis {} of input '{}' needs an extent of 0 or more", symbol, bound->second,
                    axis, input.name));
            }
        }
    }
    return Done{};
}

// Names for extents that have none, "x_0" for axis 0 of x, so that they can be bound too.
std::string symbolOf(const ValueInfo& input, std::size_t axis, const std::set<std::string>& taken)
{
    if (!input.shape[axis].symbol.empty()) {
        return input.shape[axis].symbol;
    }
    std::string name = format("{}_{}", input.name, axis);
    while (taken.contains(name)) {
        name += "_";
    }
    return name;
}

std::set<std::string> writtenSymbols(const Model& model)
{
    std::set<std::string> out;
    for (const ValueInfo& input : model.inputs) {
        for (const model::Dimension& dimension : input.shape) {
            out.insert(dimension.symbol);
        }
    }
    return out;
}

// What the tensors given for inputs say about symbols joins what was bound by name.
Status bindFromTensor(const ValueInfo& input, const Tensor& tensor, const std::set<std::string>& taken, Bindings& bind)
{
    const auto mismatch = [&](const std::string& why) {
        return failed(format("the values given for input '{}': {}", input.name, why));
    };
    if (tensor.type() != input.type) {
        return mismatch(format("they are {}, but it is {}", toText(tensor.type()), toText(input.type)));
    }
    if (!input.hasShape) {
        return Done{};
    }
    if (tensor.shape().size() != input.shape.size()) {
        return mismatch(format("they have rank {}, but it has {}", tensor.shape().size(), input.shape.size()));
    }
    for (std::size_t axis = 0; axis < input.shape.size(); ++axis) {
        const std::int64_t extent = tensor.shape()[axis];
        const std::optional<std::int64_t> fixed = input.shape[axis].value;
        const std::int64_t wanted = fixed ? *fixed : bind.emplace(symbolOf(input, axis, taken), extent).first->second;
        if (wanted != extent) {
            return mismatch(format("axis {} has the extent {}, but it is {}", axis, extent, wanted));
        }
    }
    return Done{};
}

Status checkInput(const ValueInfo& input, bool isGiven)
{
    if (input.type == DType::Other || input.type == DType::String) {
        return failed(format("input '{}' is {}; tensors of numbers can be imported", input.name, input.typeText));
    }
    if (!input.hasShape && !isGiven) {
        return failed(format("input '{}' has no shape, so even its rank is unknown; give it a shape in the model, with "
                             "names for the extents that are open", input.name));
    }
    return Done{};
}

Result<TensorType> typeOf(const ValueInfo& input, const std::set<std::string>& taken, const Bindings& bind)
{
    TensorType type{input.type, {}};
    for (std::size_t axis = 0; axis < input.shape.size(); ++axis) {
        const model::Dimension& dimension = input.shape[axis];
        if (dimension.value) {
            if (*dimension.value < 0) {
                return failed(format("input '{}': axis {} has the extent {}", input.name, axis, *dimension.value));
            }
            type.shape.push_back(intImm(*dimension.value));
            continue;
        }
        const std::string symbol = symbolOf(input, axis, taken);
        const auto bound = bind.find(symbol);
        type.shape.push_back(bound != bind.end() ? intImm(bound->second) : var(symbol));
    }
    const auto literal = literalsOf(type.shape);
    if (literal && !elementCount(*literal)) {
        return failed(format("input '{}' of shape {} has more elements than can be counted", input.name,
            shapeText(type.shape)));
    }
    return type;
}

Status checkUsed(const Model& model, const std::set<std::string>& taken, const ImportOptions& options)
{
    std::set<std::string> symbols;
    std::set<std::string> inputs;
    for (const ValueInfo& input : model.inputs) {
        inputs.insert(input.name);
        for (std::size_t axis = 0; axis < input.shape.size(); ++axis) {
            if (!input.shape[axis].value) {
                symbols.insert(symbolOf(input, axis, taken));
            }
        }
    }
    for (const auto& [symbol, extent] : options.bind) {
        if (!symbols.contains(symbol)) {
            const std::vector<std::string> known(symbols.begin(), symbols.end());
            return failed(known.empty() ? format("'{}' cannot be bound: the model has no symbolic extents", symbol)
                                        : format("'{}' cannot be bound: the model's symbolic extents are {}", symbol,
                                              join(known, ", ")));
        }
    }
    for (const auto& [name, tensor] : options.boundInputs) {
        if (!inputs.contains(name)) {
            return failed(format("values are given for '{}', but the model's inputs are {}", name,
                join({inputs.begin(), inputs.end()}, ", ")));
        }
    }
    return Done{};
}

} // namespace

Result<std::vector<std::string>> addInputs(Importer& importer, const Model& model, const ImportOptions& options)
{
    const std::set<std::string> taken = writtenSymbols(model);
    Bindings bind = options.bind;
    for (const Status& status : {checkBindings(model, options), checkUsed(model, taken, options)}) {
        if (!status) {
            return status.error();
        }
    }
    for (const ValueInfo& input : model.inputs) {
        const auto given = options.boundInputs.find(input.name);
        if (const Status fine = checkInput(input, given != options.boundInputs.end()); !fine) {
            return fine.error();
        }
        if (given != options.boundInputs.end()) {
            if (const Status fits = bindFromTensor(input, given->second, taken, bind); !fits) {
                return fits.error();
            }
        }
    }
    std::vector<std::string> specialised;
    std::set<std::string> optionals;
    for (const ValueInfo& input : model.inputs) {
        if (isConstantInitializer(model, input)) {
            continue;
        }
        optionals.insert(input.name);
        if (const auto given = options.boundInputs.find(input.name); given != options.boundInputs.end()) {
            importer.names[input.name] = importer.addConstant(input.name, given->second);
            specialised.push_back(input.name);
            continue;
        }
        Result<TensorType> type = typeOf(input, taken, bind);
        if (!type) {
            return type.error();
        }
        const ValueId id = importer.addValue(input.name, *std::move(type));
        importer.names[input.name] = id;
        importer.graph.inputs.push_back(id);
        if (const auto found = model.initializers.find(input.name); found != model.initializers.end()) {
            const auto shape = literalsOf(importer.type(id).shape);
            if (found->second.type() != input.type || (shape && *shape != found->second.shape())) {
                return failed(format("input '{}' and its default differ in type or shape", input.name));
            }
            importer.graph.defaults.emplace(id, found->second);
            importer.notes.push_back(format("input '{}' is optional: the model has a default for it", input.name));
        }
    }
    for (const auto& [name, tensor] : model.initializers) {
        if (!optionals.contains(name)) {
            importer.names[name] = importer.addConstant(name, tensor);
        }
    }
    return specialised;
}

} // namespace nw::graph
