#include "engine/base/expr_parse.h"

#include "engine/base/expr_names.h"
#include "engine/base/expr_token.h"
#include "engine/base/text.h"

#include <charconv>
#include <cmath>
#include <limits>

namespace nw {
namespace {

// Guards the stack against text made to exhaust it.
constexpr int kMostNested = 200;
constexpr int kDeepestTree = 2000;

struct Part {
    Expr e;
    int depth = 1;
};

class Parser {
public:
    Parser(std::string_view text, const ExprNames& names)
        : m_text(text)
        , m_names(names)
        , m_token(tokenAt(text, 0))
    {}

    Result<Expr> whole()
    {
        const Result<Part> part = operation(kOrStrength);
        if (!part) {
            return part.error();
        }
        if (m_token.kind != Token::Kind::End) {
            return unexpected("the end or an operator");
        }
        return part->e;
    }

private:
    Error wrong(std::string message, std::size_t begin) const
    {
        return refused(std::move(message)).at(1, static_cast<int>(begin) + 1);
    }
    Error unexpected(std::string_view wanted) const
    {
        const std::string found
            = m_token.kind == Token::Kind::End ? "the text ends" : format("\"{}\" was found", m_token.text);
        return wrong(format("Expected {}, but {}.", wanted, found), m_token.begin);
    }

    void advance() { m_token = tokenAt(m_text, m_token.begin + m_token.text.size()); }
    bool isSign(std::string_view sign) const { return m_token.kind == Token::Kind::Sign && m_token.text == sign; }
    bool take(std::string_view sign)
    {
        if (!isSign(sign)) {
            return false;
        }
        advance();
        return true;
    }

    Result<Part> made(Expr e, int below, std::size_t begin) const
    {
        if (below >= kDeepestTree) {
            return wrong(format("The expression has more than {} operations inside each other.", kDeepestTree), begin);
        }
        return Part{std::move(e), below + 1};
    }

    // Strength of the infix operator at the token, 0 when there is none.
    int strengthHere() const
    {
        if (m_token.kind != Token::Kind::Sign) {
            return 0;
        }
        const std::optional<BinaryOp> op = infixNamed(m_token.text, DType::I64);
        return op ? notationOf(*op, DType::I64).strength : 0;
    }

    Result<Part> operation(int minimum)
    {
        Result<Part> left = operand();
        int strongest = std::numeric_limits<int>::max();
        while (left) {
            const int strength = strengthHere();
            if (strength < minimum) {
                break;
            }
            const Token sign = m_token;
            if (strength == kCompareStrength && strongest == kCompareStrength) {
                return wrong("Comparisons do not chain. Put one of them in parentheses or join them by &&.", sign.begin);
            }
            strongest = strength;
            advance();
            const Result<Part> right = operation(strength + 1);
            if (!right) {
                return right;
            }
            const std::optional<BinaryOp> op = infixNamed(sign.text, left->e->type());
            left = combined(*op, sign, *left, *right);
        }
        return left;
    }

    Result<Part> combined(BinaryOp op, const Token& place, const Part& a, const Part& b) const
    {
        const bool isFloatModulo = place.text == "%" && isFloat(a.e->type());
        if (isFloatModulo || !resultType(op, a.e->type(), b.e->type())) {
            return wrong(format("\"{}\" does not take {} and {}.", place.text, toText(a.e->type()), toText(b.e->type())),
                         place.begin);
        }
        return made(binary(op, a.e, b.e), std::max(a.depth, b.depth), place.begin);
    }

    Result<Part> operand()
    {
        if (m_nested >= kMostNested) {
            return wrong(format("The expression is nested more than {} times.", kMostNested), m_token.begin);
        }
        ++m_nested;
        Result<Part> part = operandInside();
        --m_nested;
        return part;
    }

    Result<Part> operandInside()
    {
        const Token first = m_token;
        if (take("(")) {
            Result<Part> inside = operation(kOrStrength);
            if (inside && !take(")")) {
                return unexpected("\")\"");
            }
            return inside;
        }
        if (take("-")) {
            const bool isNumber = m_token.kind == Token::Kind::Number
                || (m_token.kind == Token::Kind::Name && m_token.text.substr(0, 3) == "inf" && isLiteralWord(m_token.text));
            return isNumber ? number(true) : signedOperand(UnaryOp::Neg, first);
        }
        if (take("!")) {
            return signedOperand(UnaryOp::Not, first);
        }
        if (m_token.kind == Token::Kind::Number) {
            return number(false);
        }
        if (m_token.kind != Token::Kind::Name) {
            return unexpected("a value");
        }
        if (isLiteralWord(m_token.text)) {
            if (m_token.text == "true" || m_token.text == "false") {
                advance();
                return Part{boolImm(first.text == "true"), 1};
            }
            return number(false);
        }
        return named();
    }

    Result<Part> signedOperand(UnaryOp op, const Token& place)
    {
        const Result<Part> a = operand();
        return a ? applied(op, place, *a) : a;
    }

    Result<Part> applied(UnaryOp op, const Token& place, const Part& a) const
    {
        if (!resultType(op, a.e->type())) {
            return wrong(format("\"{}\" does not take {}.", place.text, toText(a.e->type())), place.begin);
        }
        return made(unary(op, a.e), a.depth, place.begin);
    }

