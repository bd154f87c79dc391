#include "engine/tune/sketches/loop_order.h"

#include <algorithm>
#include <cstdlib>

namespace nw::tune::sketches {

namespace {

bool isWindow(const BlockView& view, std::size_t at)
{
    return view.loops[at].extent > 1 && std::any_of(view.accesses.begin(), view.accesses.end(), [&](const BlockAccess& access) {
        return !access.isWrite && std::any_of(access.indices.begin(), access.indices.end(), [&](const Expr& index) {
            const bool withResult = std::any_of(view.loops.begin(), view.loops.end(), [&](const BlockLoop& loop) { return !loop.isReduction && usesVar(index, loop.name); });
            return withResult && usesVar(index, view.loops[at].name);
        });
    });
}

} // namespace

std::vector<std::string> reductionOrder(const BlockView& view, bool windowsOutside)
{
    const auto input = std::find_if(view.accesses.begin(), view.accesses.end(), [](const BlockAccess& access) { return !access.isWrite && !access.isConstant; });
    std::vector<std::size_t> places;
    for (std::size_t i = 0; i < view.loops.size(); ++i) {
        if (view.loops[i].isReduction) {
            places.push_back(i);
        }
    }
    const auto strideOf = [&](std::size_t at) { return input == view.accesses.end() ? std::int64_t(0) : std::abs(input->by[at].stride.value_or(0)); };
    std::stable_sort(places.begin(), places.end(), [&](std::size_t a, std::size_t b) {
        if (windowsOutside && isWindow(view, a) != isWindow(view, b)) {
            return isWindow(view, a);
        }
        return strideOf(a) > strideOf(b);
    });
    std::vector<std::string> names;
    for (const std::size_t at : places) {
        names.push_back(view.loops[at].name);
    }
    return names;
}

bool slidesOver(const BlockView& view, const BlockAccess& access)
{
    return std::any_of(access.indices.begin(), access.indices.end(), [&](const Expr& index) {
        const auto has = [&](bool isReduction) {
            return std::any_of(view.loops.begin(), view.loops.end(), [&](const BlockLoop& loop) { return loop.isReduction == isReduction && usesVar(index, loop.name); });
        };
        return has(true) && has(false);
    });
}

bool staysNear(const BlockView& view, const schedule::LoopNest& nest, const std::string& lanes, std::int64_t bytes)
{
    const std::size_t at = view.indexOf(lanes);
    double all = 0;
    for (const BlockAccess& access : view.accesses) {
        if (access.isWrite || (at < view.loops.size() && access.by[at].moves)) {
            continue;
        }
        const schedule::Buffer& buffer = *nest.buffer(access.buffer);
        auto elements = static_cast<double>(byteSize(buffer.type));
        for (const std::int64_t extent : buffer.shape) {
            elements *= static_cast<double>(extent);
        }
        all += elements;
    }
    return all <= static_cast<double>(bytes);
}

} // namespace nw::tune::sketches
