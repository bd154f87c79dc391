#pragma once

#include "engine/graph/graph.h"
#include "engine/model/model.h"

#include <map>
#include <memory>
#include <string>

namespace nw::graph {

struct ImportOptions {
    std::map<std::string, std::int64_t> bind; // symbol -> extent; 0 is allowed, negative is refused with words
    // Values of inputs whose *contents* decide shapes (a Reshape's target given at run time): the graph is then
    // specialised to them and the input is dropped from Graph::inputs... it stays listed in `specialised`.
    std::map<std::string, Tensor> boundInputs;
};

struct Imported {
    std::shared_ptr<const Graph> graph; // constants folded, canonical operators, dead nodes removed
    std::vector<std::string> specialised; // names of bound inputs that were consumed
    std::vector<std::string> notes;       // what the user should know: an ignored output, a default input
};

// Model to Graph: sorts, checks names, picks each node's semantics by the opset of its domain (7 to 25, and older where
// the operator meant the same), infers shapes with symbols, folds constants once. A node that cannot be imported gives Failed with node, operator, opset and
// reason; an input that must be known for shapes gives an Error whose message names it and --bind-input.
Result<Imported> importModel(const model::Model& model, const ImportOptions& options);

// Name of the input whose value is needed, when the error came from that; empty otherwise. (So that `verify` and
// `run`, which have the values, can bind them and import again.)
std::string inputThatMustBeBound(const Error& error);

} // namespace nw::graph
