#include "engine/model/onnx_read.h"

#include "engine/base/text.h"

#include <onnx/defs/parser.h>

#include <algorithm>
#include <cctype>
#include <cstdio>
#include <exception>

namespace nw::model {
namespace {

// The library's parser recurses once per nested graph; a deeper text would end its stack.
constexpr int kDeepest = 64;

Status checkNesting(std::string_view text)
{
    int depth = 0;
    int line = 1;
    bool quoted = false;
    bool comment = false;
    for (const char c : text) {
        if (c == '\n') {
            ++line;
            comment = false;
        }
        if (comment) {
            continue;
        }
        if (c == '"') {
            quoted = !quoted;
        }
        if (quoted) {
            continue;
        }
        comment = c == '#';
        depth += c == '{' || c == '(' || c == '[' ? 1 : 0;
        depth -= c == '}' || c == ')' || c == ']' ? 1 : 0;
        if (depth > kDeepest) {
            return failed(format("line {}: graphs nested more than {} deep cannot be read", line, kDeepest)).at(line, 1);
        }
    }
    return Done{};
}

// "[ParseError at position (line: 3 column: 7)]\nError context: ...\nwords" -> the words, with their place.
Error placed(const std::string& message)
{
    int line = 0;
    int column = 0;
    const std::size_t at = message.find("(line: ");
    if (at != std::string::npos) {
        std::sscanf(message.c_str() + at, "(line: %d column: %d)", &line, &column);
    }
    const std::size_t words = message.rfind('\n');
    std::string text(trim(words == std::string::npos ? message : message.substr(words + 1)));
    if (text.empty()) {
        text = "this is not ONNX text";
    }
    return failed(line > 0 ? format("line {}, column {}: {}", line, column, text) : text).at(line, column);
}

} // namespace

Status parseText(std::string_view text, onnx::ModelProto& proto)
{
    if (text.find('\0') != std::string_view::npos) {
        return failed("it is neither ONNX text (it has zero bytes) nor a binary ONNX model");
    }
    if (const Status nesting = checkNesting(text); !nesting) {
        return nesting;
    }
    const std::string owned(text);
    try {
        onnx::OnnxParser parser(owned.c_str());
        const onnx::Common::Status status = parser.Parse(proto);
        if (!status.IsOK()) {
            return placed(status.ErrorMessage());
        }
        if (!parser.EndOfInput()) {
            return placed(parser.GetCurrentPos() + "\nthere is more text after the model's end");
        }
    } catch (const std::exception& problem) {
        return failed(format("a number in the text cannot be read ({})", problem.what()));
    }
    return Done{};
}

} // namespace nw::model
