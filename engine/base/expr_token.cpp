#include "engine/base/expr_token.h"

namespace nw {
namespace {

bool isDigit(char c)
{
    return c >= '0' && c <= '9';
}

bool isNameStart(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

bool isNamePart(char c)
{
    return isNameStart(c) || isDigit(c) || c == '.';
}

std::size_t numberEnd(std::string_view text, std::size_t i)
{
    const auto digits = [&] {
        while (i < text.size() && isDigit(text[i])) {
            ++i;
        }
    };
    digits();
    if (i < text.size() && text[i] == '.') {
        ++i;
        digits();
    }
    if (i < text.size() && (text[i] == 'e' || text[i] == 'E')) {
        const std::size_t sign = i + 1 < text.size() && (text[i + 1] == '+' || text[i + 1] == '-') ? 1 : 0;
        if (i + 1 + sign < text.size() && isDigit(text[i + 1 + sign])) {
            i += 1 + sign;
            digits();
        }
    }
    if (i < text.size() && text[i] == 'd' && (i + 1 == text.size() || !isNamePart(text[i + 1]))) {
        ++i;
    }
    return i;
}

} // namespace

Token tokenAt(std::string_view text, std::size_t i)
{
    while (i < text.size() && (text[i] == ' ' || text[i] == '\t')) {
        ++i;
    }
    if (i == text.size()) {
        return {Token::Kind::End, {}, i};
    }
    std::size_t end = i + 1;
    Token::Kind kind = Token::Kind::Sign;
    if (isDigit(text[i]) || (text[i] == '.' && end < text.size() && isDigit(text[end]))) {
        kind = Token::Kind::Number;
        end = numberEnd(text, i);
    } else if (isNameStart(text[i])) {
        kind = Token::Kind::Name;
        while (end < text.size() && isNamePart(text[end])) {
            ++end;
        }
    } else {
        const std::string_view two = text.substr(i, 2);
        for (const std::string_view sign : {"||", "&&", "<=", ">=", "==", "!="}) {
            if (two == sign) {
                end = i + 2;
            }
        }
    }
    return {kind, text.substr(i, end - i), i};
}

} // namespace nw
