#include "engine/session/fuzz/smaller.h"

#include <algorithm>
#include <functional>
#include <optional>
#include <set>

namespace nw::session::fuzz {

namespace {

using compute::Axis;
using compute::Definition;
using compute::Port;
using compute::PortKind;
using compute::Stage;

bool reads(const Stage& stage, const std::string& buffer)
{
    bool found = false;
    walk(stage.body, [&](const Expr& e) {
        const Load* read = e->as<Load>();
        found = found || (read != nullptr && read->buffer == buffer);
        return !found;
    });
    return found;
}

bool isRead(const Definition& definition, const std::string& buffer)
{
    return std::any_of(definition.stages.begin(), definition.stages.end(), [&](const Stage& stage) { return reads(stage, buffer); });
}

std::vector<Expr> shapeOf(const Stage& stage)
{
    std::vector<Expr> shape;
    for (const Axis& axis : stage.spatial) {
        shape.push_back(axis.extent);
    }
    return shape;
}

// The last stage whose result is no output yet becomes one.
void makeOutput(Definition& definition, const std::string& name)
{
    for (std::size_t i = definition.stages.size(); i-- > 0;) {
        Stage& stage = definition.stages[i];
        if (definition.port(stage.buffer) != nullptr) {
            continue;
        }
        Port port;
        port.name = name;
        port.kind = PortKind::Output;
        port.type = stage.type;
        port.shape = shapeOf(stage);
        const std::string old = std::exchange(stage.buffer, name);
        for (Stage& reader : definition.stages) {
            reader.body = rewriteExpr(reader.body, [&](const Expr& e) {
                const Load* read = e->as<Load>();
                return read != nullptr && read->buffer == old ? load(name, e->type(), read->indices) : e;
            });
        }
        definition.ports.push_back(std::move(port));
        return;
    }
}

// Without one stage: what is read of it comes from outside.
Definition without(const Definition& whole, std::size_t stage)
{
    Definition made = whole;
    const Stage gone = made.stages[stage];
    made.stages.erase(made.stages.begin() + static_cast<std::ptrdiff_t>(stage));
    const auto port = std::find_if(made.ports.begin(), made.ports.end(), [&](const Port& p) { return p.name == gone.buffer; });
    if (isRead(made, gone.buffer)) {
        if (port != made.ports.end()) {
            port->kind = PortKind::Input;
        } else {
            made.ports.push_back({gone.buffer, PortKind::Input, gone.type, shapeOf(gone), std::nullopt});
        }
    } else if (port != made.ports.end()) {
        made.ports.erase(port);
    }
    const bool hasOutput = std::any_of(made.ports.begin(), made.ports.end(), [](const Port& p) { return p.kind == PortKind::Output; });
    if (!hasOutput) {
        makeOutput(made, made.port("Y") == nullptr ? "Y" : "Y.2");
    }
    return made;
}

// Sound, without ports that nobody reads, each port with the layout that it had.
std::optional<Case> caseOf(const Case& from, Definition definition)
{
    std::erase_if(definition.ports, [&](const Port& port) { return port.kind != PortKind::Output && !isRead(definition, port.name); });
    if (!compute::verify(definition).empty()) {
        return std::nullopt;
    }
    Case made = from;
    made.layouts.clear();
    for (const Port& port : definition.ports) {
        const auto old = std::find_if(from.definition->ports.begin(), from.definition->ports.end(), [&](const Port& p) { return p.name == port.name; });
        const bool isSame = old != from.definition->ports.end() && old->shape.size() == port.shape.size();
        made.layouts.push_back(isSame ? from.layouts[static_cast<std::size_t>(old - from.definition->ports.begin())] : Layout{});
    }
    made.definition = std::make_shared<const Definition>(std::move(definition));
    return made;
}

void add(std::vector<Case>& cases, const Case& from, Definition definition)
{
    if (std::optional<Case> made = caseOf(from, std::move(definition))) {
        cases.push_back(*std::move(made));
    }
}

// The loops of the first stage go by their axes alone.
Case asFirst(const Case& one, const Stage& stage)
{
    Case made = one;
    for (const std::vector<Axis>* axes : {&stage.spatial, &stage.reduction}) {
        for (const Axis& axis : *axes) {
            const std::string full = stage.name + "." + axis.name;
            for (std::size_t at = 0; (at = made.script.find(" " + full, at)) != std::string::npos; ++at) {
                const std::size_t end = at + 1 + full.size();
                if (end == made.script.size() || made.script[end] == ' ' || made.script[end] == '\n') {
                    made.script.replace(at + 1, full.size(), axis.name);
                }
            }
        }
    }
    return made;
}

std::vector<std::int64_t> below(std::int64_t extent)
{
    std::vector<std::int64_t> smaller;
    for (const std::int64_t tried : {std::int64_t{1}, std::int64_t{2}, extent / 2, extent - 1}) {
        if (tried >= 1 && tried < extent && std::find(smaller.begin(), smaller.end(), tried) == smaller.end()) {
            smaller.push_back(tried);
        }
    }
    return smaller;
}

void eachExtent(Definition& definition, const std::function<void(Expr&)>& change)
{
    for (Port& port : definition.ports) {
        std::for_each(port.shape.begin(), port.shape.end(), change);
    }
    for (Stage& stage : definition.stages) {
        for (std::vector<Axis>* axes : {&stage.spatial, &stage.reduction}) {
            for (Axis& axis : *axes) {
                change(axis.extent);
            }
        }
    }
}

// Everything that is `from` long, and what the bodies say of its end.
Definition replaced(const Definition& whole, std::int64_t from, std::int64_t to)
{
    Definition made = whole;
    eachExtent(made, [&](Expr& extent) { extent = isConst(extent, from) ? intImm(to) : extent; });
    for (Stage& stage : made.stages) {
        stage.body = rewriteExpr(stage.body, [&](const Expr& e) {
            const bool isIndex = e->as<IntImm>() != nullptr && e->type() == DType::I64;
            return !isIndex ? e : isConst(e, from) ? intImm(to) : isConst(e, from - 1) && from > 2 ? intImm(to - 1) : e;
        });
    }
    return made;
}

// One axis, and the output that the stage writes.
void shortenAxes(std::vector<Case>& cases, const Case& one)
{
    for (std::size_t s = 0; s < one.definition->stages.size(); ++s) {
        const Stage& stage = one.definition->stages[s];
        for (std::size_t a = 0; a < stage.spatial.size() + stage.reduction.size(); ++a) {
            const bool isSpatial = a < stage.spatial.size();
            const std::size_t at = isSpatial ? a : a - stage.spatial.size();
            const std::optional<std::int64_t> extent = constInt((isSpatial ? stage.spatial : stage.reduction)[at].extent);
            for (const std::int64_t smaller : below(extent.value_or(1))) {
                Definition made = *one.definition;
                (isSpatial ? made.stages[s].spatial : made.stages[s].reduction)[at].extent = intImm(smaller);
                for (Port& port : made.ports) {
                    if (isSpatial && port.name == stage.buffer) {
                        port.shape[at] = intImm(smaller);
                    }
                }
                add(cases, one, std::move(made));
            }
        }
    }
}

// One dimension of an input of which nobody reads the end.
void shortenInputs(std::vector<Case>& cases, const Case& one)
{
    for (std::size_t p = 0; p < one.definition->ports.size(); ++p) {
        const Port& port = one.definition->ports[p];
        for (std::size_t d = 0; d < port.shape.size() && port.kind != PortKind::Output; ++d) {
            for (const std::int64_t smaller : below(constInt(port.shape[d]).value_or(1))) {
                Definition made = *one.definition;
                made.ports[p].shape[d] = intImm(smaller);
                add(cases, one, std::move(made));
            }
        }
    }
}

std::vector<Expr> partsOf(const Expr& e)
{
    if (const Unary* n = e->as<Unary>()) {
        return {n->a};
    }
    if (const Binary* n = e->as<Binary>()) {
        return {n->a, n->b};
    }
    if (const Select* n = e->as<Select>()) {
        return {n->yes, n->no};
    }
    return {};
}

} // namespace

std::vector<Case> withFewerStages(const Case& one)
{
    std::vector<Case> cases;
    for (std::size_t s = one.definition->stages.size(); s-- > 0 && one.definition->stages.size() > 1;) {
        add(cases, s == 0 ? asFirst(one, one.definition->stages[1]) : one, without(*one.definition, s));
    }
    return cases;
}

std::vector<Case> withSmallerExtents(const Case& one)
{
    std::set<std::int64_t, std::greater<>> extents;
    Definition whole = *one.definition;
    eachExtent(whole, [&](Expr& extent) { extents.insert(constInt(extent).value_or(1)); });
    std::vector<Case> cases;
    for (const std::int64_t extent : extents) {
        for (const std::int64_t smaller : below(extent)) {
            add(cases, one, replaced(*one.definition, extent, smaller));
        }
    }
    shortenAxes(cases, one);
    shortenInputs(cases, one);
    return cases;
}

std::vector<Case> withSimplerBodies(const Case& one)
{
    std::vector<Case> cases;
    for (std::size_t s = 0; s < one.definition->stages.size(); ++s) {
        walk(one.definition->stages[s].body, [&](const Expr& node) {
            for (const Expr& part : partsOf(node)) {
                if (part->type() == node->type() && node->type() == one.definition->stages[s].type) {
                    Definition made = *one.definition;
                    made.stages[s].body = rewriteExpr(made.stages[s].body, [&](const Expr& e) { return e == node ? part : e; });
                    add(cases, one, std::move(made));
                }
            }
            return node->as<Load>() == nullptr; // an index keeps its form
        });
    }
    return cases;
}

} // namespace nw::session::fuzz
