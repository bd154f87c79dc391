#pragma once

#include "engine/base/text.h"
#include "engine/schedule/script_number.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace nw::schedule {

// Reads number expressions from a text, evaluating as it goes. Errors carry the 1-based column.
class NumberReader {
public:
    static constexpr std::size_t kChoiceLimit = 4096;

    NumberReader(std::string_view text, const NumberScope& scope)
        : m_text(text)
        , m_scope(scope)
    {}

    Result<std::int64_t> sum()
    {
        if (++m_depth > kDepthLimit) {
            return error("the expression is nested too deeply");
        }
        Result<std::int64_t> left = product();
        for (char op = peek(); left && (op == '+' || op == '-'); op = peek()) {
            const std::size_t at = m_at++;
            const Result<std::int64_t> right = product();
            left = right ? combined(op, *left, *right, at) : right;
        }
        --m_depth;
        return left;
    }

    bool atEnd()
    {
        peek();
        return m_at >= m_text.size();
    }
    // Takes `word` when it stands here as a whole word.
    bool takeWord(std::string_view word)
    {
        peek();
        const std::size_t end = m_at + word.size();
        if (m_text.substr(m_at, word.size()) != word || (end < m_text.size() && isNameChar(m_text[end]))) {
            return false;
        }
        m_at = end;
        return true;
    }
    bool take(std::string_view mark)
    {
        peek();
        if (m_text.substr(m_at, mark.size()) != mark) {
            return false;
        }
        m_at += mark.size();
        return true;
    }
    Error error(std::string message) const { return errorAt(m_at, std::move(message)); }
    Error unexpected(const std::string& wanted)
    {
        return atEnd() ? error(wanted + " is missing at the end of the line")
                       : error(format("{} is expected here, not \"{}\"", wanted, m_text.substr(m_at)));
    }

    Result<std::vector<std::int64_t>> choiceList()
    {
        std::vector<std::int64_t> choices;
        ++m_at;
        while (true) {
            const Result<std::int64_t> value = sum();
            if (!value) {
                return value.error();
            }
            choices.push_back(*value);
            if (choices.size() > kChoiceLimit) {
                return error(format("a choice list has at most {} values", kChoiceLimit));
            }
            const char next = peek();
            if (next != ',' && next != '}') {
                return unexpected("',' or '}'");
            }
            ++m_at;
            if (next == '}') {
                return choices;
            }
        }
    }
    // Exact; errors at `at`, counted from 0.
    static Result<std::int64_t> combine(char op, std::int64_t a, std::int64_t b, std::size_t at)
    {
        std::int64_t value = 0;
        bool overflow = false;
        switch (op) {
        case '+': overflow = __builtin_add_overflow(a, b, &value); break;
        case '-': overflow = __builtin_sub_overflow(a, b, &value); break;
        case '*': overflow = __builtin_mul_overflow(a, b, &value); break;
        default:
            if (b == 0) {
                return errorAt(at, "division by zero");
            }
            overflow = b == -1 && a == std::numeric_limits<std::int64_t>::min();
            value = overflow ? 0 : floorQuotient(a, b);
        }
        return overflow ? Result<std::int64_t>(errorAt(at, "the number does not fit 64 bits")) : value;
    }

    char peek()
    {
        while (m_at < m_text.size() && isSpace(m_text[m_at])) {
            ++m_at;
        }
        return m_at < m_text.size() ? m_text[m_at] : '\0';
    }

private:
    static constexpr int kDepthLimit = 64;

