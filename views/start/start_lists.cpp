#include "views/start/start_lists.h"

#include "views/common/fonts.h"
#include "views/common/icons.h"
#include "views/common/theme.h"
#include "views/start/card_button.h"

#include <QCoreApplication>
#include <QDateTime>
#include <QGridLayout>
#include <QHBoxLayout>
#include <QLabel>
#include <QLayoutItem>
#include <QLocale>
#include <QPushButton>
#include <QToolButton>
#include <QVBoxLayout>

namespace nw::views {
namespace {

constexpr int kColumns = 3;

void empty(QLayout* layout)
{
    while (QLayoutItem* item = layout->takeAt(0)) {
        delete item->widget();
        delete item;
    }
}

} // namespace

QString whenText(qint64 unixTime, qint64 now)
{
    const QDateTime then = QDateTime::fromSecsSinceEpoch(unixTime);
    const qint64 days = then.date().daysTo(QDateTime::fromSecsSinceEpoch(now).date());
    const auto say = [](const char* text) { return QCoreApplication::translate("nw::views::StartLists", text); };
    if (days <= 0) {
        return say("today %1").arg(then.toString(QStringLiteral("HH:mm")));
    }
    if (days == 1) {
        return say("yesterday");
    }
    return days < 7 ? say("%1 days ago").arg(days) : QLocale().toString(then.date(), QLocale::ShortFormat);
}

StartLists::StartLists(QWidget* parent)
    : QWidget(parent)
    , m_recentTitle(new QLabel(tr("Recent projects"), this))
    , m_samplesTitle(new QLabel(tr("Samples"), this))
    , m_recent(new QVBoxLayout)
    , m_samples(new QGridLayout)
{
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(8);
    m_recent->setSpacing(0);
    m_samples->setSpacing(12);
    for (int i = 0; i < kColumns; ++i) {
        m_samples->setColumnStretch(i, 1);
    }
    for (QLabel* title : {m_recentTitle, m_samplesTitle}) {
        title->setFont(nameFont());
        title->hide();
    }
    m_samplesTitle->setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Fixed);
    layout->addWidget(m_samplesTitle);
    layout->addLayout(m_samples);
    layout->addSpacing(16);
    layout->addWidget(m_recentTitle);
    layout->addLayout(m_recent);
}

void StartLists::setSamples(const QList<SampleCard>& samples)
{
    empty(m_samples);
    for (qsizetype i = 0; i < samples.size(); ++i) {
        auto* card = new CardButton(samples[i].title, samples[i].text, this);
        card->setObjectName(QStringLiteral("sample%1").arg(i));
        m_samples->addWidget(card, static_cast<int>(i) / kColumns, static_cast<int>(i) % kColumns);
        connect(card, &CardButton::clicked, this, [this, path = samples[i].path] { Q_EMIT openWished(path); });
    }
    m_samplesTitle->setVisible(!samples.isEmpty());
}

void StartLists::setRecent(const QList<RecentProject>& projects)
{
    empty(m_recent);
    for (qsizetype i = 0; i < projects.size(); ++i) {
        m_recent->addWidget(makeRow(projects[i], static_cast<int>(i)));
    }
    m_recentTitle->setVisible(!projects.isEmpty());
}

QWidget* StartLists::makeRow(const RecentProject& project, int at)
{
    auto* row = new QWidget(this);
    auto* layout = new QHBoxLayout(row);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(12);
    const QString name = QStringLiteral("recent%1").arg(at);
    QWidget* title = nullptr;
    if (project.exists) {
        auto* open = new QPushButton(project.title, row);
        open->setProperty("link", true);
        connect(open, &QPushButton::clicked, this, [this, file = project.path] { Q_EMIT openWished(file); });
        title = open;
    } else {
        title = new QLabel(project.title, row);
        title->setProperty("muted", true);
    }
    title->setObjectName(name);
    title->setMinimumHeight(std::max(24, editorRowHeight()));
    title->setToolTip(project.path);
    auto* path = new QLabel(project.exists ? project.path : tr("%1 is gone").arg(project.path), row);
    path->setFont(noteFont());
    path->setProperty("muted", true);
    path->setToolTip(project.path);
    path->setMinimumWidth(40);
    path->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    auto* when = new QLabel(whenText(project.unixTime, QDateTime::currentSecsSinceEpoch()), row);
    when->setFont(noteFont());
    when->setProperty("muted", true);
    auto* remove = new QToolButton(row);
    remove->setObjectName(QStringLiteral("removeRecent%1").arg(at));
    remove->setText(QStringLiteral("\u2715"));
    remove->setProperty("flat", true);
    remove->setMinimumSize(28, 28);
    remove->setToolTip(tr("Take off this list; the file stays"));
    remove->setAccessibleName(tr("Take %1 off this list").arg(project.title));
    layout->addWidget(title);
    layout->addWidget(path, 1);
    layout->addWidget(when);
    layout->addWidget(remove);
    connect(remove, &QToolButton::clicked, this, [this, file = project.path] { Q_EMIT removeRecentWished(file); });
    return row;
}

} // namespace nw::views
