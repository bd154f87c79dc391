#include "views/start/operator_form.h"

#include "views/common/fonts.h"
#include "views/common/format.h"
#include "views/common/theme.h"

#include <QCheckBox>
#include <QComboBox>
#include <QEvent>
#include <QGridLayout>
#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QVBoxLayout>

namespace nw::views {

OperatorForm::OperatorForm(QWidget* parent)
    : QWidget(parent)
    , m_kind(new QComboBox(this))
    , m_grid(new QGridLayout)
    , m_name(new QLineEdit(this))
    , m_problem(new QLabel(this))
    , m_preview(new QPlainTextEdit(this))
    , m_create(new QPushButton(tr("Create"), this))
{
    m_kind->setObjectName(QStringLiteral("operatorKind"));
    m_kind->setAccessibleName(tr("Kind of operator"));
    for (int i = 0; i < kOperatorKinds; ++i) {
        m_kind->addItem(kindName(static_cast<OperatorKind>(i)));
    }
    m_name->setObjectName(QStringLiteral("operatorName"));
    m_name->setAccessibleName(tr("Name"));
    m_problem->setObjectName(QStringLiteral("operatorProblem"));
    m_problem->setWordWrap(true);
    m_preview->setObjectName(QStringLiteral("operatorPreview"));
    m_preview->setAccessibleName(tr("Text of the model"));
    m_preview->setReadOnly(true);
    m_preview->setLineWrapMode(QPlainTextEdit::NoWrap);
    m_preview->setTabChangesFocus(true);
    m_create->setObjectName(QStringLiteral("operatorCreate"));
    m_create->setProperty("primary", true);
    auto* cancel = new QPushButton(tr("Cancel"), this);
    cancel->setObjectName(QStringLiteral("operatorCancel"));

    m_grid->setHorizontalSpacing(12);
    m_grid->setVerticalSpacing(8);
    m_grid->setColumnStretch(1, 1);
    m_grid->addWidget(new QLabel(tr("Operator"), this), 0, 0);
    m_grid->addWidget(m_kind, 0, 1);
    auto* buttons = new QHBoxLayout;
    buttons->setSpacing(8);
    buttons->addWidget(m_create);
    buttons->addWidget(cancel);
    buttons->addStretch(1);
    auto* left = new QVBoxLayout;
    left->setSpacing(12);
    left->addLayout(m_grid);
    left->addWidget(m_problem);
    left->addLayout(buttons);
    left->addStretch(1);
    auto* layout = new QHBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(24);
    layout->addLayout(left, 2);
    layout->addWidget(m_preview, 3);
    m_preview->setMinimumHeight(320);

    connect(m_kind, &QComboBox::currentIndexChanged, this, [this] { makeFields(); });
    connect(m_name, &QLineEdit::textEdited, this, [this](const QString& text) {
        m_isNamed = !text.isEmpty();
        update();
    });
    connect(m_create, &QPushButton::clicked, this, &OperatorForm::create);
    connect(cancel, &QPushButton::clicked, this, &OperatorForm::cancelled);
    m_preview->setFont(codeFont());
    m_kind->setCurrentIndex(static_cast<int>(OperatorKind::Conv2d));
}

OperatorKind OperatorForm::kind() const
{
    return static_cast<OperatorKind>(m_kind->currentIndex());
}

void OperatorForm::setKind(OperatorKind kind)
{
    m_kind->setCurrentIndex(static_cast<int>(kind));
}

void OperatorForm::start()
{
    m_kind->setFocus();
}

void OperatorForm::makeFields()
{
    delete m_holder;
    m_editors.clear();
    m_holder = new QWidget(this);
    auto* grid = new QGridLayout(m_holder);
    grid->setContentsMargins(0, 0, 0, 0);
    grid->setHorizontalSpacing(12);
    grid->setVerticalSpacing(8);
    int row = 0;
    for (const OperatorField& field : fieldsOf(kind())) {
        QWidget* editor = nullptr;
        const QString name = QStringLiteral("field_") + QString::fromLatin1(field.key);
        if (field.kind == OperatorField::Kind::Flag) {
            auto* box = new QCheckBox(field.label, m_holder);
            box->setChecked(field.initial != 0);
            connect(box, &QCheckBox::toggled, this, &OperatorForm::update);
            editor = box;
        } else if (field.kind == OperatorField::Kind::Choice) {
            auto* box = new QComboBox(m_holder);
            box->addItems(field.choices);
            box->setCurrentIndex(static_cast<int>(field.initial));
            connect(box, &QComboBox::currentIndexChanged, this, &OperatorForm::update);
            editor = box;
        } else {
            auto* edit = new QLineEdit(QString::number(field.initial), m_holder);
            connect(edit, &QLineEdit::textChanged, this, &OperatorForm::update);
            connect(edit, &QLineEdit::returnPressed, this, &OperatorForm::create);
            editor = edit;
        }
        editor->setObjectName(name);
        editor->setAccessibleName(field.label);
        if (field.kind != OperatorField::Kind::Flag) {
            auto* label = new QLabel(field.label, m_holder);
            label->setProperty("muted", true);
            label->setBuddy(editor);
            grid->addWidget(label, row / 2, row % 2 * 2);
        }
        grid->addWidget(editor, row / 2, row % 2 * 2 + 1);
        m_editors.append(editor);
        ++row;
    }
    grid->setColumnStretch(1, 1);
    grid->setColumnStretch(3, 1);
    m_grid->addWidget(m_holder, 1, 0, 1, 2);
    m_holder->show();
    m_grid->addWidget(m_name, 2, 1);
    if (m_grid->itemAtPosition(2, 0) == nullptr) {
        m_grid->addWidget(new QLabel(tr("Name"), this), 2, 0);
    }
    QWidget* before = m_kind;
    for (QWidget* editor : m_editors) {
        setTabOrder(before, editor);
        before = editor;
    }
    setTabOrder(before, m_name);
    update();
}

OperatorFields OperatorForm::fields() const
{
    OperatorFields values;
    const QList<OperatorField> list = fieldsOf(kind());
    for (qsizetype i = 0; i < list.size(); ++i) {
        if (const auto* box = qobject_cast<QCheckBox*>(m_editors[i])) {
            values[list[i].key] = box->isChecked() ? 1 : 0;
        } else if (const auto* combo = qobject_cast<QComboBox*>(m_editors[i])) {
            values[list[i].key] = combo->currentIndex();
        } else {
            bool isNumber = false;
            const qint64 value = qobject_cast<QLineEdit*>(m_editors[i])->text().trimmed().toLongLong(&isNumber);
            if (isNumber) {
                values[list[i].key] = value;
            }
        }
    }
    return values;
}

void OperatorForm::update()
{
    const OperatorFields values = fields();
    const FieldProblem problem = operatorProblem(kind(), values);
    const Theme theme = Theme::of(palette());
    for (QWidget* editor : m_editors) {
        const bool isWrong = problem && editor->objectName() == QStringLiteral("field_") + problem.key;
        editor->setStyleSheet(isWrong ? QStringLiteral("border-color: %1;").arg(theme.illegal.name()) : QString());
    }
    m_create->setEnabled(!problem);
    if (problem) {
        m_problem->setText(QStringLiteral("\u2715 ") + problem.sentence);
        m_problem->setStyleSheet(QStringLiteral("color: %1;").arg(theme.illegal.name()));
        return; // the last good text stays
    }
    m_problem->setText(tr("Weights are made from seeds when the model is opened."));
    m_problem->setStyleSheet(QStringLiteral("color: %1;").arg(theme.muted.name()));
    m_preview->setPlainText(fromStd(operatorText(kind(), values)));
    if (!m_isNamed) {
        m_name->setText(fromStd(operatorName(kind(), values)));
    }
}

void OperatorForm::create()
{
    if (m_create->isEnabled()) {
        const QString name = m_name->text().trimmed();
        Q_EMIT createWished(name.isEmpty() ? fromStd(operatorName(kind(), fields())) : name, m_preview->toPlainText());
    }
}

void OperatorForm::keyPressEvent(QKeyEvent* event)
{
    if (event->key() == Qt::Key_Escape) {
        Q_EMIT cancelled();
        return;
    }
    QWidget::keyPressEvent(event);
}

void OperatorForm::changeEvent(QEvent* event)
{
    if (event->type() == QEvent::PaletteChange || event->type() == QEvent::ApplicationFontChange) {
        m_preview->setFont(codeFont());
        update();
    }
    QWidget::changeEvent(event);
}

} // namespace nw::views
