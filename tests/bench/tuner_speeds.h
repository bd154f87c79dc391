#pragma once

#include "engine/measure/device.h"
#include "tests/bench/tuner_state.h"

#include <optional>
#include <string>
#include <vector>

namespace nw::bench {

// So many scripts take turns well: each more makes the rounds longer.
constexpr std::size_t kTogether = 8;

// Speeds of scripts as shares of a reference's, which takes turns with them in one run: never from times of two runs. Kept in
// the state.
class Speeds {
public:
    Speeds(measure::LocalDevice& device, TunerState& state)
        : m_device(&device)
        , m_state(&state)
    {}

    // Parallel to the scripts; 0: it failed. Nothing where it was not measured (stopped, or only a report was wanted).
    Result<std::vector<std::optional<double>>> of(const session::Operator& op, const std::vector<std::string>& scripts,
                                                  const std::string& reference);

    struct Reached {
        bool isKnown = false;      // false: not measured
        std::optional<int> trials; // nothing: all of them did not suffice
    };
    // How many trials a session needed for a script with that share of the reference's speed.
    Result<Reached> trialsTo(const session::Operator& op, const Tuned& tuned, double share, const std::string& reference);

private:
    measure::LocalDevice* m_device;
    TunerState* m_state;
};

} // namespace nw::bench
