#include "engine/schedule/analysis/window.h"

#include "engine/schedule/analysis/access.h"
#include "engine/schedule/rewrite_nest.h"

#include <algorithm>
#include <optional>

namespace nw::schedule {

namespace {

// How far an index over iteration variables is from its window when each variable is counted from its base: only a
// sum of multiples of variables can be moved so.
std::optional<std::int64_t> shiftOf(const Expr& index, const std::map<std::string, Span>& spans, const Expr& windowBase,
                                    const Ranges& ranges)
{
    if (!affineOf(index)) {
        return std::nullopt;
    }
    Substitution bases, zeros;
    for (const std::string& name : freeVars(index)) {
        bases.emplace(name, spans.at(name).base);
        zeros.emplace(name, intImm(0));
    }
    return constInt(simplify(substitute(index, bases) - substitute(index, zeros) - windowBase, ranges));
}

// An index that is no such sum ("oh / 4") moves as a whole, by a variable of its own that stands for the one in it.
bool hasOneVariable(const Expr& index, const Block& block)
{
    const std::vector<std::string> names = freeVars(index);
    return names.size() == 1 && block.iter(names.front()) != nullptr;
}

// What is written there, and rings, which are read and written by remainders, stay whole.
bool canMove(const Expr& index, bool isWrite, const Block& block, const std::map<std::string, Span>& spans, const Span& span,
             const Ranges& ranges)
{
    if (affineOf(index)) {
        return shiftOf(index, spans, span.base, ranges).has_value();
    }
    bool hasRemainder = false;
    walk(index, [&](const Expr& part) {
        const Binary* operation = part->as<Binary>();
        hasRemainder = hasRemainder || (operation != nullptr && operation->op == BinaryOp::FloorMod);
        return !hasRemainder;
    });
    return !isWrite && !hasRemainder && hasOneVariable(index, block);
}

// Such an index counted from the base of its span.
Expr movedWhole(const Expr& index, Block& block, const Span& span)
{
    if (isConst(span.base, 0)) {
        return index;
    }
    if (span.extent == 1) {
        return intImm(0);
    }
    return var(partOf(block, freeVars(index).front(), span));
}

std::vector<std::vector<Expr>> indicesInto(const Block& block, const std::string& buffer)
{
    std::vector<std::vector<Expr>> result = readsOf(block, buffer);
    if (block.buffer == buffer) {
        result.insert(result.begin(), block.indices);
    }
    return result;
}

// Widens the window so that it holds the span; false when their bases do not differ by a number.
bool widen(std::optional<Window>& window, const Span& span, const Ranges& ranges)
{
    if (!window) {
        window = Window{span.base, span.extent, false};
        return true;
    }
    const std::optional<std::int64_t> ahead = constInt(simplify(span.base - window->base, ranges));
    if (!ahead) {
        return false;
    }
    const std::int64_t low = std::min<std::int64_t>(0, *ahead);
    const std::int64_t high = std::max(window->extent, *ahead + span.extent);
    window->base = low == 0 ? window->base : simplify(window->base + low, ranges);
    window->extent = high - low;
    return true;
}

Window windowOf(std::size_t d, std::int64_t extent, const Buffer& buffer, const std::vector<Place>& users,
                const std::string& at, const Ranges& ranges)
{
    const Window whole{intImm(0), extent, true};
    std::optional<Window> window;
    for (const Place& user : users) {
        const std::set<std::string> inside = loopsInside(user.loops, at);
        const auto spans = spansOf(*user.block, inside, ranges);
        const Substitution bindings = user.block->bindings();
        for (const std::vector<Expr>& indices : indicesInto(*user.block, buffer.name)) {
            const std::optional<Span> span = spanOf(substitute(indices[d], bindings), inside, ranges);
            const bool isWrite = user.block->buffer == buffer.name;
            const bool moves = span && spans && canMove(indices[d], isWrite, *user.block, *spans, *span, ranges);
            if (!moves || !widen(window, *span, ranges)) {
                return whole;
            }
        }
    }
    if (!window || window->extent >= extent) {
        return whole;
    }
    // A window at a fixed place needs nothing from outside of the buffer.
    if (const std::optional<std::int64_t> base = constInt(window->base)) {
        const std::int64_t low = std::max<std::int64_t>(*base, 0);
        const std::int64_t high = std::min(*base + window->extent, extent);
        return high > low && low == *base && high == *base + window->extent ? *window : whole;
    }
    return *window;
}

} // namespace

std::vector<Place> usersOf(const LoopNest& nest, const std::string& buffer)
{
    std::vector<Place> users = nest.blocks();
    std::erase_if(users, [&](const Place& p) { return p.block->buffer != buffer && !readsBuffer(*p.block, buffer); });
    return users;
}

std::vector<Window> windowsOf(const Buffer& buffer, const std::vector<Place>& users, const std::string& at,
                              const Ranges& ranges)
{
    std::vector<Window> windows;
    for (std::size_t d = 0; d < buffer.shape.size(); ++d) {
        windows.push_back(windowOf(d, buffer.shape[d], buffer, users, at, ranges));
    }
    return windows;
}

std::vector<const Loop*> loopsAroundAll(const std::vector<Place>& places)
{
    std::vector<const Loop*> loops = places.empty() ? std::vector<const Loop*>{} : places.front().loops;
    std::erase_if(loops, [&](const Loop* loop) {
        return !std::all_of(places.begin(), places.end(), [&](const Place& place) { return contains(place, loop->name); });
    });
    return loops;
}

std::int64_t elementsOf(const std::vector<Window>& windows)
{
    std::int64_t product = 1;
    for (const Window& window : windows) {
        product *= window.extent;
    }
    return product;
}

Block intoWindow(Block block, const std::string& buffer, const std::string& to, const std::vector<Window>& windows,
                 const std::set<std::string>& inside, const Ranges& ranges)
{
    const auto spans = spansOf(block, inside, ranges);
    const auto moved = [&](const std::vector<Expr>& indices) {
        std::vector<Expr> result;
        for (std::size_t d = 0; d < indices.size(); ++d) {
            if (windows[d].whole) {
                result.push_back(indices[d]);
                continue;
            }
            ENSURE(spans, "a window over loops that cannot be told apart");
            if (!affineOf(indices[d])) {
                const std::optional<Span> span = spanOf(substitute(indices[d], block.bindings()), inside, ranges);
                const std::optional<std::int64_t> ahead
                    = span ? constInt(simplify(span->base - windows[d].base, ranges)) : std::nullopt;
                ENSURE(ahead, "an access does not stand at a fixed distance from its window");
                const Expr whole = movedWhole(indices[d], block, *span);
                result.push_back(*ahead == 0 ? whole : simplify(whole + *ahead, ranges));
                continue;
            }
            const std::optional<std::int64_t> shift = shiftOf(indices[d], *spans, windows[d].base, ranges);
            ENSURE(shift, "an access does not stand at a fixed distance from its window");
            const Expr local = localised(indices[d], block, *spans);
            result.push_back(*shift == 0 ? local : simplify(local + *shift, ranges));
        }
        return result;
    };
    if (block.buffer == buffer) {
        block.indices = moved(block.indices);
        block.buffer = to;
    }
    block.value = rewriteExpr(block.value, [&](const Expr& e) {
        const Load* read = e->as<Load>();
        return read != nullptr && read->buffer == buffer ? load(to, e->type(), moved(read->indices)) : e;
    });
    return block;
}

} // namespace nw::schedule
