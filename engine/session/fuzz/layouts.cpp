#include "engine/session/fuzz/definition_maker.h"
#include "engine/session/fuzz/definitions.h"

#include <optional>

namespace nw::session::fuzz {

using compute::PortKind;

namespace {

// Skews, rotates, moves, reverses or merges memory indices.
void mixIndices(std::vector<Expr>& out, Random& random)
{
    const std::size_t changed = random.below(out.size());
    const std::size_t other = random.below(out.size());
    const std::uint64_t how = other == changed ? 3 + random.below(2) : random.below(5);
    const Expr index = out[changed];
    switch (how) {
    case 0: out[changed] = index + out[other] * random.between(-2, 2); break;
    case 1: out[changed] = floorMod(index + out[other], intImm(random.between(2, 40))); break;
    case 2:
        out[changed] = index * random.between(2, 40) + out[other];
        out.erase(out.begin() + static_cast<std::ptrdiff_t>(other));
        break;
    case 3: out[changed] = index + random.between(1, 3); break;
    default: out[changed] = intImm(random.between(0, 40)) - index; break;
    }
}

} // namespace

std::vector<Layout> randomLayouts(const compute::Definition& definition, Random& random)
{
    std::vector<Layout> layouts;
    for (const compute::Port& port : definition.ports) {
        Layout layout;
        const std::size_t rank = port.shape.size();
        if (rank > 0 && port.kind != PortKind::Constant && random.below(2) == 0) {
            for (std::size_t d = 0; d < rank && random.below(2) == 0; ++d) {
                layout.border.resize(rank);
                layout.border[d] = {random.between(0, 2), random.between(0, 2)};
            }
            if (random.below(3) != 0) {
                layout.map = randomMap(rank, random);
                const std::optional<Extents> shape = definition.staticShape(port.name);
                if (!shape || !layout.checkInvertible(*shape)) {
                    layout.map = {};
                }
            }
        }
        layouts.push_back(std::move(layout));
    }
    return layouts;
}

IndexMap randomMap(std::size_t rank, Random& random)
{
    IndexMap map = IndexMap::identity(rank);
    for (std::size_t i = rank; i > 1; --i) {
        std::swap(map.out[i - 1], map.out[random.below(i)]);
    }
    if (random.below(2) == 0) {
        const std::size_t blocked = random.below(rank);
        const std::int64_t width = random.between(2, 8);
        const Expr axis = map.out[blocked];
        map.out[blocked] = floorDiv(axis, intImm(width));
        map.out.push_back(floorMod(axis, intImm(width)));
    }
    if (random.below(3) == 0) {
        mixIndices(map.out, random);
    }
    return map;
}

} // namespace nw::session::fuzz
