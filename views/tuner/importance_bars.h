#pragma once

#include "views/common/picture_file.h"

#include <QScrollArea>
#include <QString>

#include <utility>
#include <vector>

namespace nw::views {

// How much each knob decides, by the model: a bar each, the most important first.
class ImportanceBars : public QScrollArea {
    Q_OBJECT
public:
    explicit ImportanceBars(QWidget* parent = nullptr);
    void setShares(const std::vector<std::pair<QString, double>>& shares);
    const std::vector<std::pair<QString, double>>& shares() const { return m_shares; }
    int pictureHeight() const; // px that the picture wants
    void paintPicture(QCPPainter& painter, QSize size, const QString& title, const Theme& theme, const FileFonts& fonts) const; // for files

protected:
    void changeEvent(QEvent* event) override;

private:
    class Bars;
    void fit();

    Bars* m_bars;
    std::vector<std::pair<QString, double>> m_shares;
};

} // namespace nw::views
