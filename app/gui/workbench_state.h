#pragma once

#include "app/gui/workbench.h"

#include "engine/measure/device.h"
#include "engine/session/project.h"

#include <QMetaObject>

// What the sources of Workbench share; never included from elsewhere.
namespace nw::app {

struct Workbench::Keeper {
    std::unique_ptr<session::Project> project;
    std::map<std::pair<QString, qint64>, std::int64_t> revisions; // (operator, the window's number) -> revision
    std::map<std::string, std::int64_t> tuned; // task -> its confirmed record, as told
};

struct Workbench::Bench {
    std::unique_ptr<measure::LocalDevice> device;
    // Compare and profile read scripts and records themselves: through a project of their own, opened when first needed.
    std::unique_ptr<session::Project> project;
    QString path;
    QMap<QString, qint64> bind;

    Result<measure::LocalDevice*> ready();
    Result<session::Project*> opened(const QString& path, const QMap<QString, qint64>& bind); // and the device is ready
};

session::OpenOptions optionsOf(const QMap<QString, qint64>& bind);

template <typename Function>
void Workbench::tell(Function&& function)
{
    QMetaObject::invokeMethod(this, std::forward<Function>(function), Qt::QueuedConnection);
}

} // namespace nw::app
