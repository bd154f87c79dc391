#include "views/tuner/tuner_head.h"

#include "views/common/fonts.h"
#include "views/common/icons.h"
#include "views/common/theme.h"

#include <QEvent>
#include <QHBoxLayout>
#include <QLabel>
#include <QProgressBar>
#include <QPushButton>
#include <QVBoxLayout>

namespace nw::views {
namespace {

struct Sign {
    const char* icon;
    QColor colour;
};

Sign signOf(TunerPhase phase, const Theme& theme)
{
    switch (phase) {
    case TunerPhase::None:
        return {"tune", theme.muted};
    case TunerPhase::Paused:
        return {"pause", theme.accent};
    case TunerPhase::Interrupted:
        return {"warning", theme.unproven};
    case TunerPhase::Done:
    case TunerPhase::Stopped:
        return {"legal", theme.legal};
    case TunerPhase::Cancelled:
        return {"close", theme.muted};
    case TunerPhase::Failed:
        return {"illegal", theme.illegal};
    default:
        return {"play", theme.accent};
    }
}

} // namespace

TunerHead::TunerHead(QWidget* parent)
    : QWidget(parent)
    , m_icon(new QLabel(this))
    , m_words(new QLabel(this))
    , m_details(new QLabel(this))
    , m_second(new QWidget(this))
    , m_bar(new QProgressBar(m_second))
    , m_notes(new QLabel(m_second))
    , m_advice(new QLabel(m_second))
{
    m_open = button("tunerOpenBest", tr("Open best as steps"), tr("Open best"), "branch", tr("The best schedule becomes the operator's steps; Ctrl+Z goes back"),
                    &TunerHead::openBestWished);
    m_new = button("tunerNew", tr("New…"), tr("New…"), "plus", tr("Tune again"), &TunerHead::newWished);
    m_pause = button("tunerPause", tr("Pause"), tr("Pause"), "pause", tr("At once; model and candidates are kept (Ctrl+T)"),
                     &TunerHead::pauseWished);
    m_resume = button("tunerResume", tr("Resume"), tr("Resume"), "play", {}, &TunerHead::resumeWished);
    m_stop = button("tunerStop", tr("Stop, keep best"), tr("Stop"), "stop", tr("Measures the fastest once more and keeps the best"), &TunerHead::stopWished);
    m_cancel = button("tunerCancel", tr("Cancel, discard"), tr("Cancel"), "close", tr("Stops and keeps nothing more"), &TunerHead::cancelWished);
    m_resume->setProperty("primary", true);
    m_words->setObjectName(QStringLiteral("tunerState"));
    m_details->setObjectName(QStringLiteral("tunerDetails"));
    m_details->setProperty("muted", true);
    m_words->setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Preferred);
    m_details->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    m_bar->setObjectName(QStringLiteral("tunerProgress"));
    m_bar->setRange(0, 1000);
    m_bar->setTextVisible(true);
    m_notes->setObjectName(QStringLiteral("tunerNotes"));
    m_notes->setProperty("muted", true);
    m_notes->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    m_advice->setObjectName(QStringLiteral("tunerAdvice"));
    m_advice->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    m_advice->setAlignment(Qt::AlignRight | Qt::AlignVCenter);

    auto* first = new QHBoxLayout;
    first->setSpacing(6);
    first->addWidget(m_icon);
    first->addWidget(m_words);
    first->addWidget(m_details, 1);
    for (QPushButton* each : {m_open, m_new, m_resume, m_pause, m_stop, m_cancel}) {
        first->addWidget(each);
    }
    auto* second = new QHBoxLayout(m_second);
    second->setContentsMargins(0, 0, 0, 0);
    second->setSpacing(10);
    second->addWidget(m_bar);
    second->addWidget(m_notes, 1);
    second->addWidget(m_advice, 2); // what to do counts for more than what was
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(12, 6, 8, 4);
    layout->setSpacing(4);
    layout->addLayout(first);
    layout->addWidget(m_second);
    dress();
    arrange();
}

QPushButton* TunerHead::button(const char* name, const QString& text, const QString& brief, const char* iconName, const QString& tip,
                               void (TunerHead::*wish)())
{
    auto* made = new QPushButton(text, this);
    made->setObjectName(QString::fromLatin1(name));
    made->setProperty("iconName", QString::fromLatin1(iconName));
    made->setToolTip(tip);
    made->setAccessibleName(text);
    m_texts[made] = {text, brief};
    connect(made, &QPushButton::clicked, this, wish);
    return made;
}

void TunerHead::setPhase(TunerPhase phase, const QString& words, const QString& details)
{
    m_detailsText = details;
    if (m_words->text() != words) {
        m_words->setText(words);
        m_words->setToolTip(words);
    }
    if (phase != m_phase) {
        m_phase = phase;
        dress();
    }
    arrange();
}

