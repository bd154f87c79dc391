#include "views/code/code_highlighter.h"

#include <QFont>
#include <QSet>

namespace nw::views {
namespace {

using Word = CodeHighlighter::Word;

const QSet<QString>& keywords(CodeLanguage language)
{
    static const auto words = [](const char* text) {
        const QStringList list = QString::fromLatin1(text).split(QLatin1Char(' '));
        return QSet<QString>(list.begin(), list.end());
    };
    static const QSet<QString> definition = words("definition input constant output stage sum max min prod from select identity");
    static const QSet<QString> loops = words("for in parallel vector unrolled serial with if else select max min port registers stack heap output");
    static const QSet<QString> llvm = words(
        "define declare internal protected private call ret br phi load store getelementptr label switch select icmp fcmp add sub mul fadd "
        "fsub fmul fdiv insertelement extractelement shufflevector zext sext trunc sitofp fptosi bitcast alloca to align inbounds nuw nsw "
        "attributes target source_filename tail void ptr float double zeroinitializer poison undef null true false eq ne slt sgt sge sle");
    switch (language) {
    case CodeLanguage::Definition:
        return definition;
    case CodeLanguage::Loops:
    case CodeLanguage::Lowered:
        return loops;
    case CodeLanguage::Llvm:
    case CodeLanguage::Assembly:
        return llvm;
    }
    return llvm;
}

QString commentMark(CodeLanguage language)
{
    return language == CodeLanguage::Llvm ? QStringLiteral(";") : QStringLiteral("#");
}

bool isWordPart(QChar c)
{
    return c.isLetterOrNumber() || c == QLatin1Char('_') || c == QLatin1Char('.');
}

bool isVectorRegister(QStringView word)
{
    return word.startsWith(QLatin1String("%xmm")) || word.startsWith(QLatin1String("%ymm")) || word.startsWith(QLatin1String("%zmm"));
}

bool isNumber(QStringView word)
{
    const QChar first = word.front();
    return first.isDigit() || ((first == QLatin1Char('-') || first == QLatin1Char('$')) && word.size() > 1 && (word[1].isDigit() || word[1] == QLatin1Char('-')));
}

} // namespace

bool isSpillLine(const QString& line)
{
    return line.contains(QLatin1String("(%rsp")) || line.contains(QLatin1String("-byte Spill")) || line.contains(QLatin1String("-byte Reload"))
        || line.contains(QLatin1String("-byte Folded"));
}

CodeHighlighter::CodeHighlighter(QTextDocument* document, CodeLanguage language)
    : QSyntaxHighlighter(document)
    , m_language(language)
{}

void CodeHighlighter::setTheme(const Theme& theme, bool again)
{
    const auto set = [this](Word word, const QColor& color) { m_formats[static_cast<int>(word)].setForeground(color); };
    set(Word::Plain, theme.text);
    set(Word::Keyword, theme.accent);
    set(Word::Number, theme.unproven);
    set(Word::Register, theme.seriesHand);
    set(Word::Vector, theme.seriesLibrary);
    m_comment.setForeground(theme.muted);
    m_label.setForeground(theme.text);
    m_label.setFontWeight(QFont::DemiBold);
    if (again) {
        rehighlight();
    }
}

CodeHighlighter::Word CodeHighlighter::wordKind(CodeLanguage language, QStringView word, bool isFirst)
{
    if (word.isEmpty()) {
        return Word::Plain;
    }
    if (isNumber(word)) {
        return Word::Number;
    }
    if (language == CodeLanguage::Assembly) {
        if (word.front() == QLatin1Char('%')) {
            return isVectorRegister(word) ? Word::Register : Word::Plain;
        }
        if (!isFirst || word.front() == QLatin1Char('.')) {
            return Word::Plain;
        }
        return word.front() == QLatin1Char('v') ? Word::Vector : Word::Keyword;
    }
    if (language == CodeLanguage::Llvm && word.front() == QLatin1Char('%')) {
        return Word::Plain;
    }
    return keywords(language).contains(word.toString()) ? Word::Keyword : Word::Plain;
}

void CodeHighlighter::highlightBlock(const QString& text)
{
    qsizetype end = text.indexOf(commentMark(m_language));
    if (end >= 0) {
        setFormat(static_cast<int>(end), static_cast<int>(text.size() - end), m_comment);
    } else {
        end = text.size();
    }
    const bool isCompiled = m_language == CodeLanguage::Llvm || m_language == CodeLanguage::Assembly;
    const qsizetype colon = text.indexOf(QLatin1Char(':'));
    if (isCompiled && colon > 0 && colon < end && !text.front().isSpace() && text.left(colon).indexOf(QLatin1Char(' ')) < 0) {
        setFormat(0, static_cast<int>(colon + 1), m_label);
        return;
    }
    bool isFirst = true;
    for (qsizetype i = 0; i < end;) {
        const QChar c = text[i];
        const bool isSign = (c == QLatin1Char('%') || c == QLatin1Char('$') || c == QLatin1Char('-')) && i + 1 < end && isWordPart(text[i + 1]);
        if (!isWordPart(c) && !isSign) {
            ++i;
            continue;
        }
        qsizetype stop = i + 1;
        while (stop < end && isWordPart(text[stop])) {
            // "0..64" is two numbers with dots between.
            if (text[stop] == QLatin1Char('.') && stop + 1 < end && text[stop + 1] == QLatin1Char('.')) {
                break;
            }
            ++stop;
        }
        const Word kind = wordKind(m_language, QStringView(text).sliced(i, stop - i), isFirst);
        isFirst = false;
        if (kind != Word::Plain) {
            setFormat(static_cast<int>(i), static_cast<int>(stop - i), m_formats[static_cast<int>(kind)]);
        }
        i = stop;
    }
}

} // namespace nw::views
