#include "views/common/icons.h"

#include <QFile>
#include <QHash>
#include <QIconEngine>
#include <QPixmap>
#include <QSvgRenderer>

// A static library's resources are there once they are asked for, from outside of any namespace.
static void takeResources()
{
    Q_INIT_RESOURCE(icons);
}

namespace nw::views {
namespace {

// The picture with its stroke in `color`. Kept, since rows are painted often.
const QByteArray& coloured(const QString& name, const QColor& color)
{
    static QHash<QString, QByteArray> kept;
    if (kept.isEmpty()) {
        takeResources();
    }
    const QString key = name % QLatin1Char('/') % color.name(QColor::HexArgb);
    const auto found = kept.constFind(key);
    if (found != kept.constEnd()) {
        return *found;
    }
    QFile file(QStringLiteral(":/icons/") % name % QStringLiteral(".svg"));
    QByteArray bytes;
    if (file.open(QIODevice::ReadOnly)) {
        bytes = file.readAll().replace("currentColor", color.name().toLatin1());
    }
    return *kept.insert(key, bytes);
}

class Engine : public QIconEngine {
public:
    Engine(QString name, QColor color)
        : m_name(std::move(name))
        , m_color(color)
    {}
    void paint(QPainter* painter, const QRect& rect, QIcon::Mode mode, QIcon::State) override
    {
        painter->save();
        painter->setOpacity(mode == QIcon::Disabled ? 0.4 : 1);
        paintIcon(*painter, m_name, rect, m_color);
        painter->restore();
    }
    QPixmap pixmap(const QSize& size, QIcon::Mode mode, QIcon::State state) override
    {
        QPixmap picture(size);
        picture.fill(Qt::transparent);
        QPainter painter(&picture);
        paint(&painter, QRect(QPoint(), size), mode, state);
        return picture;
    }
    QIconEngine* clone() const override { return new Engine(*this); }

private:
    QString m_name;
    QColor m_color;
};

} // namespace

void paintIcon(QPainter& painter, const QString& name, const QRectF& where, const QColor& color)
{
    QSvgRenderer renderer(coloured(name, color));
    renderer.render(&painter, where);
}

QIcon icon(const QString& name, const QColor& color)
{
    return QIcon(new Engine(name, color));
}

} // namespace nw::views
