#include "engine/schedule/template_names.h"

#include "engine/base/text.h"
#include "engine/schedule/script_number.h"

#include <algorithm>

namespace nw::schedule {

namespace {

// Of the tiles of 1..most steps the cheapest: each has its own loads and stores, as dear as a quarter of the largest
// tile's steps; steps that are no steps of the axis are done all the same, and their guards cost a tenth.
std::int64_t fit(std::int64_t steps, std::int64_t most)
{
    std::int64_t best = 1;
    double least = 0;
    for (std::int64_t tile = std::clamp<std::int64_t>(most, 1, std::max<std::int64_t>(steps, 1)); tile >= 1; --tile) {
        const auto turns = static_cast<double>((steps + tile - 1) / tile);
        const double guards = steps % tile == 0 ? 1 : 1.1;
        const double cost = turns * (static_cast<double>(tile) + static_cast<double>(most) / 4) * guards;
        if (least == 0 || cost < least) {
            best = tile;
            least = cost;
        }
    }
    return best;
}

// Cycles of one step of a reduction over a tile of sums in registers: two multiply-adds a cycle, none of them before the one
// that made its sum four cycles ago is done; two loads a cycle; half a cycle of what goes round with the loop; and
// where each element serves one multiply-add alone, something for each, whose place may have to be looked at before it is read.
double cyclesOf(std::int64_t vectors, std::int64_t columns)
{
    const auto sums = static_cast<double>(vectors * columns);
    return std::max({sums / 2, static_cast<double>(vectors + columns) / 2, 4.0}) + 0.5 + (vectors == 1 ? 0.15 * sums : 0.0);
}

// Over all tiles that such ones cut an axis of so many vectors by one of so many columns into; the last of each are smaller.
double cyclesOfAll(std::int64_t allVectors, std::int64_t allColumns, std::int64_t vectors, std::int64_t columns)
{
    const auto row = [&](std::int64_t wide) {
        const std::int64_t rest = allColumns % columns;
        return static_cast<double>(allColumns / columns) * cyclesOf(wide, columns) + (rest == 0 ? 0 : cyclesOf(wide, rest));
    };
    const std::int64_t rest = allVectors % vectors;
    return static_cast<double>(allVectors / vectors) * row(vectors) + (rest == 0 ? 0 : row(rest));
}

struct RegisterTile {
    std::int64_t vectors = 1, columns = 1;
};
// The cheapest whose sums, one row of vectors and one broadcast element fit into the registers.
RegisterTile tileFor(std::int64_t allVectors, std::int64_t allColumns, std::int64_t registers)
{
    RegisterTile best;
    double least = cyclesOfAll(allVectors, allColumns, 1, 1);
    for (std::int64_t vectors = 1; vectors <= std::min<std::int64_t>(4, allVectors); ++vectors) {
        for (std::int64_t columns = 1; columns <= std::min(allColumns, (registers - 1) / vectors - 1); ++columns) {
            if (const double cost = cyclesOfAll(allVectors, allColumns, vectors, columns); cost < 0.999 * least) {
                best = {vectors, columns};
                least = cost;
            }
        }
    }
    return best;
}

const Load* firstLoad(const Expr& e)
{
    const Load* found = nullptr;
    walk(e, [&](const Expr& part) {
        found = found == nullptr ? part->as<Load>() : found;
        return found == nullptr;
    });
    return found;
}

// Elements of the plain tensor between two steps of an axis; -1 where that is no number.
std::int64_t strideOf(const compute::Definition& definition, const Load& read, const compute::Axis& axis, const Ranges& ranges)
{
    const std::optional<std::vector<std::int64_t>> shape = definition.staticShape(read.buffer);
    const std::vector<std::int64_t> extents = shape.value_or(std::vector<std::int64_t>(read.indices.size(), 1));
    return elementsApart(Layout(), extents, read.indices, axis.name, ranges).value_or(-1);
}

// Steps of the axis between which the tensor is read alike, "oc / 68": channels of a group; nothing without such a division.
std::optional<std::int64_t> groupOf(const Load& read, const std::string& axis)
{
    std::optional<std::int64_t> group;
    for (const Expr& index : read.indices) {
        walk(index, [&](const Expr& part) {
            const auto* quotient = part->as<Binary>();
            const bool isGroup = quotient != nullptr && quotient->op == BinaryOp::FloorDiv && equal(quotient->a, var(axis));
            group = isGroup ? constInt(quotient->b) : group;
            return !group;
        });
    }
    return group;
}

} // namespace

std::optional<std::int64_t> elementsApart(const Layout& layout, const std::vector<std::int64_t>& shape, const std::vector<Expr>& indices,
                                          const std::string& variable, Ranges ranges)
{
    ranges[variable].high -= 1;
    std::vector<Expr> next;
    for (const Expr& index : indices) {
        next.push_back(substitute(index, {{variable, var(variable) + 1}}));
    }
    return constInt(simplify(layout.offset(next, shape, ranges) - layout.offset(indices, shape, ranges), ranges));
}

std::optional<BlockedAxis> blockedAxis(const Layout& layout)
{
    for (const Expr& out : layout.map.out) {
        const auto* rest = out->as<Binary>();
        const auto* named = rest != nullptr && rest->op == BinaryOp::FloorMod ? rest->a->as<Var>() : nullptr;
        const std::optional<std::int64_t> width = named != nullptr ? constInt(rest->b) : std::nullopt;
        const auto& axes = layout.map.axes;
        const auto at = named == nullptr ? axes.end() : std::find(axes.begin(), axes.end(), named->name);
        if (width && at != axes.end()) {
            return BlockedAxis{static_cast<std::size_t>(at - axes.begin()), *width};
        }
    }
    return std::nullopt;
}

TaskNames::TaskNames(const Task& task)
    : m_target(task.target)
{
    const std::vector<compute::Stage>& stages = task.definition->stages;
    const compute::Stage& first = stages.front();
    m_anchor = first.name;
    m_epilogue = stages.size() > 1 ? stages.back().name : std::string();
    m_row = first.spatial.empty() ? std::string() : first.spatial.back().name;
    m_column = stages.back().spatial.empty() ? std::string() : stages.back().spatial.back().name;
    for (std::size_t i = 0; i < task.layouts.size() && !m_width; ++i) {
        const bool isActivation = task.definition->ports[i].kind != compute::PortKind::Constant;
        const std::optional<BlockedAxis> axis = isActivation ? blockedAxis(task.layouts[i]) : std::nullopt;
        m_width = axis ? std::optional(axis->width) : std::nullopt;
    }
    Ranges ranges;
    for (const bool summed : {false, true}) {
        std::int64_t all = 1;
        for (const compute::Axis& axis : summed ? first.reduction : first.spatial) {
            if (const std::optional<std::int64_t> steps = constInt(axis.extent)) {
                m_steps[axis.name] = *steps;
                all *= *steps;
                ranges[axis.name] = Interval::ofExtent(*steps);
            }
        }
        m_numbers[summed ? "terms" : "results"] = all;
    }
    m_numbers["rows"] = steps(m_row);
    for (const compute::Stage& stage : stages) {
        for (const auto* axes : {&stage.spatial, &stage.reduction}) {
            for (const compute::Axis& axis : *axes) {
                if (const std::optional<std::int64_t> steps = constInt(axis.extent)) {
                    m_steps.emplace(axis.name, *steps);
                }
            }
        }
        if (&stage != &stages.back()) {
            m_inner.insert(stage.name);
        }
    }
    const Load* read = firstLoad(first.body);
    for (const auto* axes : {&first.spatial, &first.reduction}) {
        for (const compute::Axis& axis : *axes) {
            if (read != nullptr && steps(axis.name) > 1) {
                m_numbers[axis.name + ".stride"] = strideOf(*task.definition, *read, axis, ranges);
                m_numbers[axis.name + ".group"] = groupOf(*read, axis.name).value_or(steps(axis.name));
                m_numbers[axis.name + ".groups"] = steps(axis.name) / m_numbers[axis.name + ".group"];
            }
        }
    }
}

std::int64_t TaskNames::steps(std::string_view axis) const
{
    const auto found = m_steps.find(axis);
    return found == m_steps.end() ? 1 : found->second;
}

std::int64_t TaskNames::number(std::string_view name) const
{
    const auto found = m_numbers.find(name);
    return found == m_numbers.end() ? steps(name) : found->second;
}

Result<std::string> TaskNames::fitted(const std::vector<std::string>& words) const
{
    if (!m_steps.contains(words[1]) && !m_numbers.contains(words[1])) {
        return failed(format("<fit {} ...>: the task has no axis or number {}", words[1], words[1]));
    }
    NumberScope scope;
    scope.target = &m_target;
    const Result<std::int64_t> most = evalNumber(join(std::vector<std::string>(words.begin() + 2, words.end()), " "), scope);
    if (!most) {
        return most.error();
    }
    return std::to_string(fit(number(words[1]), *most));
}

Result<std::string> TaskNames::tile(const std::vector<std::string>& words) const
{
    NumberScope scope;
    scope.target = &m_target;
    const Result<std::int64_t> registers
        = words.size() == 3 ? m_target.vectorRegisters : evalNumber(join(std::vector<std::string>(words.begin() + 3, words.end()), " "), scope);
    if (!registers) {
        return registers.error();
    }
    const std::int64_t lanes = m_target.lanes(DType::F32);
    const RegisterTile best = tileFor((number(words[1]) + lanes - 1) / lanes, number(words[2]), *registers);
    return std::to_string(words[0] == "vectors" ? best.vectors : best.columns);
}

std::optional<Result<std::string>> TaskNames::mark(std::string_view text) const
{
    const std::vector<std::string> words = splitWords(text);
    if (words.size() >= 3 && words[0] == "fit") {
        return fitted(words);
    }
    if (words.size() >= 3 && (words[0] == "vectors" || words[0] == "columns")) {
        return tile(words);
    }
    if (words.size() != 1) {
        return std::nullopt;
    }
    const std::string& word = words[0];
    for (const auto& [name, value] : {std::pair("anchor", &m_anchor), std::pair("epilogue", &m_epilogue), std::pair("row", &m_row),
                                      std::pair("column", &m_column)}) {
        if (word == name && !value->empty()) {
            return *value;
        }
    }
    if (m_width && (word == "width" || word == "lane")) {
        return std::to_string(word == "width" ? *m_width : std::min<std::int64_t>(*m_width, m_target.lanes(DType::F32)));
    }
    if (m_steps.contains(word) || m_numbers.contains(word)) {
        return std::to_string(number(word));
    }
    return std::nullopt;
}

} // namespace nw::schedule
