#include "engine/schedule/unit_loops.h"

#include <algorithm>

namespace nw::schedule {

namespace {

std::vector<Layout> portLayouts(const LoopNest& nest)
{
    std::vector<Layout> layouts(nest.definition->ports.size());
    for (const Buffer& buffer : nest.buffers) {
        if (buffer.port >= 0) {
            layouts[static_cast<std::size_t>(buffer.port)] = buffer.layout;
        }
    }
    return layouts;
}

bool sameBuffer(const Buffer& a, const Buffer& b)
{
    return a.name == b.name && a.shape == b.shape && a.scope == b.scope && a.atLoop == b.atLoop
        && a.layout.toText() == b.layout.toText();
}

bool sameNest(const LoopNest& a, const LoopNest& b)
{
    return a.nextId == b.nextId
        && std::equal(a.buffers.begin(), a.buffers.end(), b.buffers.begin(), b.buffers.end(), &sameBuffer)
        && toText(a) == toText(b);
}

} // namespace

std::set<std::string> missingLoops(const LoopNest& nest, const Primitive& primitive, const Args& args)
{
    std::set<std::string> missing;
    for (std::size_t i = 0; i < primitive.params.size(); ++i) {
        std::vector<std::string> named;
        if (args.given(i) && primitive.params[i].kind == ParamKind::Loop) {
            named.push_back(args.name(i));
        } else if (args.given(i) && primitive.params[i].kind == ParamKind::Loops) {
            named = args.names(i);
        }
        std::copy_if(named.begin(), named.end(), std::inserter(missing, missing.end()),
                     [&](const std::string& name) { return !nest.findLoop(name); });
    }
    return missing;
}

bool UnitLoops::add(const std::set<std::string>& missing)
{
    if (missing.empty()) {
        return false;
    }
    const std::vector<Layout> layouts = portLayouts(m_plain);
    if (m_names.empty()) {
        const Result<LoopNest> plain = plainNest(m_plain.definition, layouts, {});
        if (!plain || !sameNest(*plain, m_plain)) {
            return false;
        }
    }
    std::set<std::string> names = m_names;
    names.insert(missing.begin(), missing.end());
    Result<LoopNest> fuller = plainNest(m_plain.definition, layouts, names);
    const bool isAdded = fuller && std::any_of(missing.begin(), missing.end(), [&](const std::string& name) {
        return fuller->findLoop(name) && !m_start.findLoop(name);
    });
    if (isAdded) {
        m_start = *std::move(fuller);
        m_names = std::move(names);
    }
    return isAdded;
}

} // namespace nw::schedule
