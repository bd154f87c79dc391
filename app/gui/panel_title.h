#pragma once

#include <QString>
#include <QWidget>

class QLabel;

namespace nw::app {

// The title row of a panel: its name in 600 weight, a note beside it, what the panel adds at the right.
class PanelTitle : public QWidget {
    Q_OBJECT
public:
    explicit PanelTitle(const QString& title, QWidget* parent = nullptr);
    void setNote(const QString& note);

protected:
    void changeEvent(QEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void paintEvent(QPaintEvent* event) override;

private:
    QLabel* m_title;
    QLabel* m_note;
    QString m_full; // the note before it was cut to the width
    void applyFonts();
    void elide();
};

} // namespace nw::app
