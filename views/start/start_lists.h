#pragma once

#include <QList>
#include <QString>
#include <QWidget>

class QGridLayout;
class QLabel;
class QVBoxLayout;

namespace nw::views {

struct SampleCard {
    QString title, text, path;
};
struct RecentProject {
    QString title, path;
    qint64 unixTime = 0;
    bool exists = true;
};

// "today 14:03", "yesterday", "3 days ago", a date.
QString whenText(qint64 unixTime, qint64 now);

// What can be opened with one click: samples as cards, recent projects as lines.
class StartLists : public QWidget {
    Q_OBJECT
public:
    explicit StartLists(QWidget* parent = nullptr);
    void setSamples(const QList<SampleCard>& samples);
    void setRecent(const QList<RecentProject>& projects);

Q_SIGNALS:
    void openWished(const QString& path);
    void removeRecentWished(const QString& path);

private:
    QWidget* makeRow(const RecentProject& project, int at);

    QLabel* m_recentTitle;
    QLabel* m_samplesTitle;
    QVBoxLayout* m_recent;
    QGridLayout* m_samples;
};

} // namespace nw::views
