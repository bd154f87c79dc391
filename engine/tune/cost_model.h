#pragma once

#include "engine/base/result.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace nw::tune {

// What the model learns from: candidates of one group (a task) are ranked against each other, those of two never.
struct Sample {
    std::vector<float> features; // featureNames().size()
    double ns = 0;               // measured; 0 or less: it failed, and ranks behind all that ran
    float weight = 1;            // of samples from elsewhere less (transfer)
    int group = 0;
};

// Boosted trees (XGBoost through its C API) that rank candidates by expected speed, with a ranking loss. Same samples and
// settings, same model and scores: the number of threads is fixed and nothing is drawn at random beyond the seed.
class CostModel {
public:
    struct Settings {
        int rounds = 60;
        int depth = 6;
        double rate = 0.15;
        int threads = 1;
        std::uint64_t seed = 0;
    };
    explicit CostModel(Settings settings);
    ~CostModel();
    CostModel(CostModel&&) noexcept;
    CostModel& operator=(CostModel&&) noexcept;

    // From the beginning, on all samples. Rows of another length than the features, or not finite, are left out; Refused
    // when fewer than two usable ones are left.
    Status train(std::span<const Sample> samples);
    bool isTrained() const;
    // A score for each row, higher is faster; 0 for all before training, for a row of another length the lowest of the others.
    std::vector<double> predict(std::span<const std::vector<float>> rows) const;
    // How much each feature was worth to the trees (gain, relative, sums to 1), parallel to featureNames().
    std::vector<double> importance() const;

    // With the feature version; fromBytes is Refused with a sentence for another version, and Failed for bytes that are no model.
    Result<std::vector<std::byte>> toBytes() const;
    static Result<CostModel> fromBytes(std::span<const std::byte> bytes, Settings settings);

private:
    struct State;
    std::unique_ptr<State> m_state;
};

// How well scores (higher is faster) order measured times; those that failed (ns <= 0) count as slowest.
struct RankQuality {
    double correlation = 0; // Spearman's, 1 is perfect; ties share ranks; 0 for fewer than three
    double recall = 0;      // share of the `top` fastest that are among the `top` best scores
};
RankQuality rankQuality(std::span<const double> scores, std::span<const double> ns, int top = 10);

} // namespace nw::tune
