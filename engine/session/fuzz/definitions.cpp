#include "engine/session/fuzz/definitions.h"

#include "engine/base/text.h"
#include "engine/session/fuzz/definition_maker.h"

#include <algorithm>
#include <array>

namespace nw::session::fuzz {

namespace {

using Tensor = DefinitionMaker::Tensor;
using Walk = DefinitionMaker::Walk;
using compute::Combiner;
using compute::PortKind;

// Where a family's first part leaves off: what later stages go on from.
struct Begun {
    std::string kind;
    Tensor last;
    std::vector<Walk> walks; // of the last stage
};

constexpr std::int64_t kPoints = 1500; // of a stage, reductions included

std::vector<Walk> walksOf(const Extents& shape)
{
    static constexpr std::array<const char*, 4> kImage = {"n", "c", "h", "w"};
    std::vector<Walk> walks;
    for (std::size_t d = 0; d < shape.size(); ++d) {
        walks.push_back({shape.size() == 4 ? std::string(kImage[d]) : format("d{}", d), shape[d]});
    }
    return walks;
}

std::int64_t pointsIn(const Extents& shape)
{
    std::int64_t points = 1;
    for (const std::int64_t extent : shape) {
        points *= std::max<std::int64_t>(extent, 1);
    }
    return points;
}

Begun elementWise(DefinitionMaker& make)
{
    const std::vector<Walk> walks = walksOf(make.shape(1 + make.random().below(4), kPoints));
    const Tensor first = make.port("X", make.type(), extentsOf(walks));
    const int depth = static_cast<int>(make.random().between(1, 3));
    return {"add", make.stage("add", walks, make.formula(make.read(first, variablesOf(walks)), walks, depth)), walks};
}

Begun matmul(DefinitionMaker& make)
{
    const std::size_t batches = make.random().below(3) == 0 ? 1 + make.random().below(2) : 0;
    std::vector<Walk> walks;
    for (std::size_t b = 0; b < batches; ++b) {
        walks.push_back({format("b{}", b), make.extent(3)});
    }
    const Extents mnk = make.shape(3, kPoints / pointsIn(extentsOf(walks)));
    Extents left = extentsOf(walks);
    Extents right = left;
    std::vector<Expr> leftAt = variablesOf(walks);
    std::vector<Expr> rightAt = leftAt;
    if (make.chance(50)) { // one matrix for all batches
        right.clear();
        rightAt.clear();
    }
    walks.push_back({"m", mnk[0]});
    walks.push_back({"n", mnk[1]});
    const bool turned = make.chance(25);
    left.insert(left.end(), {mnk[0], mnk[2]});
    leftAt.insert(leftAt.end(), {var("m"), var("k")});
    right.insert(right.end(), {turned ? mnk[1] : mnk[2], turned ? mnk[2] : mnk[1]});
    rightAt.insert(rightAt.end(), {var(turned ? "n" : "k"), var(turned ? "k" : "n")});
    const Tensor a = make.port("A", make.type(), left);
    const Tensor b = make.port("B", make.type(), right, make.chance(70) ? PortKind::Constant : PortKind::Input);
    const Expr term = make.read(a, leftAt) * make.read(b, rightAt);
    return {"matmul", make.reduction("matmul", walks, {{"k", mnk[2]}}, Combiner::Sum, term), walks};
}

// One direction of a window.
struct Slide {
    Walk out, tap;
    std::int64_t input = 1;
    Expr at;
    std::vector<Expr> guards;
};
Slide slideOver(DefinitionMaker& make, const std::string& out, const std::string& tap, std::int64_t most)
{
    Slide slide;
    Random& random = make.random();
    const std::int64_t taps = random.between(1, 3);
    const std::int64_t stride = random.below(3) == 0 ? random.between(2, 3) : 1;
    const std::int64_t dilation = random.below(4) == 0 ? 2 : 1;
    const std::int64_t before = random.below(2) == 0 ? random.between(1, 2) : 0;
    const std::int64_t after = random.below(3) == 0 ? random.between(0, 2) : before;
    slide.out = {out, make.extent(most)};
    slide.tap = {tap, taps};
    const std::int64_t reached = (std::max<std::int64_t>(slide.out.extent, 1) - 1) * stride + (taps - 1) * dilation + 1;
    slide.input = std::max<std::int64_t>(reached - before - after, 1);
    const Expr moved = (stride == 1 ? var(out) : var(out) * stride) + (dilation == 1 ? var(tap) : var(tap) * dilation);
    slide.at = before == 0 ? moved : moved - before;
    if (before > 0) {
        slide.guards.push_back(binary(BinaryOp::Ge, moved, intImm(before)));
    }
    if (reached - before > slide.input) {
        slide.guards.push_back(lessThan(moved, intImm(slide.input + before)));
    }
    return slide;
}

Begun convolution(DefinitionMaker& make)
{
    const std::int64_t groups = make.chance(25) ? make.random().between(2, 3) : 0;
    const Slide high = slideOver(make, "oh", "kh", 7);
    const Slide wide = slideOver(make, "ow", "kw", 9);
    const Walk channels{"ic", make.extent(4)};
    const Walk outputs{"oc", make.extent(make.chance(40) ? 9 : 5)};
    std::vector<Walk> walks{{"n", make.chance(70) ? 1 : 2}};
    if (groups > 0) {
        walks.push_back({"g", groups});
    }
    walks.insert(walks.end(), {outputs, high.out, wide.out});
    const auto inGroup = [&](const Walk& walk) { return groups > 0 ? var("g") * walk.extent + var(walk.name) : var(walk.name); };
    const std::int64_t times = std::max<std::int64_t>(groups, 1);
    const Tensor x = make.port("X", make.type(), {walks.front().extent, times * channels.extent, high.input, wide.input});
    const Tensor w = make.port("W", make.type(), {times * outputs.extent, channels.extent, high.tap.extent, wide.tap.extent},
                               PortKind::Constant);
    std::vector<Expr> guards = high.guards;
    guards.insert(guards.end(), wide.guards.begin(), wide.guards.end());
    Expr tap = make.read(x, {var("n"), inGroup(channels), high.at, wide.at});
    tap = guards.empty() ? tap : select(allOf(guards), tap, literal(make.type(), 0));
    const Expr term = tap * make.read(w, {inGroup(outputs), var("ic"), var("kh"), var("kw")});
    return {"conv", make.reduction("conv", walks, {channels, high.tap, wide.tap}, Combiner::Sum, term), walks};
}

Combiner anyCombiner(DefinitionMaker& make)
{
    constexpr Combiner kAll[] = {Combiner::Sum, Combiner::Sum, Combiner::Max, Combiner::Min, Combiner::Prod};
    return kAll[make.random().below(std::size(kAll))];
}

Begun pool(DefinitionMaker& make)
{
    const Slide high = slideOver(make, "h", "kh", 9);
    const Slide wide = slideOver(make, "w", "kw", 11);
    const std::vector<Walk> walks{{"n", 1}, {"c", make.extent(5)}, high.out, wide.out};
    const Tensor x = make.port("X", make.type(), {1, walks[1].extent, high.input, wide.input});
    std::vector<Expr> guards = high.guards;
    guards.insert(guards.end(), wide.guards.begin(), wide.guards.end());
    Expr tap = make.read(x, {var("n"), var("c"), high.at, wide.at});
    tap = guards.empty() ? tap : select(allOf(guards), tap, literal(make.type(), make.chance(60) ? 0 : 1));
    return {"pool", make.reduction("pool", walks, {high.tap, wide.tap}, anyCombiner(make), tap), walks};
}

// Over some dimensions, which stay as 1 or go.
Begun reduction(DefinitionMaker& make)
{
    const Extents shape = make.shape(1 + make.random().below(4), kPoints);
    const Combiner combiner = anyCombiner(make);
    std::vector<Walk> spatial, over;
    std::vector<Expr> at;
    const bool keeps = make.chance(40);
    std::int64_t steps = 1;
    for (std::size_t d = 0; d < shape.size(); ++d) {
        const bool last = over.empty() && d + 1 == shape.size();
        const bool fits = combiner != Combiner::Prod || steps * shape[d] <= 12; // products stay small
        if ((make.chance(50) || last) && (fits || last)) {
            const std::int64_t extent = fits ? shape[d] : 3;
            steps *= extent;
            over.push_back({format("r{}", over.size()), extent});
            at.push_back(var(over.back().name));
            if (keeps) {
                spatial.push_back({format("d{}", spatial.size()), 1});
            }
        } else {
            spatial.push_back({format("d{}", spatial.size()), shape[d]});
            at.push_back(var(spatial.back().name));
        }
    }
    Extents held;
    for (const Expr& index : at) {
        const std::string& name = index->as<Var>()->name;
        const std::vector<Walk>& list = name.front() == 'r' ? over : spatial;
        held.push_back(std::find_if(list.begin(), list.end(), [&](const Walk& walk) { return walk.name == name; })->extent);
    }
    const Tensor x = make.port("X", make.type(), held);
    return {"reduce", make.reduction("reduce", spatial, over, combiner, make.read(x, at)), spatial};
}

// Rows: their largest, the sum of what is above it, a quotient or difference.
Begun rows(DefinitionMaker& make)
{
    const Extents shape = make.shape(2, kPoints);
    const std::vector<Walk> walks{{"d0", shape[0]}, {"d1", shape[1]}};
    const Walk over{"r0", shape[1]};
    const Tensor x = make.port("X", make.type(), shape);
    const Tensor largest = make.reduction("max", {walks[0]}, {over}, Combiner::Max, make.read(x, {var("d0"), var("r0")}));
    const auto above = [&](const char* at) { return make.read(x, {var("d0"), var(at)}) - make.read(largest, {var("d0")}); };
    const bool real = isFloat(make.type());
    const auto raised = [&](const char* at) { return real ? unary(UnaryOp::Exp, above(at)) : above(at); };
    const Tensor sum = make.reduction("sum", {walks[0]}, {over}, Combiner::Sum, raised("r0"));
    const Expr total = make.read(sum, {var("d0")});
    return {"softmax", make.stage("div", walks, real ? binary(BinaryOp::Div, raised("d1"), total) : raised("d1") - total), walks};
}

// Two or three stages that each read neighbours of the one before.
Begun stencil(DefinitionMaker& make)
{
    Extents shape = make.shape(1 + make.random().below(2), 400);
    const std::size_t stages = 1 + make.random().below(2);
    Extents held;
    for (std::int64_t& extent : shape) {
        extent = std::max<std::int64_t>(extent, 1);
        held.push_back(extent + 2 * static_cast<std::int64_t>(stages + 1));
    }
    Tensor last = make.port("X", make.type(), held);
    std::vector<Walk> walks;
    for (std::size_t s = 0; s <= stages; ++s) {
        for (std::int64_t& extent : held) {
            extent -= 2;
        }
        walks = walksOf(held);
        std::vector<Expr> here = variablesOf(walks);
        if (make.chance(40)) { // as a reduction over the taps
            std::vector<Walk> taps;
            for (std::size_t d = 0; d < walks.size(); ++d) {
                taps.push_back({format("r{}", d), 3});
                here[d] = here[d] + var(taps.back().name);
            }
            last = make.reduction("blur", walks, taps, anyCombiner(make) == Combiner::Max ? Combiner::Max : Combiner::Sum, make.read(last, here));
            continue;
        }
        std::vector<Expr> there = here;
        for (Expr& index : there) {
            index = index + make.random().between(1, 2);
        }
        last = make.stage("blur", walks, make.read(last, here) + make.read(last, there));
    }
    return {"blur", last, walks};
}

Begun gather(DefinitionMaker& make)
{
    const Extents shape = make.shape(2, kPoints / 4);
    const std::vector<Walk> walks = walksOf(shape);
    const std::int64_t held = std::max<std::int64_t>(make.extent(9), 1);
    const Tensor table = make.port("X", make.type(), {held, shape[1]});
    const Tensor at = make.port("I", DType::I64, {shape[0]});
    // Wrapped, so that any data stays inside.
    const Expr index = floorMod(make.read(at, {var("d0")}), intImm(held));
    return {"gather", make.stage("gather", walks, make.read(table, {index, var("d1")})), walks};
}

// Two tensors behind one another.
Begun concat(DefinitionMaker& make)
{
    const Extents shape = make.shape(2, kPoints);
    const std::vector<Walk> walks = walksOf(shape);
    const std::int64_t first = shape[0] / 2;
    const Tensor a = make.port("A", make.type(), {first, shape[1]});
    const Tensor b = make.port("B", make.type(), {shape[0] - first, shape[1]});
    const Expr body = select(lessThan(var("d0"), intImm(first)), make.read(a, {var("d0"), var("d1")}),
                             make.read(b, {var("d0") - first, var("d1")}));
    return {"concat", make.stage("concat", walks, body), walks};
}

// What stands behind the anchor: an epilogue, a reader of another shape, a reduction of it.
void goOn(DefinitionMaker& make, Begun& begun)
{
    switch (make.random().below(5)) {
    case 0:
    case 1:
        begun.last = make.stage("relu", begun.walks, make.formula(make.readOld(begun.last, begun.walks), begun.walks, 1 + static_cast<int>(make.random().below(2))));
        return;
    case 2: { // turned
        if (begun.walks.size() > 1) {
            std::vector<Walk> turned = begun.walks;
            std::rotate(turned.begin(), turned.begin() + 1, turned.end());
            begun.last = make.stage("transpose", turned, make.read(begun.last, variablesOf(begun.walks)));
            begun.walks = turned;
            return;
        }
        [[fallthrough]];
    }
    case 3: { // the last dimension goes
        if (begun.walks.empty() || begun.walks.back().extent > 40) {
            return;
        }
        const Walk over{"r" + begun.walks.back().name, begun.walks.back().extent};
        std::vector<Expr> at = variablesOf(begun.walks);
        at.back() = var(over.name);
        begun.walks.pop_back();
        constexpr Combiner kTame[] = {Combiner::Sum, Combiner::Max, Combiner::Min};
        begun.last = make.reduction("sum", begun.walks, {over}, kTame[make.random().below(3)], make.read(begun.last, at));
        return;
    }
    default: { // a part of it, or more than there is
        std::vector<Walk> walks = begun.walks;
        if (!walks.empty() && pointsIn(extentsOf(walks)) <= kPoints && make.chance(25)) { // each element several times
            std::vector<Expr> at;
            for (Walk& walk : walks) {
                const std::int64_t times = make.random().between(1, 4);
                at.push_back(times == 1 ? var(walk.name) : floorDiv(var(walk.name), intImm(times)));
                walk.extent = std::max<std::int64_t>(walk.extent * times - static_cast<std::int64_t>(make.random().below(2)), 1);
            }
            begun.last = make.stage("enlarge", walks, make.read(begun.last, at));
            begun.walks = walks;
            return;
        }
        for (Walk& walk : walks) {
            walk.extent = std::max<std::int64_t>(walk.extent + (make.chance(30) ? make.random().between(-2, 2) : 0), 1);
        }
        begun.last = make.stage("slice", walks, make.readOld(begun.last, walks));
        begun.walks = walks;
        return;
    }
    }
}

compute::Definition draw(Random& random)
{
    using Family = Begun (*)(DefinitionMaker&);
    constexpr Family kFamilies[] = {&elementWise, &elementWise, &matmul, &matmul, &convolution, &convolution, &pool,
                                    &reduction,   &rows,        &stencil, &gather, &concat};
    DefinitionMaker make(random);
    Begun begun = kFamilies[random.below(std::size(kFamilies))](make);
    const std::uint64_t more = random.below(4);
    for (std::uint64_t i = 0; i + 1 < more || (more == 1 && i == 0); ++i) {
        goOn(make, begun);
    }
    return make.finish(begun.kind);
}

} // namespace

compute::Definition randomDefinition(Random& random)
{
    for (;;) {
        compute::Definition definition = draw(random);
        // A read that is fine but cannot be shown to be is drawn again.
        if (compute::verify(definition).empty()) {
            return definition;
        }
    }
}

} // namespace nw::session::fuzz
