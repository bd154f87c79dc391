#include "views/primitives/parts_editor.h"

#include "engine/base/divisors.h"
#include "engine/base/text.h"
#include "views/common/fonts.h"
#include "views/common/format.h"

#include <QEvent>
#include <QGridLayout>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QVBoxLayout>

#include <algorithm>

namespace nw::views {

PartsEditor::PartsEditor(const schedule::Param& param, const schedule::LoopNest& nest, QWidget* parent)
    : ParamEditor(parent)
    , m_nest(nest)
    , m_sum(new QLabel(this))
    , m_more(new QPushButton(tr("Add a part"), this))
    , m_less(new QPushButton(tr("Remove the last"), this))
{
    Q_UNUSED(param);
    m_sum->setObjectName(QStringLiteral("partsSum"));
    m_sum->setProperty("muted", true);
    m_sum->setWordWrap(true);
    m_more->setObjectName(QStringLiteral("partAdd"));
    m_less->setObjectName(QStringLiteral("partRemove"));
    for (QPushButton* button : {m_more, m_less}) {
        button->setProperty("link", true);
        button->setMinimumHeight(24);
    }
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(4);
    auto* buttons = new QHBoxLayout;
    buttons->setSpacing(12);
    buttons->addWidget(m_more);
    buttons->addWidget(m_less);
    buttons->addStretch(1);
    column->addLayout(buttons);
    column->addWidget(m_sum);
    connect(m_more, &QPushButton::clicked, this, [this] {
        std::vector<PartText> now = parts();
        const std::string base = m_loops.empty() ? "part" : m_loops.front();
        now.push_back({m_nest.freshName(base + std::to_string(now.size())), "2"});
        show(now);
        edited();
    });
    connect(m_less, &QPushButton::clicked, this, [this] {
        std::vector<PartText> now = parts();
        now.pop_back();
        show(now);
        edited();
    });
    show({});
}

std::vector<PartText> PartsEditor::parts() const
{
    std::vector<PartText> found;
    for (const Row& row : m_rows) {
        found.push_back({toStd(row.name->text().simplified()), toStd(row.extent->text().simplified())});
    }
    return found;
}

QString PartsEditor::words() const
{
    return fromStd(writeParts(parts()));
}

void PartsEditor::setWords(const QString& words)
{
    show(readParts(toStd(words)));
    edited();
}

void PartsEditor::show(const std::vector<PartText>& parts)
{
    delete m_grid;
    m_grid = new QWidget(this);
    auto* grid = new QGridLayout(m_grid);
    grid->setContentsMargins(0, 0, 0, 0);
    grid->setSpacing(4);
    grid->setColumnStretch(0, 3);
    grid->setColumnStretch(1, 2);
    m_rows.clear();
    for (std::size_t i = 0; i < parts.size(); ++i) {
        const auto field = [&](const char* what, const QString& spoken, const std::string& text) {
            auto* line = new QLineEdit(fromStd(text), m_grid);
            line->setObjectName(QLatin1String(what) + QString::number(i));
            line->setAccessibleName(spoken);
            line->setFont(codeFont());
            line->setMinimumWidth(48);
            line->installEventFilter(this);
            connect(line, &QLineEdit::textChanged, this, &PartsEditor::edited);
            return line;
        };
        const Row row{field("partName", tr("name of part %1").arg(i + 1), parts[i].name),
                      field("partExtent", tr("extent of part %1, _ is inferred").arg(i + 1), parts[i].extent)};
        grid->addWidget(row.name, static_cast<int>(i), 0);
        grid->addWidget(row.extent, static_cast<int>(i), 1);
        m_rows.push_back(row);
    }
    static_cast<QVBoxLayout*>(layout())->insertWidget(0, m_grid);
    m_less->setEnabled(m_rows.size() > 1);
    // The innermost number is the one most worth choosing.
    int aimed = static_cast<int>(parts.size()) - 1;
    while (aimed > 0 && parts[static_cast<std::size_t>(aimed)].extent == "_") {
        --aimed;
    }
    aim(aimed);
}

std::vector<std::int64_t> PartsEditor::numbersFor(int row) const
{
    if (row < 0 || m_loops.empty()) {
        return {};
    }
    const std::optional<std::int64_t> extent = extentOf(m_nest, m_loops[static_cast<std::size_t>(row) % m_loops.size()]);
    return extent ? properDivisors(*extent) : std::vector<std::int64_t>{};
}

void PartsEditor::aim(int row)
{
    m_aimed = row;
    if (m_chips != nullptr) {
        // One of them may be losing the focus right now.
        m_chips->hide();
        m_chips->setParent(nullptr);
        m_chips->deleteLater();
        m_chips = nullptr;
    }
    const std::vector<std::int64_t> numbers = numbersFor(row);
    if (row < 0 || row >= static_cast<int>(m_rows.size()) || numbers.empty()) {
        return;
    }
    m_chips = numberChips(numbers, m_rows[static_cast<std::size_t>(row)].extent->text(), this, [this](std::int64_t number) {
        m_rows[static_cast<std::size_t>(m_aimed)].extent->setText(QString::number(number));
    });
    static_cast<QVBoxLayout*>(layout())->insertWidget(0, m_chips);
}

bool PartsEditor::eventFilter(QObject* watched, QEvent* event)
{
    if (event->type() == QEvent::FocusIn) {
        for (std::size_t i = 0; i < m_rows.size(); ++i) {
            if (watched == m_rows[i].extent && static_cast<int>(i) != m_aimed) {
                aim(static_cast<int>(i));
            }
        }
    }
    return ParamEditor::eventFilter(watched, event);
}

void PartsEditor::edited()
{
    describe();
    if (m_chips != nullptr && m_aimed >= 0) {
        const QString chosen = m_rows[static_cast<std::size_t>(m_aimed)].extent->text();
        for (QPushButton* chip : m_chips->findChildren<QPushButton*>()) {
            chip->setChecked(chip->text() == chosen);
        }
    }
    Q_EMIT changed();
}

void PartsEditor::describe()
{
    QStringList texts;
    for (std::size_t i = 0; i < m_loops.size(); ++i) {
        const std::optional<std::int64_t> extent = extentOf(m_nest, m_loops[i]);
        const std::optional<PartSum> sum = extent ? sumOf(parts(), i, m_loops.size(), *extent) : std::nullopt;
        if (!sum) {
            continue;
        }
        QStringList factors;
        for (const std::int64_t factor : sum->factors) {
            factors << QString::number(factor);
        }
        const QString product = factors.join(tr(" × "));
        const QString name = m_loops.size() > 1 ? fromStd(m_loops[i]) + QLatin1Char(' ') : QString();
        if (!sum->covers) {
            texts << tr("%1%2 does not cover %3").arg(name, product).arg(sum->extent);
        } else if (sum->tail > 0) {
            texts << tr("%1%2 in %3 leaves a tail of %4").arg(name).arg(sum->extent).arg(product).arg(sum->tail);
        } else {
            texts << tr("%1%2 = %3, no tail").arg(name).arg(sum->extent).arg(product);
        }
    }
    m_sum->setText(texts.join(QLatin1Char('\n')));
    m_sum->setVisible(!texts.isEmpty());
}

QString PartsEditor::knobWords() const
{
    std::vector<PartText> now = parts();
    int row = m_aimed;
    if (row < 0 || row >= static_cast<int>(now.size()) || !plainNumber(now[static_cast<std::size_t>(row)].extent)) {
        row = static_cast<int>(now.size()) - 1;
        while (row >= 0 && !plainNumber(now[static_cast<std::size_t>(row)].extent)) {
            --row;
        }
    }
    if (row < 0) {
        return {};
    }
    PartText& part = now[static_cast<std::size_t>(row)];
    const std::int64_t number = *plainNumber(part.extent);
    std::vector<std::int64_t> others = numbersFor(row);
    if (others.empty()) {
        others = {number / 2, number * 2};
    }
    // Near ones first: a sweep far away is seldom worth its time.
    std::stable_sort(others.begin(), others.end(), [&](std::int64_t a, std::int64_t b) { return std::abs(a - number) < std::abs(b - number); });
    part.extent = toStd(choiceList(number, others));
    return fromStd(writeParts(now));
}

void PartsEditor::setLoops(const QStringList& loops)
{
    std::vector<std::string> now;
    for (const QString& loop : loops) {
        now.push_back(toStd(loop));
    }
    if (now.empty() || now == m_loops) {
        return;
    }
    const std::vector<std::string> before = std::exchange(m_loops, now);
    show(dealtAnew(parts(), before, now, m_nest));
    describe();
}

void PartsEditor::restyle()
{
    for (const Row& row : m_rows) {
        row.name->setFont(codeFont());
        row.extent->setFont(codeFont());
    }
    m_sum->setFont(noteFont());
}

} // namespace nw::views
