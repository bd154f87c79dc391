#pragma once

#include "engine/schedule/primitive.h"

#include <QStringList>
#include <QWidget>

#include <cstdint>
#include <functional>
#include <vector>

class QComboBox;
class QHBoxLayout;
class QLineEdit;

namespace nw::views {

// The field of one parameter, chosen by its kind alone. It speaks the words that stand in the script.
class ParamEditor : public QWidget {
    Q_OBJECT
public:
    using QWidget::QWidget;
    static ParamEditor* create(const schedule::Param& param, const schedule::LoopNest& nest, QWidget* parent);

    virtual QString words() const = 0; // empty: not given
    virtual void setWords(const QString& words) = 0;
    // The words with the chosen number as a list of choices, itself first; empty when there is no number.
    virtual QString knobWords() const { return {}; }
    // The loops that other fields of the form chose.
    virtual void setLoops(const QStringList& /*loops*/) {}
    virtual void restyle() {} // after a change of palette or font

Q_SIGNALS:
    void changed();
};

// Loop, Block, Buffer, ScopeName: one of the names there are.
class NameEditor : public ParamEditor {
    Q_OBJECT
public:
    NameEditor(const schedule::Param& param, const QStringList& names, QWidget* parent);
    QString words() const override;
    void setWords(const QString& words) override;

private:
    QComboBox* m_box;
};

// Loops, NewName, Map, Number: a line; with completion of names, or with proposed numbers in front.
class LineEditor : public ParamEditor {
    Q_OBJECT
public:
    LineEditor(const schedule::Param& param, const schedule::LoopNest& nest, QWidget* parent);
    QString words() const override;
    void setWords(const QString& words) override;
    QString knobWords() const override;
    void setLoops(const QStringList& loops) override;
    void restyle() override;

private:
    void propose(const std::vector<std::int64_t>& numbers);

    schedule::ParamKind m_kind;
    schedule::LoopNest m_nest;
    QLineEdit* m_line;
    QWidget* m_chips = nullptr;
    QStringList m_loops;
};

// A row of buttons with a number each.
QWidget* numberChips(const std::vector<std::int64_t>& numbers, const QString& chosen, QWidget* parent,
                     const std::function<void(std::int64_t)>& choose);
// "{7, 2, 4}": the number first, since the first choice is the default.
QString choiceList(std::int64_t number, const std::vector<std::int64_t>& others);

} // namespace nw::views