void TunerHead::setProgress(double done, const QString& text, const QString& notes, const QString& advice)
{
    m_bar->setVisible(done >= 0);
    m_bar->setValue(static_cast<int>(done * 1000));
    m_bar->setFormat(text);
    m_bar->setToolTip(text);
    m_notesText = notes;
    m_adviceText = advice;
    m_advice->setVisible(!advice.isEmpty());
    arrange();
}

void TunerHead::setBestKnown(bool known)
{
    m_bestKnown = known;
    arrange();
}

void TunerHead::setFormShown(bool shown)
{
    m_formShown = shown;
    arrange();
}

void TunerHead::addToggle(QWidget* toggle)
{
    m_second->layout()->addWidget(toggle);
}

void TunerHead::arrange()
{
    const bool runs = m_phase == TunerPhase::Running;
    m_open->setVisible(m_bestKnown && !m_formShown);
    m_new->setVisible(hasEnded(m_phase) && !m_formShown);
    m_pause->setVisible(runs || m_phase == TunerPhase::Pausing);
    m_pause->setEnabled(runs);
    // One that was stopped has its best; it may go on all the same.
    m_resume->setVisible(canBeResumed(m_phase) || (m_phase == TunerPhase::Stopped && !m_formShown));
    m_resume->setToolTip(canBeResumed(m_phase) ? tr("Goes on where it was, also after a crash (Ctrl+T)")
                                               : tr("Goes on where it was stopped, with all that it knows"));
    m_stop->setVisible(runs || canBeResumed(m_phase) || m_phase == TunerPhase::Pausing || m_phase == TunerPhase::Stopping);
    m_stop->setEnabled(m_phase != TunerPhase::Stopping);
    m_cancel->setVisible(m_stop->isVisibleTo(this));
    m_second->setVisible(!m_formShown);
    fit();
}

// Words of the buttons as whole as there is room, at last their icons alone; notes are cut to what is left.
void TunerHead::fit()
{
    const QFontMetrics metrics(contentFont());
    int whole = 32 + m_icon->sizeHint().width() + m_words->sizeHint().width();
    int brief = whole;
    for (auto each = m_texts.begin(); each != m_texts.end(); ++each) {
        if (each.key()->isVisibleTo(this)) {
            whole += metrics.horizontalAdvance(each.value().first) + 56;
            brief += metrics.horizontalAdvance(each.value().second) + 56;
        }
    }
    for (auto each = m_texts.begin(); each != m_texts.end(); ++each) {
        const bool says = each.key() == m_resume || each.key() == m_new;
        const QString text = whole <= width() ? each.value().first : brief <= width() || says ? each.value().second : QString();
        if (each.key()->text() != text) {
            each.key()->setText(text);
        }
    }
    layout()->activate();
    const QFontMetrics small(noteFont());
    m_details->setText(small.elidedText(m_detailsText, Qt::ElideRight, std::max(0, m_details->width() - 4)));
    m_details->setToolTip(m_detailsText);
    m_notes->setText(small.elidedText(m_notesText, Qt::ElideRight, std::max(0, m_notes->width() - 4)));
    m_notes->setToolTip(m_notesText);
    m_advice->setText(small.elidedText(m_adviceText, Qt::ElideRight, std::max(0, m_advice->width() - 4)));
    m_advice->setToolTip(m_adviceText);
}

void TunerHead::dress()
{
    const Theme theme = Theme::of(palette());
    const Sign sign = signOf(m_phase, theme);
    const int side = QFontMetrics(contentFont()).height();
    m_icon->setPixmap(icon(QString::fromLatin1(sign.icon), sign.colour).pixmap(side, side));
    m_words->setFont(nameFont());
    m_details->setFont(noteFont());
    m_notes->setFont(noteFont());
    m_advice->setFont(noteFont());
    m_bar->setFont(noteFont());
    m_bar->setFixedWidth(QFontMetrics(noteFont()).averageCharWidth() * 40);
    m_bar->setFixedHeight(QFontMetrics(noteFont()).height() + 6);
    QPalette ink = palette();
    ink.setColor(QPalette::WindowText, theme.unproven);
    m_advice->setPalette(ink);
    const QColor onAccent = theme.accent.lightness() > 150 ? theme.window : QColor(Qt::white);
    for (auto each = m_texts.begin(); each != m_texts.end(); ++each) {
        const bool primary = each.key()->property("primary").toBool();
        each.key()->setIcon(icon(each.key()->property("iconName").toString(), primary ? onAccent : theme.text));
        each.key()->setIconSize(QSize(side, side));
    }
}

void TunerHead::changeEvent(QEvent* event)
{
    QWidget::changeEvent(event);
    if (event->type() == QEvent::PaletteChange || event->type() == QEvent::FontChange) {
        dress();
        fit();
    }
}

void TunerHead::resizeEvent(QResizeEvent* event)
{
    QWidget::resizeEvent(event);
    fit();
}

} // namespace nw::views
