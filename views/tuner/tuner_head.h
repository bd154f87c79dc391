#pragma once

#include "views/tuner/tuner_values.h"

#include <QHash>
#include <QWidget>

class QLabel;
class QProgressBar;
class QPushButton;

namespace nw::views {

// The state of the session in words, what can be done with it, how far it is and how long it takes.
class TunerHead : public QWidget {
    Q_OBJECT
public:
    explicit TunerHead(QWidget* parent = nullptr);
    void setPhase(TunerPhase phase, const QString& words, const QString& details);
    // `done` 0 to 1, negative: no budget. `notes` beside the bar, `advice` behind them in the colour of a warning.
    void setProgress(double done, const QString& text, const QString& notes, const QString& advice);
    void setBestKnown(bool known);  // "Open best as steps" can be pressed
    void setFormShown(bool shown);  // then Start is in the form
    void addToggle(QWidget* toggle); // of the charts, at the end of the second row

Q_SIGNALS:
    void newWished();    // show the form
    void pauseWished();
    void resumeWished();
    void stopWished();
    void cancelWished();
    void openBestWished();

protected:
    void changeEvent(QEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;

private:
    QPushButton* button(const char* name, const QString& text, const QString& brief, const char* iconName, const QString& tip,
                        void (TunerHead::*wish)());
    void arrange();
    void dress();
    void fit();

    TunerPhase m_phase = TunerPhase::None;
    bool m_formShown = false, m_bestKnown = false;
    QString m_notesText, m_detailsText, m_adviceText;
    QLabel *m_icon, *m_words, *m_details;
    QPushButton *m_open, *m_new, *m_pause, *m_resume, *m_stop, *m_cancel;
    QHash<QPushButton*, std::pair<QString, QString>> m_texts; // whole, and where there is little room
    QWidget* m_second;
    QProgressBar* m_bar;
    QLabel *m_notes, *m_advice;
};

} // namespace nw::views
