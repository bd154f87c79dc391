// What leaves the tuner's panel: tables of all that it shows, pictures of its plots as they are looked at.
#include "views/tuner/tuner_view.h"

#include "views/common/export_button.h"
#include "views/common/format.h"
#include "views/common/picture_file.h"
#include "views/tuner/curve_plot.h"
#include "views/tuner/importance_bars.h"
#include "views/tuner/model_page.h"
#include "views/tuner/tasks_model.h"
#include "views/tuner/tuner_head.h"
#include "views/tuner/tuner_tables.h"

#include <QApplication>
#include <QClipboard>

#include <algorithm>

namespace nw::views {
namespace {

constexpr QSize kPicture(900, 460);

QString knobs()
{
    return QStringLiteral("knobs");
}

} // namespace

// Few bars need a low picture.
QSize TunerView::pictureSize(const QString& thing) const
{
    return thing == knobs() ? QSize(kPicture.width(), std::min(kPicture.height(), m_importance->pictureHeight())) : kPicture;
}

void TunerView::makeExport()
{
    auto* button = new ExportButton(QStringLiteral("tuner"), this);
    button->addThing(QStringLiteral("trials"), tr("Trials"), true);
    button->addThing(QStringLiteral("model"), tr("Model"), true);
    button->addThing(knobs(), tr("Knobs"), true);
    button->addThing(QStringLiteral("operators"), tr("Operators"), false);
    button->addThing(QStringLiteral("failures"), tr("Failures"), false);
    m_head->addToggle(button);
    connect(button, &ExportButton::exportWished, this, [this](const QString& kind, const QString& thing) {
        if (kind == QLatin1String("copy")) {
            QApplication::clipboard()->setText(csv(thing));
        } else {
            Q_EMIT exportWished(kind, thing);
        }
    });
}

QString TunerView::csv(const QString& thing) const
{
    return thing == QLatin1String("model") ? roundsCsv(m_model->rounds())
        : thing == knobs()                   ? sharesCsv(m_importance->shares())
        : thing == QLatin1String("operators") ? tasksCsv(m_tasksModel->tasks())
        : thing == QLatin1String("failures")  ? causesCsv(m_series)
                                              : trialsCsv(m_series);
}

QString TunerView::taskName() const
{
    const record::TuneTask* shown = m_tasksModel->find(m_task);
    return shown != nullptr ? fromStd(shown->group) : QString();
}

// Plots are made anew for a file: the window's keep their size, their fonts and their looks.
PaintPicture TunerView::painted(const QString& thing, const Theme& theme) const
{
    const FileFonts fonts = FileFonts::make();
    if (thing == knobs()) {
        return [this, theme, fonts](QCPPainter& painter) {
            m_importance->paintPicture(painter, pictureSize(knobs()), tr("%1: which knobs decide").arg(taskName()), theme, fonts);
        };
    }
    if (thing == QLatin1String("model")) {
        return [this, theme, fonts](QCPPainter& painter) {
            PredictionPlot prediction;
            QualityPlot quality;
            prediction.resize(kPicture);
            quality.resize(kPicture);
            prediction.setLook(theme, fonts.note);
            quality.setLook(theme, fonts.note);
            m_model->prediction()->copyTo(prediction);
            quality.setRounds(m_model->rounds());
            paintPlots(painter, kPicture, tr("%1: predicted against measured, and how well each round was ordered").arg(taskName()), theme,
                       {&prediction, &quality});
        };
    }
    return [this, theme, fonts](QCPPainter& painter) {
        CurvePlot curve;
        curve.resize(kPicture);
        curve.setLook(theme, fonts.note);
        m_curve->copyTo(curve);
        paintPlots(painter, kPicture, tr("%1: what the trials brought").arg(taskName()), theme, {&curve});
        curve.setSeries(nullptr);
    };
}

QImage TunerView::picture(const QString& thing) const
{
    const Theme theme = Theme::of(palette());
    return renderPicture(pictureSize(thing), 2, theme, painted(thing, theme));
}

QByteArray TunerView::drawing(const QString& thing) const
{
    const Theme theme = Theme::of(palette());
    return svgOf(pictureSize(thing), taskName(), theme, painted(thing, theme));
}

} // namespace nw::views
