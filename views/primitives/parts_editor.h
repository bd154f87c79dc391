#pragma once

#include "views/primitives/param_editor.h"
#include "views/primitives/parts_text.h"

class QGridLayout;
class QLabel;
class QPushButton;

namespace nw::views {

// New loops with their extents: a row each, proposed numbers in front, and what becomes of the steps in words.
class PartsEditor : public ParamEditor {
    Q_OBJECT
public:
    PartsEditor(const schedule::Param& param, const schedule::LoopNest& nest, QWidget* parent);
    QString words() const override;
    void setWords(const QString& words) override;
    QString knobWords() const override;
    void setLoops(const QStringList& loops) override;
    void restyle() override;

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    struct Row {
        QLineEdit* name = nullptr;
        QLineEdit* extent = nullptr;
    };
    std::vector<PartText> parts() const;
    void show(const std::vector<PartText>& parts);
    void aim(int row); // the part that the proposed numbers go to
    std::vector<std::int64_t> numbersFor(int row) const;
    void edited();
    void describe();

    schedule::LoopNest m_nest;
    std::vector<std::string> m_loops;
    std::vector<Row> m_rows;
    int m_aimed = -1;
    QWidget* m_chips = nullptr;
    QWidget* m_grid = nullptr;
    QLabel* m_sum;
    QPushButton *m_more, *m_less;
};

} // namespace nw::views
