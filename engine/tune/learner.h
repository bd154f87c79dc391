#pragma once

#include "engine/record/tune_journal.h"
#include "engine/tune/cost_model.h"

#include <vector>

namespace nw::tune {

// The cost model in use: trained on a task's own trials and on its kin's, whose weight fades as there are more of its own;
// judged in each round by how it ranked what was measured then, and followed only as long as it ranks better than chance.
class Learner {
public:
    Learner(std::uint64_t seed, const std::vector<record::TuneKin>& kin);

    // `ns` parallel to the features, 0 for those that failed.
    void train(const std::vector<std::vector<float>>& features, const std::vector<double>& ns);
    bool isTrained() const { return m_model.isTrained(); }
    bool isTrusted() const;
    std::vector<double> predict(std::span<const std::vector<float>> rows) const { return m_model.predict(rows); }

    struct Scores {
        std::vector<double> own;     // what is followed
        std::vector<double> without; // as if there were no kin; empty where there is none
    };
    Scores scores(const std::vector<std::vector<float>>& features) const;
    // Judges the scores of a round by the times that came of it, and writes what it found into the row.
    void report(record::TuneRound& round, const Scores& scores, const std::vector<double>& ns);
    void sawQuality(const RankQuality& quality, std::size_t measured); // also of an earlier process's round

private:
    CostModel m_model, m_without;
    std::vector<Sample> m_kin;
    int m_trained = 0, m_kinUsed = 0;
    int m_judged = 0;      // rounds
    double m_quality = 0;  // correlation, the last rounds' more
};

} // namespace nw::tune
