#pragma once

#include "engine/measure/runner/kernel.h"
#include "engine/measure/runner/rig.h"
#include "engine/wire/messages.h"

#include <cstdint>
#include <vector>

namespace nw::runner {

// Times a subject by a protocol (MEASURING.md) and fills in the reply's samples and figures.
//   quick    short samples within Protocol::limitMs all in all; the median of the clean ones
//   confirm  `samples` clean samples and an interval within 3 %, or limitMs
//   search   the minimum of single runs, in slices with probes between them
// Cold: the caches are emptied before every run, outside the time. `guessNs` is one run's time as seen in the check:
// a subject too slow for the time that is left until `deadlineNs` (of the rig's clock) is not run at all, and the guess
// stands for it, marked noisy. False when it was not run.
bool timeSubject(Rig& rig, Subject& subject, const wire::Protocol& protocol, double guessNs, std::int64_t deadlineNs,
                 wire::RunReply& reply);

// One of several: `guessNs` as above, `reply` to be filled in.
struct Contender {
    Subject* subject = nullptr;
    double guessNs = 0;
    wire::RunReply* reply = nullptr;
};
// Samples of all in rounds whose order rotates, until each has what the protocol ("quick" or "confirm", hot) asks for or
// their limits together are used up. Those too slow for the deadline are left out with the guess, as above; says which ran.
std::vector<bool> timeRounds(Rig& rig, const std::vector<Contender>& contenders, const wire::Protocol& protocol, std::int64_t deadlineNs);

// Alternates A B B A until `samples` clean quadruples or limitMs, and fills in the reply's pair figures. The reply's
// samples and times are those of A. False when there was no time to run them.
bool timePair(Rig& rig, Subject& a, Subject& b, const wire::Protocol& protocol, double guessNs, std::int64_t deadlineNs,
              wire::RunReply& reply);

} // namespace nw::runner
