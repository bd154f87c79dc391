#pragma once

#include "engine/measure/device.h"

#include <QTemporaryDir>

namespace nw::test {

// A device of the test's own: the workers that were built beside it, with caches and lease in `folder`.
inline measure::LocalDevice::Settings deviceIn(const QTemporaryDir& folder)
{
    measure::LocalDevice::Settings settings;
    settings.programs = {NW_BUILDER, NW_RUNNER};
    settings.cacheFolder = folder.filePath("cache").toStdString();
    settings.runtimeFolder = folder.filePath("run").toStdString();
#ifdef NW_SANITIZED
    settings.builderMemoryBytes = 0;
#endif
    return settings;
}

} // namespace nw::test
