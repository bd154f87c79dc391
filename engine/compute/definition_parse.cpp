#include "engine/base/expr_parse.h"
#include "engine/base/text.h"
#include "engine/compute/definition_text.h"

#include <algorithm>
#include <cctype>
#include <charconv>

namespace nw::compute {
namespace {

bool isNameChar(char c)
{
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '.';
}

// Reads one definition from `m_flat`, the text with its line ends turned into blanks: what a line continues needs no
// mark, because every item starts with a word of its own.
class Reader {
public:
    explicit Reader(std::string_view text)
        : m_text(text)
        , m_flat(text)
    {
        std::replace_if(
            m_flat.begin(), m_flat.end(), [](char c) { return c == '\n' || c == '\r' || c == '\t'; }, ' ');
    }

    Result<Definition> read()
    {
        const std::vector<std::size_t> starts = itemStarts();
        if (starts.empty() || trim(m_flat.substr(0, starts.front())).size() > 0) {
            return errorAt(0, "a definition starts with the line \"definition KIND\"");
        }
        for (std::size_t i = 0; i < starts.size(); ++i) {
            m_at = starts[i];
            m_end = i + 1 < starts.size() ? starts[i + 1] : m_flat.size();
            if (Status status = readItem(i == 0); !status) {
                return status.error();
            }
        }
        if (const std::string fault = verify(m_definition); !fault.empty()) {
            return failed("the definition is not sound: " + fault);
        }
        return std::move(m_definition);
    }

private:
    // Offsets of the lines that begin with "definition NAME", "input NAME", ..., "stage NAME".
    std::vector<std::size_t> itemStarts() const
    {
        std::vector<std::size_t> starts;
        std::size_t line = 0;
        while (line < m_text.size()) {
            const std::size_t next = std::min(m_text.find('\n', line), m_text.size());
            const std::size_t first = std::min(m_text.find_first_not_of(" \t\r", line), next);
            std::size_t end = first;
            while (end < next && isNameChar(m_text[end])) {
                ++end;
            }
            const std::string_view word = m_text.substr(first, end - first);
            const bool isItem = word == "definition" || word == "stage" || portKindOf(word).has_value();
            const std::size_t after = std::min(m_text.find_first_not_of(" \t", end), next);
            if (isItem && after > end && after < next && isNameChar(m_text[after])) {
                starts.push_back(first);
            }
            line = next + 1;
        }
        return starts;
    }

    Error errorAt(std::size_t offset, std::string message) const
    {
        const std::string_view before = m_text.substr(0, std::min(offset, m_text.size()));
        const int line = static_cast<int>(std::count(before.begin(), before.end(), '\n')) + 1;
        const std::size_t start = before.rfind('\n') == std::string_view::npos ? 0 : before.rfind('\n') + 1;
        return failed(std::move(message)).at(line, static_cast<int>(before.size() - start) + 1);
    }

    void skipSpace()
    {
        while (m_at < m_end && m_flat[m_at] == ' ') {
            ++m_at;
        }
    }

    std::string word()
    {
        skipSpace();
        const std::size_t start = m_at;
        while (m_at < m_end && isNameChar(m_flat[m_at])) {
            ++m_at;
        }
        return m_flat.substr(start, m_at - start);
    }

    bool take(std::string_view token)
    {
        skipSpace();
        if (m_flat.compare(m_at, token.size(), token) != 0 || m_at + token.size() > m_end) {
            return false;
        }
        m_at += token.size();
        return true;
    }

    Result<Expr> expression(std::size_t start, std::size_t end)
    {
        ExprNames names;
        names.typeOfBuffer = [this](const std::string& buffer) -> Result<DType> {
            if (const Port* const port = m_definition.port(buffer)) {
                return port->type;
            }
            if (const Stage* const writer = m_definition.writerOf(buffer)) {
                return writer->type;
            }
            return failed("there is no port or earlier stage \"" + buffer + "\"");
        };
        Result<Expr> parsed = parseExpr(std::string_view(m_flat).substr(start, end - start), names);
        if (!parsed) {
            const auto column = static_cast<std::size_t>(std::max(parsed.error().column, 1));
            return errorAt(start + column - 1, parsed.error().message);
        }
        return parsed;
    }

    // The ranges of text between the commas of "[...]", which starts here.
    Result<std::vector<std::pair<std::size_t, std::size_t>>> bracketed()
    {
        if (!take("[")) {
            return errorAt(m_at, "expected \"[\"");
        }
        std::vector<std::pair<std::size_t, std::size_t>> parts;
        std::size_t start = m_at;
        int depth = 0;
        for (; m_at < m_end; ++m_at) {
            const char c = m_flat[m_at];
            if ((c == ',' || c == ']') && depth == 0) {
                if (c == ',' || !trim(m_flat.substr(start, m_at - start)).empty() || !parts.empty()) {
                    parts.emplace_back(start, m_at);
                }
                start = m_at + 1;
                if (c == ']') {
                    ++m_at;
                    return parts;
                }
            }
            depth += c == '(' || c == '[' ? 1 : c == ')' || c == ']' ? -1 : 0;
        }
        return errorAt(m_at, "expected \"]\"");
    }

