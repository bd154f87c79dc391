#pragma once

#include <cstddef>
#include <string_view>

namespace nw {

// One word of an expression's text.
struct Token {
    enum class Kind { Number, Name, Sign, End };
    Kind kind = Kind::End;
    std::string_view text;
    std::size_t begin = 0;
};

// The token at or after `i`, past blanks. Numbers end in "d" when they are f64; names may hold dots.
Token tokenAt(std::string_view text, std::size_t i);

} // namespace nw