    static bool isSpace(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f'; }
    static bool isDigit(char c) { return c >= '0' && c <= '9'; }
    static std::int64_t floorQuotient(std::int64_t a, std::int64_t b)
    {
        const std::int64_t q = a / b;
        return a % b != 0 && (a < 0) != (b < 0) ? q - 1 : q;
    }

    static Error errorAt(std::size_t at, std::string message)
    {
        return refused(std::move(message)).at(0, static_cast<int>(at) + 1);
    }

    Result<std::int64_t> combined(char op, std::int64_t a, std::int64_t b, std::size_t at)
    {
        using enum NumberProgram::Op;
        note(op == '+' ? Add : op == '-' ? Subtract : op == '*' ? Multiply : Divide);
        const Result<std::int64_t> value = combine(op, a, b, at);
        return value || m_scope.program == nullptr ? value : Result<std::int64_t>(std::int64_t{1});
    }

    void note(NumberProgram::Op op, std::int64_t value = 0)
    {
        if (m_scope.program != nullptr) {
            m_scope.program->instructions.push_back({op, value});
        }
    }
    void noteKnob(std::string_view name)
    {
        if (m_scope.program != nullptr) {
            std::vector<std::string>& knobs = m_scope.program->knobs;
            const auto found = std::find(knobs.begin(), knobs.end(), name);
            note(NumberProgram::Op::Knob, found - knobs.begin());
            if (found == knobs.end()) {
                knobs.emplace_back(name);
            }
        }
    }

    Result<std::int64_t> product()
    {
        Result<std::int64_t> left = factor();
        for (char op = peek(); left && (op == '*' || op == '/'); op = peek()) {
            const std::size_t at = m_at++;
            const Result<std::int64_t> right = factor();
            left = right ? combined(op, *left, *right, at) : right;
        }
        return left;
    }

    Result<std::int64_t> factor()
    {
        const char c = peek();
        if (c == '-') {
            if (++m_depth > kDepthLimit) {
                return error("the expression is nested too deeply");
            }
            const std::size_t at = m_at++;
            const Result<std::int64_t> value = factor();
            --m_depth;
            note(NumberProgram::Op::Negate);
            return value && m_scope.program == nullptr ? combine('-', 0, *value, at) : value;
        }
        if (isDigit(c)) {
            return integer();
        }
        if (c == '(') {
            ++m_at;
            const Result<std::int64_t> value = sum();
            if (value && !take(")")) {
                return unexpected("')'");
            }
            return value;
        }
        if (c == '{') {
            return choice();
        }
        if (c == '?') {
            const std::size_t at = m_at++;
            const std::string_view name = word();
            if (name.empty()) {
                return unexpected("the name of a knob");
            }
            return knob(at, name);
        }
        return isNameStart(c) ? quantity() : Result<std::int64_t>(unexpected("a number"));
    }

    Result<std::int64_t> knob(std::size_t at, std::string_view name)
    {
        if (!m_scope.knob) {
            return errorAt(at, "a knob cannot stand here");
        }
        noteKnob(name);
        return located(at, m_scope.knob(static_cast<int>(at) + 1, name));
    }

    Result<std::int64_t> integer()
    {
        const std::size_t at = m_at;
        std::int64_t value = 0;
        for (; m_at < m_text.size() && isDigit(m_text[m_at]); ++m_at) {
            if (__builtin_mul_overflow(value, std::int64_t{10}, &value)
                || __builtin_add_overflow(value, std::int64_t{m_text[m_at] - '0'}, &value)) {
                return errorAt(at, "the number does not fit 64 bits");
            }
        }
        note(NumberProgram::Op::Constant, value);
        return value;
    }

    Result<std::int64_t> choice()
    {
        const std::size_t at = m_at;
        Result<std::vector<std::int64_t>> choices = choiceList();
        if (!choices) {
            return choices.error();
        }
        if (!m_scope.choice) {
            return errorAt(at, "a choice list cannot stand here");
        }
        return located(at, m_scope.choice(static_cast<int>(at) + 1, *choices));
    }

    Result<std::int64_t> quantity()
    {
        const std::size_t at = m_at;
        const std::string name(word());
        if (name != "lanes" && name != "registers" && name != "cache" && name != "threads") {
            if (name == "divisors") {
                return errorAt(at, "divisors(...) stands only in a knob line");
            }
            if (m_scope.bareKnobs && peek() != '(') {
                return knob(at, name);
            }
            const std::string near = nearest(name, {"lanes", "registers", "cache", "threads"});
            return errorAt(at, format("\"{}\" is not a number{}", name,
                                      near.empty() ? "; lanes(f32), registers(f32), cache(L2), threads and ?knob are"
                                                   : format("; did you mean \"{}\"?", near)));
        }
        if (m_scope.target == nullptr) {
            return errorAt(at, format("{} needs a target", name));
        }
        const Result<std::int64_t> value = ofTarget(name);
        if (value) {
            note(NumberProgram::Op::Constant, *value);
        }
        return value;
    }

    Result<std::int64_t> ofTarget(const std::string& name)
    {
        if (name == "threads") {
            return std::int64_t{m_scope.target->cores};
        }
        if (!take("(")) {
            return unexpected(name == "cache" ? "(L1), (L2) or (L3)" : "an element type in parentheses, such as (f32),");
        }
        peek();
        const std::size_t argumentAt = m_at;
        const std::string argument(word());
        if (!take(")")) {
            return unexpected("')'");
        }
        return name == "cache" ? cacheBytes(argument, argumentAt) : perType(name, argument, argumentAt);
    }

    Result<std::int64_t> cacheBytes(const std::string& level, std::size_t at) const
    {
        if (level == "L1") {
            return m_scope.target->l1Bytes;
        }
        if (level == "L2") {
            return m_scope.target->l2Bytes;
        }
        if (level == "L3") {
            return m_scope.target->l3Bytes;
        }
        return errorAt(at, format("there is no cache \"{}\"; L1, L2 and L3 are known", level));
    }

    Result<std::int64_t> perType(const std::string& name, const std::string& typeName, std::size_t at) const
    {
        const std::optional<DType> type = parseDType(typeName);
        if (!type || byteSize(*type) == 0) {
            return errorAt(at, format("\"{}\" is no element type with a size; f32, f64, i32 and i64 are", typeName));
        }
        return name == "lanes" ? std::int64_t{m_scope.target->lanes(*type)}
                               : std::int64_t{m_scope.target->vectorRegisters};
    }

    static Result<std::int64_t> located(std::size_t at, Result<std::int64_t> value)
    {
        return value ? std::move(value) : Result<std::int64_t>(Error(value.error()).at(0, static_cast<int>(at) + 1));
    }

    std::string_view word()
    {
        peek();
        const std::size_t start = m_at;
        while (m_at < m_text.size() && isNameChar(m_text[m_at])) {
            ++m_at;
        }
        return m_text.substr(start, m_at - start);
    }

    std::string_view m_text;
    const NumberScope& m_scope;
    std::size_t m_at = 0;
    int m_depth = 0;
};

} // namespace nw::schedule