    Result<std::vector<Axis>> axes()
    {
        const auto parts = bracketed();
        if (!parts) {
            return parts.error();
        }
        std::vector<Axis> result;
        for (const auto& [start, end] : *parts) {
            const std::size_t colon = m_flat.find(':', start);
            const std::string name(trim(std::string_view(m_flat).substr(start, std::min(colon, end) - start)));
            if (colon >= end || name.empty() || !std::all_of(name.begin(), name.end(), isNameChar)) {
                return errorAt(start, "expected an axis as NAME:EXTENT");
            }
            Result<Expr> extent = expression(colon + 1, end);
            if (!extent) {
                return extent.error();
            }
            result.push_back({name, *extent});
        }
        return result;
    }

    Result<DType> type()
    {
        const std::string text = word();
        const std::optional<DType> found = parseDType(text);
        if (!found) {
            return errorAt(m_at - text.size(), "\"" + text + "\" is not an element type");
        }
        return *found;
    }

    Result<double> number()
    {
        skipSpace();
        double value = 0;
        const auto [end, code] = std::from_chars(m_flat.data() + m_at, m_flat.data() + m_end, value);
        if (code != std::errc{}) {
            return errorAt(m_at, "expected a number");
        }
        m_at = static_cast<std::size_t>(end - m_flat.data());
        return value;
    }

    Status readItem(bool first)
    {
        const std::size_t start = m_at;
        const std::string keyword = word();
        if (first != (keyword == "definition")) {
            return errorAt(start, "a definition starts with one line \"definition KIND\"");
        }
        if (first) {
            m_definition.kind = word();
        } else if (keyword == "stage") {
            if (Status status = readStage(); !status) {
                return status;
            }
        } else if (Status status = readPort(*portKindOf(keyword)); !status) {
            return status;
        }
        skipSpace();
        if (m_at < m_end) {
            return errorAt(m_at, "unexpected text after this " + keyword);
        }
        return Done{};
    }

    Status readPort(PortKind kind)
    {
        Port port;
        port.kind = kind;
        port.name = word();
        const Result<DType> element = type();
        if (!element) {
            return element.error();
        }
        port.type = *element;
        const auto parts = bracketed();
        if (!parts) {
            return parts.error();
        }
        for (const auto& [start, end] : *parts) {
            Result<Expr> extent = expression(start, end);
            if (!extent) {
                return extent.error();
            }
            port.shape.push_back(*extent);
        }
        if (take("range")) {
            const Result<double> low = number();
            const Result<double> high = low ? number() : low;
            if (!high) {
                return high.error();
            }
            port.range = {*low, *high};
        }
        m_definition.ports.push_back(std::move(port));
        return Done{};
    }

    Status readStage()
    {
        Stage stage;
        stage.name = word();
        stage.buffer = take("->") ? word() : stage.name;
        const Result<DType> element = type();
        Result<std::vector<Axis>> spatial = element ? axes() : element.error();
        if (!spatial) {
            return spatial.error();
        }
        stage.type = *element;
        stage.spatial = *std::move(spatial);
        if (!take("=")) {
            if (Status status = readCombiner(stage); !status) {
                return status;
            }
        }
        Result<Expr> body = expression(m_at, m_end);
        if (!body) {
            return body.error();
        }
        stage.body = *std::move(body);
        m_at = m_end;
        m_definition.stages.push_back(std::move(stage));
        return Done{};
    }

    // "sum [ic:64] from 0.0 ="
    Status readCombiner(Stage& stage)
    {
        const std::string name = word();
        const std::optional<Combiner> combiner = combinerOf(name);
        if (!combiner) {
            return errorAt(m_at - name.size(), "expected \"=\" or one of sum, prod, max, min");
        }
        stage.combiner = *combiner;
        Result<std::vector<Axis>> reduction = axes();
        if (!reduction) {
            return reduction.error();
        }
        stage.reduction = *std::move(reduction);
        const std::size_t equals = m_flat.find('=', m_at);
        if (!take("from") || equals >= m_end) {
            return errorAt(m_at, "expected \"from INITIAL = BODY\"");
        }
        Result<Expr> init = expression(m_at, equals);
        if (!init) {
            return init.error();
        }
        stage.init = *std::move(init);
        m_at = equals + 1;
        return Done{};
    }

    std::string_view m_text;
    std::string m_flat;
    std::size_t m_at = 0;
    std::size_t m_end = 0;
    Definition m_definition;
};

} // namespace

Result<Definition> parseDefinition(std::string_view text)
{
    return Reader(text).read();
}

} // namespace nw::compute
