#include "views/tuner/tuner_values.h"

namespace nw::views {

using record::TuneState;
using record::TuneWish;

TunerPhase phaseOf(const TunerStatus& status)
{
    if (status.starting) {
        return TunerPhase::Starting;
    }
    if (!status.session) {
        return TunerPhase::None;
    }
    switch (status.session->state) {
    case TuneState::Running:
        break;
    case TuneState::Paused:
        return TunerPhase::Paused;
    case TuneState::Done:
        return TunerPhase::Done;
    case TuneState::Stopped:
        return TunerPhase::Stopped;
    case TuneState::Cancelled:
        return TunerPhase::Cancelled;
    case TuneState::Failed:
        return TunerPhase::Failed;
    }
    if (!status.alive) {
        return TunerPhase::Interrupted;
    }
    switch (status.session->wish) {
    case TuneWish::Pause:
        return TunerPhase::Pausing;
    case TuneWish::Stop:
        return TunerPhase::Stopping;
    case TuneWish::Cancel:
        return TunerPhase::Cancelling;
    case TuneWish::Run:
        break;
    }
    return TunerPhase::Running;
}

bool isAtWork(TunerPhase phase)
{
    return phase == TunerPhase::Starting || phase == TunerPhase::Running || phase == TunerPhase::Pausing ||
        phase == TunerPhase::Stopping || phase == TunerPhase::Cancelling;
}

bool canBeResumed(TunerPhase phase)
{
    return phase == TunerPhase::Paused || phase == TunerPhase::Interrupted;
}

bool hasEnded(TunerPhase phase)
{
    return phase == TunerPhase::None || phase == TunerPhase::Done || phase == TunerPhase::Stopped ||
        phase == TunerPhase::Cancelled || phase == TunerPhase::Failed;
}

} // namespace nw::views
