#pragma once

#include "engine/schedule/primitive.h"
#include "views/common/judge.h"

#include <QFrame>
#include <QStringList>

#include <optional>
#include <vector>

class QFormLayout;
class QLabel;
class QPushButton;

namespace nw::views {

class ParamEditor;

// The arguments of one step. Made from the primitive's parameters alone: it knows no primitive by name.
class PrimitiveForm : public QFrame {
    Q_OBJECT
public:
    explicit PrimitiveForm(QWidget* parent = nullptr);

    void setJudge(Judge judge);
    // `line` fills the fields, as far as it can be read; empty: what the selection gives.
    void open(const schedule::Primitive& primitive, const schedule::LoopNest& nest, const QStringList& selection,
              const std::string& line);
    void close(); // forgets the primitive and hides
    const schedule::Primitive* primitive() const { return m_primitive; }

    QString line() const;     // the step as the fields have it
    QString knobLine() const; // with the number as a list of choices; empty when there is no number
    bool canApply() const { return m_canApply; }

Q_SIGNALS:
    void applied(const QString& line);
    void knobApplied(const QString& line);
    void cancelled();
    void previewWished(const QString& line);
    void placesHovered(const QStringList& names);
    void message(const QString& text, bool refused);

protected:
    void keyPressEvent(QKeyEvent* event) override;
    void changeEvent(QEvent* event) override;
    void paintEvent(QPaintEvent* event) override;

private:
    void build(const schedule::LoopNest& nest);
    void fill(const schedule::LoopNest& nest, const QStringList& selection, const std::string& line);
    void fillFromSelection(const schedule::LoopNest& nest, const QStringList& selection);
    QString lineOf(const ParamEditor* withKnob) const;
    QStringList chosenLoops() const;
    void edited();
    void judge();
    void apply();
    void restyle();

    const schedule::Primitive* m_primitive = nullptr;
    std::optional<schedule::LoopNest> m_nest;
    Judge m_judge;
    std::vector<ParamEditor*> m_editors; // parallel to the params
    bool m_filling = false, m_canApply = false, m_hadPlaces = false;
    schedule::Verdict m_verdict = schedule::Verdict::Legal;
    QString m_words;
    QLabel *m_title, *m_summary, *m_line, *m_icon, *m_state;
    QWidget* m_fields = nullptr;
    QPushButton *m_apply, *m_knob, *m_cancel;
};

} // namespace nw::views
