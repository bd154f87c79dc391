#pragma once

#include "engine/measure/device.h"

#include <filesystem>
#include <optional>

namespace nw::measure {

// The roofs kept for this machine and number of threads, if any.
std::optional<Roofs> readRoofs(const std::filesystem::path& cacheFolder, int threads);
Status keepRoofs(const std::filesystem::path& cacheFolder, int threads, const Roofs& roofs);
// Measures them with the runner: the largest peak seen, and for every level of memory the better of reading and copying
// a working set that fills half of it (memory: four times the last cache). Of each thread, all running at once.
Result<Roofs> probeRoofs(Worker& runner, const Target& target, int threads, const StopToken& stop);

// The most adds per clock that the device ever showed, kept for the clean-sample rule; 0 when none is known.
double readBestAddsPerClock(const std::filesystem::path& cacheFolder);
void keepBestAddsPerClock(const std::filesystem::path& cacheFolder, double value);

} // namespace nw::measure
