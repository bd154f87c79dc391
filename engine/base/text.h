#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

namespace nw {

using fmt::format;

std::string join(const std::vector<std::string>& parts, std::string_view separator);
std::vector<std::string> splitText(std::string_view text, char separator); // keeps empty parts
std::vector<std::string> splitWords(std::string_view text);                // by white space, no empty parts
std::string_view trim(std::string_view text);
std::string indent(std::string_view text, int spaces);
// Closest of `candidates` by edit distance, or empty when none is near: "did you mean".
std::string nearest(std::string_view word, const std::vector<std::string>& candidates);
// Value as text that parses back to the same double, with a '.' or exponent.
std::string shortestDouble(double value);
std::string shortestFloat(float value);

} // namespace nw
