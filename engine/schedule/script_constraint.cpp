// Constraints between knobs: read once into a program for a stack, judged for values and for ranges of values. Ranges
// let a search leave out, or take whole, what it has not looked at yet.

#include "engine/schedule/script_constraint.h"

#include "engine/base/text.h"
#include "engine/schedule/number_reader.h"

#include <algorithm>
#include <array>
#include <utility>

namespace nw::schedule {

namespace {

using Comparison = KnobConstraint::Comparison;

struct Spelling {
    std::string_view mark;
    Comparison comparison;
};
// A mark stands before those that it begins with.
constexpr std::array kSpellings{Spelling{"<=", Comparison::LessEqual}, Spelling{">=", Comparison::GreaterEqual},
                                Spelling{"==", Comparison::Equal},     Spelling{"!=", Comparison::Unequal},
                                Spelling{"<", Comparison::Less},       Spelling{">", Comparison::Greater}};

std::string_view markOf(Comparison comparison)
{
    return std::find_if(kSpellings.begin(), kSpellings.end(), [&](const Spelling& s) { return s.comparison == comparison; })
        ->mark;
}

// Of products and quotients the extremes lie at the corners. The operation answers whether it cannot be done.
template <typename Operation>
bool corners(const Range& a, const Range& b, Operation operation, Range& out)
{
    bool first = true;
    for (const std::int64_t x : {a.low, a.high}) {
        for (const std::int64_t y : {b.low, b.high}) {
            std::int64_t value = 0;
            if (operation(x, y, &value)) {
                return false;
            }
            out = first ? Range{value, value} : Range{std::min(out.low, value), std::max(out.high, value)};
            first = false;
        }
    }
    return true;
}

// False when a value may be beyond 64 bits or a quotient by zero.
bool combine(NumberProgram::Op op, const Range& a, const Range& b, Range& out)
{
    using enum NumberProgram::Op;
    switch (op) {
    case Add: return !__builtin_add_overflow(a.low, b.low, &out.low) && !__builtin_add_overflow(a.high, b.high, &out.high);
    case Subtract:
        return !__builtin_sub_overflow(a.low, b.high, &out.low) && !__builtin_sub_overflow(a.high, b.low, &out.high);
    case Multiply:
        if (a.low >= 0 && b.low >= 0) { // the common case; its extremes are known
            return !__builtin_mul_overflow(a.low, b.low, &out.low) && !__builtin_mul_overflow(a.high, b.high, &out.high);
        }
        return corners(
            a, b, [](std::int64_t x, std::int64_t y, std::int64_t* value) { return __builtin_mul_overflow(x, y, value); },
            out);
    case Divide:
        return (b.low > 0 || b.high < 0)
            && corners(
                   a, b,
                   [](std::int64_t x, std::int64_t y, std::int64_t* value) {
                       const Result<std::int64_t> quotient = NumberReader::combine('/', x, y, 0);
                       *value = quotient ? *quotient : 0;
                       return !quotient;
                   },
                   out);
    case Constant:
    case Knob:
    case Negate: break;
    }
    return false;
}

// The left and the right side; nothing when one of them may be beyond 64 bits or a quotient by zero.
std::optional<std::pair<Range, Range>> sidesOf(const KnobConstraint& constraint, std::span<const Range> ranges,
                                               std::vector<Range>& stack)
{
    using enum NumberProgram::Op;
    const std::vector<NumberProgram::Instruction>& instructions = constraint.sides.instructions;
    stack.resize(std::max(stack.size(), instructions.size()));
    std::size_t size = 0;
    for (const NumberProgram::Instruction& instruction : instructions) {
        if (instruction.op == Constant) {
            stack[size++] = {instruction.value, instruction.value};
            continue;
        }
        if (instruction.op == Knob) {
            stack[size++] = ranges[static_cast<std::size_t>(instruction.value)];
            continue;
        }
        const bool negation = instruction.op == Negate;
        const Range right = stack[size - 1];
        const Range left = negation ? Range{} : stack[size - 2];
        size -= negation ? 1 : 2;
        if (!combine(negation ? Subtract : instruction.op, left, right, stack[size++])) {
            return std::nullopt;
        }
    }
    return std::pair(stack[0], stack[1]);
}

Holds less(const Range& a, const Range& b)
{
    return a.high < b.low ? Holds::Yes : a.low >= b.high ? Holds::No : Holds::Unknown;
}

Holds equal(const Range& a, const Range& b)
{
    if (a.high < b.low || b.high < a.low) {
        return Holds::No;
    }
    return a.low == a.high && b.low == b.high ? Holds::Yes : Holds::Unknown;
}

Holds opposite(Holds holds)
{
    return holds == Holds::Yes ? Holds::No : holds == Holds::No ? Holds::Yes : Holds::Unknown;
}

std::vector<Range> pointsOf(std::span<const std::int64_t> values)
{
    std::vector<Range> points;
    std::transform(values.begin(), values.end(), std::back_inserter(points),
                   [](std::int64_t value) { return Range{value, value}; });
    return points;
}

} // namespace

Result<KnobConstraint> parseConstraint(std::string_view text, const Target* target,
                                       const std::function<void(int column, std::string_view name)>& onKnob)
{
    KnobConstraint constraint;
    NumberScope scope{target,
                      [&](int column, std::string_view name) {
                          onKnob(column, name);
                          return Result<std::int64_t>(std::int64_t{1});
                      },
                      {},
                      true,
                      &constraint.sides};
    NumberReader reader(text, scope);
    const Result<std::int64_t> left = reader.sum();
    if (!left) {
        return left.error();
    }
    const auto found = std::find_if(kSpellings.begin(), kSpellings.end(),
                                    [&](const Spelling& spelling) { return reader.take(spelling.mark); });
    if (found == kSpellings.end()) {
        return reader.unexpected("a comparison (<=, <, >=, >, == or !=)");
    }
    constraint.comparison = found->comparison;
    const Result<std::int64_t> right = reader.sum();
    if (!right) {
        return right.error();
    }
    if (!reader.atEnd()) {
        return reader.unexpected("an operator or the end of the line");
    }
    constraint.text = join(splitWords(text), " ");
    return constraint;
}

std::string canonicalConstraint(std::string_view text)
{
    const std::size_t at = text.find_first_of("<>=!");
    if (at == std::string_view::npos) {
        return canonicalNumber(text);
    }
    const std::size_t end = text.find_first_not_of("<>=!", at);
    return format("{} {} {}", canonicalNumber(text.substr(0, at)), text.substr(at, end - at),
                  canonicalNumber(end == std::string_view::npos ? std::string_view() : text.substr(end)));
}

Holds judge(const KnobConstraint& constraint, std::span<const Range> ranges, std::vector<Range>& stack)
{
    const std::optional<std::pair<Range, Range>> sides = sidesOf(constraint, ranges, stack);
    if (!sides) {
        const bool points = std::all_of(ranges.begin(), ranges.end(), [](const Range& r) { return r.low == r.high; });
        return points ? Holds::No : Holds::Unknown;
    }
    const auto& [left, right] = *sides;
    switch (constraint.comparison) {
    case Comparison::Less: return less(left, right);
    case Comparison::LessEqual: return opposite(less(right, left));
    case Comparison::Greater: return less(right, left);
    case Comparison::GreaterEqual: return opposite(less(left, right));
    case Comparison::Equal: return equal(left, right);
    case Comparison::Unequal: return opposite(equal(left, right));
    }
    return Holds::Unknown;
}

std::optional<std::string> violation(const KnobConstraint& constraint, std::span<const std::int64_t> values)
{
    const std::vector<Range> points = pointsOf(values);
    std::vector<Range> stack;
    if (judge(constraint, points, stack) == Holds::Yes) {
        return std::nullopt;
    }
    const std::optional<std::pair<Range, Range>> sides = sidesOf(constraint, points, stack);
    if (!sides) {
        return format("{} cannot be computed: a division by zero, or a number beyond 64 bits", constraint.text);
    }
    return format("{} does not hold: {} {} {}", constraint.text, sides->first.low, markOf(constraint.comparison),
                  sides->second.low);
}

} // namespace nw::schedule
