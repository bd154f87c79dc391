#include "views/common/empty_state.h"

#include "views/common/fonts.h"

#include <QLabel>
#include <QPushButton>
#include <QVBoxLayout>

namespace nw::views {

EmptyState::EmptyState(QWidget* parent)
    : QWidget(parent)
    , m_sentence(new QLabel(this))
    , m_action(new QPushButton(this))
{
    m_sentence->setObjectName(QStringLiteral("emptySentence"));
    m_sentence->setWordWrap(true);
    m_sentence->setAlignment(Qt::AlignCenter);
    m_sentence->setFont(contentFont());
    m_sentence->setProperty("muted", true);
    m_action->hide();
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(24, 24, 24, 24);
    layout->setSpacing(12);
    layout->addStretch(1);
    layout->addWidget(m_sentence);
    layout->addWidget(m_action, 0, Qt::AlignHCenter);
    layout->addStretch(2);
    connect(m_action, &QPushButton::clicked, this, &EmptyState::actionWished);
}

void EmptyState::setText(const QString& sentence, const QString& action)
{
    m_sentence->setText(sentence);
    m_action->setText(action);
    m_action->setVisible(!action.isEmpty());
}

} // namespace nw::views
