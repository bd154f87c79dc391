#pragma once

#include "app/gui/main_window.h"

#include "engine/tune/tuning_lock.h"

#include <memory>

namespace nw::screens {

// Plants a journal in the project that is shown, once, and waits until the panel has it. A tuner is at work as long as the
// lock lives.
std::unique_ptr<tune::TuningLock> tunerAtWork(app::MainWindow& window);
void chooseTrials(app::MainWindow& window);

} // namespace nw::screens
