#include "views/common/theme.h"

namespace nw::views {
namespace {

QColor hex(unsigned rgb)
{
    return QColor::fromRgb(QRgb(0xff000000U | rgb));
}

} // namespace

Theme Theme::light()
{
    return {hex(0xf3f5f7), hex(0xffffff), hex(0xf7f9fb), hex(0xdde2e7), hex(0x1f2933), hex(0x5d6b78), hex(0x2563c9), hex(0xe3edfb),
            hex(0x0b7a52), hex(0x9a6200), hex(0xb83a1b), hex(0x8a939c), hex(0x0072b2), hex(0xd98200), hex(0xb0568a)};
}

Theme Theme::dark()
{
    return {hex(0x16191d), hex(0x1e2227), hex(0x262b31), hex(0x2f363d), hex(0xe4e8ec), hex(0x93a0ac), hex(0x6ea8fe), hex(0x223452),
            hex(0x4cc38a), hex(0xe6a23c), hex(0xf0785a), hex(0x8a939c), hex(0x56b4e9), hex(0xe69f00), hex(0xcc79a7)};
}

QColor Theme::series(const QString& name) const
{
    if (name == QLatin1String("default")) {
        return seriesDefault;
    }
    if (name == QLatin1String("hand")) {
        return seriesHand;
    }
    if (name == QLatin1String("auto")) {
        return seriesAuto;
    }
    if (name == QLatin1String("library")) {
        return seriesLibrary;
    }
    return muted;
}

} // namespace nw::views
