#pragma once

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

protected:
    void changeEvent(QEvent* event) override;

private:
    class Bars;
    void fit();

    Bars* m_bars;
    std::vector<std::pair<QString, double>> m_shares;
};

} // namespace nw::views
