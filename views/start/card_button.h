#pragma once

#include <QAbstractButton>

namespace nw::views {

// A title and a paragraph that together are one button. Enter and Space press it.
class CardButton : public QAbstractButton {
    Q_OBJECT
public:
    CardButton(const QString& title, const QString& paragraph, QWidget* parent);
    QSize sizeHint() const override;
    bool hasHeightForWidth() const override { return true; }
    int heightForWidth(int width) const override;

protected:
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;

private:
    int titleHeight(int width) const;
    QString m_paragraph;
};

} // namespace nw::views
