#pragma once

#include "views/common/theme.h"

#include <QSyntaxHighlighter>

namespace nw::views {

enum class CodeLanguage { Definition, Loops, Lowered, Llvm, Assembly };

// A store or load of the stack: values that found no register.
bool isSpillLine(const QString& line);

// Colours of words. By hand instead of by patterns: listings have tens of thousands of lines.
class CodeHighlighter : public QSyntaxHighlighter {
    Q_OBJECT
public:
    CodeHighlighter(QTextDocument* document, CodeLanguage language);
    void setTheme(const Theme& theme, bool again); // again: colours the whole text anew, at once

    enum class Word { Plain, Keyword, Number, Register, Vector };
    static Word wordKind(CodeLanguage language, QStringView word, bool isFirst);

protected:
    void highlightBlock(const QString& text) override;

private:
    CodeLanguage m_language;
    QTextCharFormat m_formats[5];
    QTextCharFormat m_comment, m_label;
};

} // namespace nw::views
