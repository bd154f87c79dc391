#include "views/script/script_highlighter.h"

#include <QRegularExpression>
#include <QTextCharFormat>

#include <cmath>

namespace nw::views {
namespace {

double luminance(const QColor& color)
{
    const auto part = [](double v) { return v <= 0.03928 ? v / 12.92 : std::pow((v + 0.055) / 1.055, 2.4); };
    return 0.2126 * part(color.redF()) + 0.7152 * part(color.greenF()) + 0.0722 * part(color.blueF());
}

// A series colour is made for bars; as text on a light panel it has to be darker.
QColor asText(QColor color, const QColor& behind)
{
    const double ground = luminance(behind);
    for (int i = 0; i < 12 && ground > 0.5 && (ground + 0.05) / (luminance(color) + 0.05) < 4.5; ++i) {
        color = color.darker(110);
    }
    return color;
}

bool isKeyword(const QString& word)
{
    static const QStringList all = {QStringLiteral("into"), QStringLiteral("at"), QStringLiteral("in"), QStringLiteral("as"),
                                    QStringLiteral("when")};
    return all.contains(word);
}

} // namespace

std::vector<ScriptSpan> spansOf(const QString& line, const QStringList& primitives)
{
    std::vector<ScriptSpan> spans;
    const qsizetype hash = line.indexOf(QLatin1Char('#'));
    const QString code = hash >= 0 ? line.left(hash) : line;
    static const QRegularExpression word(
        QStringLiteral("\\{[^}]*\\}?|\\?[A-Za-z_]\\w*|[A-Za-z_]\\w*(?:\\([^)]*\\))?|\\d+|[^\\s]"));
    bool into = false;
    int index = 0;
    QString first;
    QString before;
    auto found = word.globalMatch(code);
    while (found.hasNext()) {
        const auto match = found.next();
        const QString text = match.captured();
        const int from = static_cast<int>(match.capturedStart());
        const int length = static_cast<int>(match.capturedLength());
        const QChar head = text.front();
        if (index == 0) {
            first = text;
        } else if (isKeyword(text)) {
            into = text == QLatin1String("into");
            spans.push_back({from, length, ScriptPart::Keyword});
        } else if (head.isDigit() || head == QLatin1Char('{') || head == QLatin1Char('?')
                   || (before == QLatin1String(":") && head.isLetter())) {
            spans.push_back({from, length, ScriptPart::Value});
        } else if (head.isLetter() && (into || (index == 1 && primitives.contains(first)))) {
            spans.push_back({from, length, ScriptPart::Name});
        }
        before = text;
        ++index;
    }
    if (hash >= 0) {
        spans.push_back({static_cast<int>(hash), static_cast<int>(line.size() - hash), ScriptPart::Comment});
    }
    return spans;
}

ScriptHighlighter::ScriptHighlighter(QTextDocument* document)
    : QSyntaxHighlighter(document)
    , m_theme(Theme::light())
{}

void ScriptHighlighter::setPrimitiveNames(const QStringList& names)
{
    m_primitives = names;
    rehighlight();
}

void ScriptHighlighter::setTheme(const Theme& theme)
{
    m_theme = theme;
    rehighlight();
}

void ScriptHighlighter::highlightBlock(const QString& line)
{
    for (const ScriptSpan& span : spansOf(line, m_primitives)) {
        QTextCharFormat format;
        switch (span.part) {
        case ScriptPart::Name: format.setForeground(m_theme.accent); break;
        case ScriptPart::Value: format.setForeground(asText(m_theme.seriesAuto, m_theme.panel)); break;
        case ScriptPart::Keyword: format.setForeground(m_theme.muted); break;
        case ScriptPart::Comment:
            format.setForeground(m_theme.muted);
            format.setFontItalic(true);
            break;
        }
        setFormat(span.from, span.length, format);
    }
}

} // namespace nw::views
