#include "app/gui/samples.h"

#include <QCoreApplication>
#include <QDir>
#include <QFile>

namespace nw::app {
namespace {

// The order in which a newcomer meets them.
const QStringList kOrder{QStringLiteral("matmul1024"), QStringLiteral("conv3x3"), QStringLiteral("small_cnn"), QStringLiteral("resnet18"),
                         QStringLiteral("attention")};

views::SampleCard cardOf(const QDir& folder)
{
    views::SampleCard card{folder.dirName(), {}, folder.absolutePath()};
    QFile file(folder.filePath(QStringLiteral("README.md")));
    if (!file.open(QIODevice::ReadOnly)) {
        return card;
    }
    QStringList paragraph;
    const QStringList lines = QString::fromUtf8(file.readAll()).split(QLatin1Char('\n'));
    for (const QString& line : lines) {
        if (line.startsWith(QLatin1String("# "))) {
            card.title = line.mid(2).trimmed();
        } else if (!line.trimmed().isEmpty()) {
            paragraph.append(line.trimmed());
        } else if (!paragraph.isEmpty()) {
            break;
        }
    }
    card.text = paragraph.join(QLatin1Char(' ')).remove(QLatin1Char('`'));
    return card;
}

} // namespace

QString samplesFolder()
{
    const QDir programs(QCoreApplication::applicationDirPath());
    for (const char* place : {"../share/nestwright/projects", "../../../projects", "../../projects"}) {
        const QString folder = QDir::cleanPath(programs.filePath(QString::fromLatin1(place)));
        if (QFile::exists(folder + QStringLiteral("/matmul1024/model.onnxtxt"))) {
            return folder;
        }
    }
    return {};
}

QList<views::SampleCard> samples()
{
    QList<views::SampleCard> cards;
    const QDir folder(samplesFolder());
    if (folder.path() == QLatin1String(".")) {
        return cards;
    }
    QStringList names = folder.entryList(QDir::Dirs | QDir::NoDotAndDotDot, QDir::Name);
    std::stable_sort(names.begin(), names.end(), [](const QString& a, const QString& b) {
        const auto place = [](const QString& name) {
            const qsizetype at = kOrder.indexOf(name);
            return at < 0 ? kOrder.size() : at;
        };
        return place(a) < place(b);
    });
    for (const QString& name : names) {
        cards.append(cardOf(QDir(folder.filePath(name))));
    }
    return cards;
}

} // namespace nw::app
