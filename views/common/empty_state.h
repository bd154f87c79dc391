#pragma once

#include <QString>
#include <QWidget>

class QLabel;
class QPushButton;

namespace nw::views {

// What a view shows while it has nothing to show: one sentence saying why, one action that changes it.
class EmptyState : public QWidget {
    Q_OBJECT
public:
    explicit EmptyState(QWidget* parent = nullptr);
    // An empty action hides the button.
    void setText(const QString& sentence, const QString& action = {});

Q_SIGNALS:
    void actionWished();

private:
    QLabel* m_sentence;
    QPushButton* m_action;
};

} // namespace nw::views
