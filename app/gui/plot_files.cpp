#include "app/gui/plot_files.h"

#include "views/common/picture_file.h"

#include <QCoreApplication>
#include <QDir>
#include <QFileDialog>

namespace nw::app {
namespace {

QString words(const char* text)
{
    return QCoreApplication::translate("PlotFiles", text);
}

bool write(const PlotFile& plot, const QString& kind, const QString& path)
{
    if (kind == QLatin1String("png")) {
        return plot.savePng(path);
    }
    if (kind == QLatin1String("svg")) {
        return plot.saveSvg(path);
    }
    return views::saveBytes(path, plot.csv().toUtf8());
}

QString filterOf(const QString& kind)
{
    return kind == QLatin1String("png") ? words(QT_TRANSLATE_NOOP("PlotFiles", "Pictures (*.png)"))
        : kind == QLatin1String("svg")  ? words(QT_TRANSLATE_NOOP("PlotFiles", "Drawings (*.svg)"))
                                        : words(QT_TRANSLATE_NOOP("PlotFiles", "Tables (*.csv)"));
}

} // namespace

void askPlotFile(QWidget* parent, const QString& kind, const PlotFile& plot,
                 const std::function<void(const QString& sentence, bool failed)>& tell)
{
    auto* dialog = new QFileDialog(parent, words(QT_TRANSLATE_NOOP("PlotFiles", "Save the plot as")), plot.folder, filterOf(kind));
    dialog->setObjectName(QStringLiteral("plotFileDialog"));
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setAcceptMode(QFileDialog::AcceptSave);
    dialog->setFileMode(QFileDialog::AnyFile);
    dialog->setDefaultSuffix(kind);
    dialog->selectFile(plot.name + QLatin1Char('.') + kind);
    QObject::connect(dialog, &QFileDialog::fileSelected, parent, [kind, plot, tell](const QString& path) {
        const QString shown = QDir::toNativeSeparators(path);
        if (write(plot, kind, path)) {
            tell(words(QT_TRANSLATE_NOOP("PlotFiles", "Saved %1.")).arg(shown), false);
        } else {
            tell(words(QT_TRANSLATE_NOOP("PlotFiles", "%1 could not be written. Is its folder there, and may you write into it?")).arg(shown), true);
        }
    });
    dialog->open();
}

} // namespace nw::app
