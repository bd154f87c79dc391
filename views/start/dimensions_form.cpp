#include "views/start/dimensions_form.h"

#include "views/common/fonts.h"

#include <QGridLayout>
#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QVBoxLayout>

namespace nw::views {

DimensionsForm::DimensionsForm(QWidget* parent)
    : QWidget(parent)
    , m_title(new QLabel(this))
    , m_open(new QPushButton(tr("Open"), this))
    , m_problem(new QLabel(this))
{
    m_title->setWordWrap(true);
    m_problem->setObjectName(QStringLiteral("dimensionsProblem"));
    m_problem->setWordWrap(true);
    m_open->setObjectName(QStringLiteral("dimensionsOpen"));
    m_open->setProperty("primary", true);
    auto* cancel = new QPushButton(tr("Cancel"), this);
    cancel->setObjectName(QStringLiteral("dimensionsCancel"));
    auto* buttons = new QHBoxLayout;
    buttons->setSpacing(8);
    buttons->addWidget(m_open);
    buttons->addWidget(cancel);
    buttons->addStretch(1);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(12);
    layout->addWidget(m_title);
    layout->addWidget(m_problem);
    layout->addLayout(buttons);
    layout->addStretch(1);
    connect(m_open, &QPushButton::clicked, this, &DimensionsForm::answer);
    connect(cancel, &QPushButton::clicked, this, &DimensionsForm::cancelled);
}

void DimensionsForm::ask(const QString& model, const QList<UnboundDimension>& dimensions)
{
    m_title->setFont(nameFont());
    m_title->setText(tr("%1 leaves some sizes open. Which ones shall it have?").arg(model));
    delete m_rows;
    m_fields.clear();
    m_names.clear();
    m_rows = new QWidget(this);
    auto* grid = new QGridLayout(m_rows);
    grid->setContentsMargins(0, 0, 0, 0);
    grid->setHorizontalSpacing(12);
    grid->setVerticalSpacing(8);
    grid->setColumnStretch(2, 1);
    for (const UnboundDimension& dimension : dimensions) {
        const int row = static_cast<int>(m_fields.size());
        auto* label = new QLabel(dimension.name, m_rows);
        label->setFont(codeFont());
        auto* field = new QLineEdit(QString::number(dimension.proposal), m_rows);
        field->setObjectName(QStringLiteral("dimension_") + dimension.name);
        field->setAccessibleName(tr("Size of %1").arg(dimension.name));
        field->setMaximumWidth(QFontMetrics(contentFont()).averageCharWidth() * 16);
        label->setBuddy(field);
        auto* note = new QLabel(tr("in %1").arg(dimension.usedBy.join(QStringLiteral(", "))), m_rows);
        note->setFont(noteFont());
        note->setProperty("muted", true);
        note->setWordWrap(true);
        grid->addWidget(label, row, 0);
        grid->addWidget(field, row, 1);
        grid->addWidget(note, row, 2);
        connect(field, &QLineEdit::textChanged, this, &DimensionsForm::check);
        connect(field, &QLineEdit::returnPressed, this, &DimensionsForm::answer);
        m_fields.append(field);
        m_names.append(dimension.name);
    }
    qobject_cast<QVBoxLayout*>(layout())->insertWidget(1, m_rows);
    m_rows->show(); // at once, for the focus
    for (qsizetype i = 0; i < m_fields.size(); ++i) {
        setTabOrder(i == 0 ? static_cast<QWidget*>(this) : m_fields[i - 1], m_fields[i]);
    }
    check();
    if (!m_fields.isEmpty()) {
        m_fields.first()->setFocus();
        m_fields.first()->selectAll();
    }
}

void DimensionsForm::check()
{
    QString problem;
    for (qsizetype i = 0; i < m_fields.size() && problem.isEmpty(); ++i) {
        bool isNumber = false;
        const qint64 value = m_fields[i]->text().trimmed().toLongLong(&isNumber);
        if (!isNumber || value < 1) {
            problem = tr("%1 needs a whole number of at least 1.").arg(m_names[i]);
        }
    }
    m_problem->setText(problem);
    m_problem->setVisible(!problem.isEmpty());
    m_open->setEnabled(problem.isEmpty());
}

void DimensionsForm::answer()
{
    if (!m_open->isEnabled()) {
        return;
    }
    QMap<QString, qint64> bind;
    for (qsizetype i = 0; i < m_fields.size(); ++i) {
        bind[m_names[i]] = m_fields[i]->text().trimmed().toLongLong();
    }
    Q_EMIT answered(bind);
}

void DimensionsForm::keyPressEvent(QKeyEvent* event)
{
    if (event->key() == Qt::Key_Escape) {
        Q_EMIT cancelled();
        return;
    }
    QWidget::keyPressEvent(event);
}

} // namespace nw::views