    // The literal at the token; `isNegative` when a minus stood before it.
    Result<Part> number(bool isNegative)
    {
        const Token token = m_token;
        advance();
        std::string text = (isNegative ? "-" : "") + std::string(token.text);
        if (token.text.find_first_of(".edinf") == std::string_view::npos) {
            std::int64_t value = 0;
            const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
            if (code != std::errc() || end != text.data() + text.size()) {
                return wrong(format("The number {} does not fit 64 bits.", text), token.begin);
            }
            return Part{intImm(value), 1};
        }
        const bool isDouble = text.back() == 'd';
        if (isDouble) {
            text.pop_back();
        }
        const char* const begin = text.data();
        const char* const end = begin + text.size();
        double value = 0;
        float narrow = 0;
        const std::from_chars_result read
            = isDouble ? std::from_chars(begin, end, value) : std::from_chars(begin, end, narrow);
        if (read.ec != std::errc() || read.ptr != end) {
            return wrong(format("The number {} does not fit {}.", text, isDouble ? "f64" : "f32"), token.begin);
        }
        return Part{floatImm(isDouble ? value : static_cast<double>(narrow), isDouble ? DType::F64 : DType::F32), 1};
    }

    Result<Part> named()
    {
        const Token name = m_token;
        advance();
        if (isSign("(")) {
            return called(name);
        }
        if (!isSign("[")) {
            const Result<DType> type
                = m_names.typeOfVar ? m_names.typeOfVar(std::string(name.text)) : Result<DType>(DType::I64);
            if (!type) {
                return located(type.error(), name);
            }
            return Part{var(std::string(name.text), *type), 1};
        }
        const Result<DType> type
            = m_names.typeOfBuffer ? m_names.typeOfBuffer(std::string(name.text)) : Result<DType>(DType::F32);
        if (!type) {
            return located(type.error(), name);
        }
        std::size_t place = m_token.begin;
        const Result<std::vector<Part>> indices = list("[", "]");
        if (!indices) {
            return indices.error();
        }
        std::vector<Expr> expressions;
        int depth = 0;
        for (const Part& index : *indices) {
            if (index.e->type() != DType::I64) {
                return wrong(format("An index of {} is {}, not i64.", name.text, toText(index.e->type())), place);
            }
            expressions.push_back(index.e);
            depth = std::max(depth, index.depth);
        }
        return made(load(std::string(name.text), *type, std::move(expressions)), depth, name.begin);
    }

    static Error located(Error error, const Token& name)
    {
        return std::move(error).at(1, static_cast<int>(name.begin) + 1);
    }

    Result<std::vector<Part>> list(std::string_view open, std::string_view close)
    {
        take(open);
        std::vector<Part> parts;
        if (take(close)) {
            return parts;
        }
        for (;;) {
            Result<Part> part = operation(kOrStrength);
            if (!part) {
                return part.error();
            }
            parts.push_back(*std::move(part));
            if (take(close)) {
                return parts;
            }
            if (!take(",")) {
                return unexpected(format("\",\" or \"{}\"", close));
            }
        }
    }

    Result<Part> called(const Token& name)
    {
        const Result<std::vector<Part>> list_ = list("(", ")");
        if (!list_) {
            return list_.error();
        }
        const std::vector<Part>& arguments = *list_;
        const std::optional<DType> type = parseDType(name.text);
        const std::optional<UnaryOp> one = unaryNamed(name.text);
        const std::optional<BinaryOp> two = functionNamed(name.text);
        const std::size_t wanted = name.text == "select" ? 3 : two ? 2 : (type || one) ? 1 : 0;
        if (wanted == 0) {
            return wrong(format("There is no function \"{}\".", name.text), name.begin);
        }
        if (arguments.size() != wanted) {
            return wrong(format("\"{}\" takes {} arguments, not {}.", name.text, wanted, arguments.size()), name.begin);
        }
        if (wanted == 3) {
            return chosen(name, arguments);
        }
        if (wanted == 2) {
            return combined(*two, name, arguments[0], arguments[1]);
        }
        if (one) {
            return applied(*one, name, arguments[0]);
        }
        if (byteSize(*type) == 0) {
            return wrong(format("Nothing can be cast to {}.", name.text), name.begin);
        }
        return made(castTo(*type, arguments[0].e), arguments[0].depth, name.begin);
    }

    Result<Part> chosen(const Token& name, const std::vector<Part>& arguments) const
    {
        const Expr& condition = arguments[0].e;
        if (condition->type() != DType::Bool) {
            return wrong(format("The condition of select is {}, not bool.", toText(condition->type())), name.begin);
        }
        if (arguments[1].e->type() != arguments[2].e->type()) {
            return wrong(format("The choices of select are {} and {}; they must be of one type.",
                                toText(arguments[1].e->type()), toText(arguments[2].e->type())),
                         name.begin);
        }
        const int depth = std::max({arguments[0].depth, arguments[1].depth, arguments[2].depth});
        return made(select(condition, arguments[1].e, arguments[2].e), depth, name.begin);
    }

    std::string_view m_text;
    const ExprNames& m_names;
    Token m_token;
    int m_nested = 0;
};

} // namespace

Result<Expr> parseExpr(std::string_view text, const ExprNames& names)
{
    return Parser(text, names).whole();
}

} // namespace nw
