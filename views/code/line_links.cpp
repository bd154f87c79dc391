#include "views/code/line_links.h"

#include <algorithm>
#include <charconv>

namespace nw::views {
namespace {

std::string_view takeWord(std::string_view& rest)
{
    const std::size_t begin = std::min(rest.find_first_not_of(' '), rest.size());
    const std::size_t end = std::min(rest.find(' ', begin), rest.size());
    const std::string_view word = rest.substr(begin, end - begin);
    rest.remove_prefix(end);
    return word;
}

long long numberAt(std::string_view text)
{
    long long value = 0;
    std::from_chars(text.data(), text.data() + text.size(), value);
    return value;
}

} // namespace

std::vector<std::string_view> linesOf(std::string_view text)
{
    std::vector<std::string_view> lines;
    while (!text.empty()) {
        const std::size_t end = std::min(text.find('\n'), text.size());
        lines.push_back(text.substr(0, end));
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return lines;
}

std::size_t indentOf(std::string_view line)
{
    return std::min(line.find_first_not_of(' '), line.size());
}

OpenedLoop openedLoop(std::string_view line)
{
    OpenedLoop opened;
    std::string_view name = takeWord(line);
    for (const std::string_view kind : {"for", "parallel", "vector", "unrolled"}) {
        if (name == kind) {
            opened.kind = name;
            name = takeWord(line);
            break;
        }
    }
    const std::string_view in = takeWord(line);
    const std::string_view range = takeWord(line);
    const std::size_t dots = range.find("..");
    if (in != "in" || dots == std::string_view::npos || name.empty()) {
        return {};
    }
    opened.name = name.substr(0, name.find(".init"));
    opened.extent = numberAt(range.substr(dots + 2)) - numberAt(range.substr(0, dots));
    return opened;
}

LineLinks linkIndented(std::string_view text)
{
    struct Open {
        std::string name;
        std::size_t indent;
    };
    std::vector<Open> around;
    LineLinks links;
    for (const std::string_view line : linesOf(text)) {
        LineLink link;
        const std::size_t indent = indentOf(line);
        if (indent == line.size()) {
            links.push_back(link);
            continue;
        }
        while (!around.empty() && around.back().indent >= indent) {
            around.pop_back();
        }
        if (OpenedLoop opened = openedLoop(line); !opened.name.empty()) {
            around.push_back({std::move(opened.name), indent});
            link.opens = true;
        }
        for (const Open& open : around) {
            link.loops.push_back(open.name);
        }
        links.push_back(std::move(link));
    }
    return links;
}

LineLinks linkDefinition(std::string_view text)
{
    LineLinks links;
    for (const std::string_view line : linesOf(text)) {
        LineLink link;
        if (line.starts_with("stage ")) {
            // "[n:1, oc:64]" and after "sum" (or another combiner) "[ic:64]": names are what stands before a colon.
            std::string_view head = line.substr(0, line.find(" = "));
            while (!head.empty()) {
                const std::size_t colon = head.find(':');
                if (colon == std::string_view::npos) {
                    break;
                }
                const std::size_t before = head.find_last_of(" [,", colon);
                link.loops.emplace_back(head.substr(before + 1, colon - before - 1));
                head.remove_prefix(colon + 1);
            }
        }
        links.push_back(std::move(link));
    }
    return links;
}

} // namespace nw::views
