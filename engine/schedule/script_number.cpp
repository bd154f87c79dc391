#include "engine/schedule/script_number.h"

#include "engine/base/divisors.h"
#include "engine/base/text.h"
#include "engine/schedule/number_reader.h"

#include <algorithm>
#include <iterator>
#include <set>

namespace nw::schedule {

namespace {

constexpr std::int64_t kDivisorLimit = std::int64_t{1} << 40;

Result<std::vector<std::int64_t>> divisorsOf(NumberReader& reader)
{
    if (!reader.take("(")) {
        return reader.unexpected("'(' behind divisors");
    }
    const Result<std::int64_t> number = reader.sum();
    if (!number) {
        return number.error();
    }
    if (!reader.take(")")) {
        return reader.unexpected("')'");
    }
    if (*number < 1 || *number > kDivisorLimit) {
        return reader.error(format("divisors of {} cannot be listed; the number must be 1 to {}", *number, kDivisorLimit));
    }
    std::vector<std::int64_t> found = divisors(*number);
    if (reader.takeWord("up")) {
        if (!reader.takeWord("to")) {
            return reader.unexpected("\"to\" behind \"up\"");
        }
        const Result<std::int64_t> limit = reader.sum();
        if (!limit) {
            return limit.error();
        }
        std::erase_if(found, [&](std::int64_t d) { return d > *limit; });
    }
    if (found.empty()) {
        return reader.error("no divisor is left below the limit");
    }
    return found;
}

Result<std::vector<std::int64_t>> steppedRange(NumberReader& reader)
{
    const Result<std::int64_t> low = reader.sum();
    if (!low) {
        return low.error();
    }
    if (!reader.take("..")) {
        return reader.unexpected("\"..\" and the highest value");
    }
    const Result<std::int64_t> high = reader.sum();
    if (!high) {
        return high.error();
    }
    std::int64_t step = 1;
    if (reader.takeWord("step")) {
        const Result<std::int64_t> given = reader.sum();
        if (!given) {
            return given.error();
        }
        step = *given;
    }
    if (step < 1 || *high < *low) {
        return reader.error("a range needs lowest..highest and a step of at least 1");
    }
    std::vector<std::int64_t> choices;
    for (std::int64_t value = *low; value <= *high;) {
        choices.push_back(value);
        if (choices.size() > NumberReader::kChoiceLimit) {
            return reader.error(format("a knob has at most {} choices", NumberReader::kChoiceLimit));
        }
        if (__builtin_add_overflow(value, step, &value)) {
            break;
        }
    }
    return choices;
}

Result<std::int64_t> onOrOff(NumberReader& reader)
{
    if (reader.takeWord("on")) {
        return std::int64_t{1};
    }
    if (reader.takeWord("off")) {
        return std::int64_t{0};
    }
    return reader.unexpected("\"on\" or \"off\"");
}

} // namespace

Result<std::int64_t> evalNumber(std::string_view text, const NumberScope& scope)
{
    NumberReader reader(text, scope);
    Result<std::int64_t> value = reader.sum();
    if (value && !reader.atEnd()) {
        return reader.unexpected("an operator");
    }
    return value;
}

Result<KnobRange> parseKnobRange(std::string_view text, const Target* target)
{
    const NumberScope scope{target, {}, {}};
    NumberReader reader(text, scope);
    const bool isSwitch = reader.takeWord("switch");
    const Result<std::vector<std::int64_t>> choices = isSwitch ? std::vector<std::int64_t>{0, 1}
        : reader.takeWord("divisors")                          ? divisorsOf(reader)
        : reader.peek() == '{'                                 ? reader.choiceList()
                                                               : steppedRange(reader);
    if (!choices) {
        return choices.error();
    }
    KnobRange range{distinct(*choices), 0};
    range.defaultValue = range.choices.front();
    if (reader.takeWord("default")) {
        const Result<std::int64_t> value = isSwitch ? onOrOff(reader) : reader.sum();
        if (!value) {
            return value.error();
        }
        if (std::find(range.choices.begin(), range.choices.end(), *value) == range.choices.end()) {
            return reader.error(format("the default {} is not among the choices", *value));
        }
        range.defaultValue = *value;
    }
    if (!reader.atEnd()) {
        return reader.unexpected("\"default\" or the end of the line");
    }
    return range;
}

std::vector<std::int64_t> distinct(const std::vector<std::int64_t>& values)
{
    std::set<std::int64_t> seen;
    std::vector<std::int64_t> kept;
    std::copy_if(values.begin(), values.end(), std::back_inserter(kept),
                 [&](std::int64_t value) { return seen.insert(value).second; });
    return kept;
}

std::string canonicalNumber(std::string_view text)
{
    std::string canonical;
    for (const char c : text) {
        if (c != ' ' && c != '\t' && c != '\r' && c != '\v' && c != '\f') {
            canonical += c;
            if (c == ',') {
                canonical += ' ';
            }
        }
    }
    return canonical;
}

bool isNameStart(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool isNameChar(char c) { return isNameStart(c) || (c >= '0' && c <= '9') || c == '.'; }
bool isName(std::string_view text)
{
    return !text.empty() && isNameStart(text.front()) && std::all_of(text.begin(), text.end(), isNameChar);
}

std::vector<std::string_view> mapNumbers(std::string_view text)
{
    std::vector<std::string_view> pieces;
    for (std::size_t at = 0; at < text.size();) {
        const bool knob = text[at] == '?';
        if (!knob && !isNameStart(text[at])) {
            ++at;
            continue;
        }
        std::size_t end = at + 1;
        while (end < text.size() && isNameChar(text[end])) {
            ++end;
        }
        const std::string_view word = text.substr(at, end - at);
        if (word == "lanes" || word == "registers" || word == "cache") {
            const std::size_t close = text.find(')', end);
            end = close == std::string_view::npos ? end : close + 1;
            pieces.push_back(text.substr(at, end - at));
        } else if (knob || word == "threads") {
            pieces.push_back(word);
        }
        at = end;
    }
    return pieces;
}

Result<std::string> fillMapNumbers(std::string_view text,
                                   const std::function<Result<std::int64_t>(std::string_view, int)>& value)
{
    std::string filled;
    std::size_t done = 0;
    for (const std::string_view piece : mapNumbers(text)) {
        const auto at = static_cast<std::size_t>(piece.data() - text.data());
        const Result<std::int64_t> number = value(piece, static_cast<int>(at) + 1);
        if (!number) {
            return number.error();
        }
        filled += std::string(text.substr(done, at - done)) + std::to_string(*number);
        done = at + piece.size();
    }
    return filled + std::string(text.substr(done));
}

} // namespace nw::schedule
