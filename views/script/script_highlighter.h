#pragma once

#include "views/common/theme.h"

#include <QStringList>
#include <QSyntaxHighlighter>

#include <vector>

namespace nw::views {

// What a stretch of a line is, for its colour.
enum class ScriptPart { Name, Value, Keyword, Comment };
struct ScriptSpan {
    int from = 0, length = 0;
    ScriptPart part = ScriptPart::Name;
};
// Names are what the step acts on first and the loops it makes; values are numbers, choice lists and knobs.
std::vector<ScriptSpan> spansOf(const QString& line, const QStringList& primitives);

class ScriptHighlighter : public QSyntaxHighlighter {
    Q_OBJECT
public:
    explicit ScriptHighlighter(QTextDocument* document);
    void setPrimitiveNames(const QStringList& names);
    void setTheme(const Theme& theme);

protected:
    void highlightBlock(const QString& line) override;

private:
    QStringList m_primitives;
    Theme m_theme;
};

} // namespace nw::views
