#pragma once

#include "engine/session/editing.h"
#include "tests/engine/schedule/nests.h"
#include "views/common/theme.h"

#include <QApplication>
#include <QDir>
#include <QPixmap>
#include <QStyleFactory>
#include <QWidget>

#include <functional>
#include <string>

// What the window gives its views, made of the engine's own functions.
namespace nw::views::test {

inline session::Editing::Judged judge(const schedule::LoopNest& nest, const std::string& step,
                                      std::span<const schedule::Primitive* const> primitives = schedule::allPrimitives())
{
    session::Editing::Judged judged;
    const schedule::Context context = schedule::test::smallContext();
    const Result<schedule::Script> script = schedule::parseScript(step, primitives, context);
    if (!script) {
        judged.error = script.error().message;
        return judged;
    }
    const Result<schedule::Replay> done = schedule::replay(nest, *script, {}, context, true);
    if (done) {
        judged.check = done->steps.front().check;
        judged.nest = done->nest();
    } else if (done.error().refusal != nullptr) {
        judged.check = {schedule::Verdict::Illegal, *done.error().refusal};
    } else {
        judged.error = done.error().message;
    }
    return judged;
}

inline std::function<session::Editing::Judged(const std::string&)> judgeOf(const schedule::LoopNest& nest)
{
    return [nest](const std::string& step) { return judge(nest, step); };
}

inline void wearTheme(const Theme& theme, double scale)
{
    QApplication::setStyle(QStyleFactory::create(QStringLiteral("Fusion")));
    QFont font(QStringLiteral("DejaVu Sans"));
    font.setPointSizeF(9.75 * scale);
    QApplication::setFont(font);
    QApplication::setPalette(theme.palette());
    qApp->setStyleSheet(theme.styleSheet());
}

// A picture for people to look at, where NW_PICTURES names a folder.
inline void keepPicture(QWidget& widget, const QString& name)
{
    const QString folder = qEnvironmentVariable("NW_PICTURES");
    if (!folder.isEmpty()) {
        widget.grab().save(QDir(folder).filePath(name + QStringLiteral(".png")));
    }
}

} // namespace nw::views::test
