#include "engine/schedule/task.h"

#include "engine/base/hash.h"
#include "engine/base/text.h"

#include <algorithm>
#include <set>

namespace nw::schedule {

namespace {

std::string identityOf(const compute::Definition& definition, const std::vector<Layout>& layouts, const Task& task)
{
    std::string text = compute::toText(definition);
    for (std::size_t i = 0; i < definition.ports.size(); ++i) {
        const std::string layout = i < layouts.size() ? layouts[i].toText() : "plain";
        text += format("layout {} {}\n", definition.ports[i].name, layout);
    }
    text += format("algorithm {}\ntarget {}\nthreads {}\n", task.algorithm, task.target.toText(), task.threads);
    return contentHash(text);
}

std::set<std::string> readBy(const compute::Stage& stage)
{
    std::set<std::string> names;
    walk(stage.body, [&](const Expr& e) {
        if (const Load* load = e->as<Load>()) {
            names.insert(load->buffer);
        }
        return true;
    });
    return names;
}

// The last stage only works on the elements of the one before it, one to one, and reads no other internal tensor.
bool endsInEpilogue(const compute::Definition& definition)
{
    if (definition.stages.size() < 2) {
        return false;
    }
    const compute::Stage& last = definition.stages.back();
    const compute::Stage& anchor = definition.stages[definition.stages.size() - 2];
    if (last.combiner != compute::Combiner::None || definition.port(last.buffer) == nullptr
        || definition.port(anchor.buffer) != nullptr || last.spatial.size() != anchor.spatial.size()) {
        return false;
    }
    bool oneToOne = true;
    bool reads = false;
    walk(last.body, [&](const Expr& e) {
        const Load* load = e->as<Load>();
        if (load == nullptr) {
            return true;
        }
        if (load->buffer != anchor.buffer) {
            oneToOne = oneToOne && definition.port(load->buffer) != nullptr;
            return true;
        }
        reads = true;
        for (std::size_t d = 0; d < load->indices.size(); ++d) {
            const Var* axis = load->indices[d]->as<Var>();
            oneToOne = oneToOne
                && (isConst(load->indices[d], 0) ? isConst(last.spatial[d].extent, 1)
                                                 : axis != nullptr && axis->name == last.spatial[d].name);
        }
        return true;
    });
    return reads && oneToOne;
}

} // namespace

std::string Task::identity() const
{
    return identityOf(*definition, layouts, *this);
}

std::string Task::anchorIdentity() const
{
    if (!endsInEpilogue(*definition)) {
        return identity();
    }
    compute::Definition anchor = *definition;
    const compute::Stage epilogue = anchor.stages.back();
    anchor.stages.pop_back();
    const std::string inner = anchor.stages.back().buffer;
    anchor.stages.back().buffer = epilogue.buffer;

    std::set<std::string> read;
    for (const compute::Stage& stage : anchor.stages) {
        read.merge(readBy(stage));
    }
    ENSURE(!read.contains(inner), "an anchor reads its own result");
    std::vector<Layout> kept;
    std::vector<compute::Port> ports;
    for (std::size_t i = 0; i < anchor.ports.size(); ++i) {
        compute::Port port = anchor.ports[i];
        const bool result = port.name == epilogue.buffer;
        if (!result && !read.contains(port.name)) {
            continue;
        }
        if (result) {
            port.type = anchor.stages.back().type;
        }
        kept.push_back(i < layouts.size() ? layouts[i] : Layout{});
        ports.push_back(std::move(port));
    }
    anchor.ports = std::move(ports);
    return identityOf(anchor, kept, *this);
}

Result<LoopNest> initialNest(const Task& task)
{
    return initialNest(task.definition, task.layouts);
}

} // namespace nw::schedule
