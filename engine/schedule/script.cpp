// A script as text again: as written, and canonically.

#include "engine/schedule/script.h"

#include "engine/base/hash.h"
#include "engine/base/text.h"
#include "engine/schedule/script_line.h"

#include <algorithm>

namespace nw::schedule {

namespace {

std::string partText(const Part& part)
{
    return part.extent ? format("{}:{}", part.name, *part.extent) : part.name + ":_";
}

std::string argText(const ArgValue& value)
{
    struct Writer {
        std::string operator()(std::monostate) const { return {}; }
        std::string operator()(const std::string& name) const { return name; }
        std::string operator()(const std::vector<std::string>& names) const { return join(names, " "); }
        std::string operator()(const std::vector<Part>& parts) const
        {
            std::vector<std::string> texts;
            std::transform(parts.begin(), parts.end(), std::back_inserter(texts), partText);
            return join(texts, " ");
        }
        std::string operator()(const IndexMap& map) const { return map.toText(); }
        std::string operator()(std::int64_t number) const { return std::to_string(number); }
    };
    return std::visit(Writer{}, value);
}

} // namespace

std::string Script::toText() const { return join(lines, "\n"); }

std::string Script::identity() const { return contentHash(canonicalText()); }

std::string Script::canonicalText() const
{
    // A line's canonical form needs only its own words, so it is made from the words that parsing kept.
    std::vector<std::string> texts(lines.size());
    for (const ScriptStep& step : steps) {
        texts[static_cast<std::size_t>(step.line) - 1] = canonicalStep(step);
    }
    std::string text;
    for (std::size_t i = 0; i < lines.size(); ++i) {
        const auto standsHere = [&](const auto& one) { return one.line == static_cast<int>(i) + 1 && texts[i].empty(); };
        if (std::any_of(knobs.begin(), knobs.end(), standsHere)) {
            texts[i] = canonicalKnobLine(lines[i]);
        } else if (std::any_of(constraints.begin(), constraints.end(), standsHere)) {
            texts[i] = canonicalRequireLine(lines[i]);
        }
        text += texts[i].empty() ? "" : texts[i] + "\n";
    }
    return text;
}

std::string stepText(const Primitive& primitive, const Args& args)
{
    std::string text = primitive.name;
    for (std::size_t i = 0; i < args.values.size() && i < primitive.params.size(); ++i) {
        const std::string value = argText(args.values[i]);
        if (value.empty()) {
            continue;
        }
        const std::string& keyword = primitive.params[i].keyword;
        text += (keyword.empty() ? " " : " " + keyword + " ") + value;
    }
    return text;
}

} // namespace nw::schedule
