#include "engine/tune/learner.h"

#include "engine/base/text.h"

#include <algorithm>
#include <map>
#include <string>

namespace nw::tune {
namespace {

// Ranking a batch of 32 by chance gives a correlation of 0 +- 0.18.
constexpr double kBetterThanChance = 0.15;
constexpr double kFading = 48; // own trials after which kin count half

} // namespace

Learner::Learner(std::uint64_t seed, const std::vector<record::TuneKin>& kin)
    : m_model([&] { CostModel::Settings settings; settings.seed = seed; return settings; }())
    , m_without([&] { CostModel::Settings settings; settings.seed = seed; return settings; }())
{
    std::map<std::string, int> groups;
    for (const record::TuneKin& one : kin) {
        const auto [found, isNew] = groups.emplace(one.task, static_cast<int>(groups.size()) + 1);
        m_kin.push_back({one.features, one.ns, 1, found->second});
    }
}

void Learner::train(const std::vector<std::vector<float>>& features, const std::vector<double>& ns)
{
    std::vector<Sample> samples;
    for (std::size_t i = 0; i < features.size(); ++i) {
        samples.push_back({features[i], ns[i], 1, 0});
    }
    m_trained = static_cast<int>(samples.size());
    m_kinUsed = 0;
    if (!m_kin.empty()) {
        if (m_trained >= 2 && !m_without.train(samples)) {
            m_without = CostModel(CostModel::Settings{});
        }
        const float weight = static_cast<float>(kFading / (kFading + m_trained));
        for (Sample sample : m_kin) {
            sample.weight = weight;
            samples.push_back(std::move(sample));
        }
        m_kinUsed = static_cast<int>(m_kin.size());
    }
    // Too few, or all failed: as before, without a model.
    (void)m_model.train(samples).has_value();
}

bool Learner::isTrusted() const
{
    return m_model.isTrained() && (m_judged == 0 || m_quality >= kBetterThanChance);
}

Learner::Scores Learner::scores(const std::vector<std::vector<float>>& features) const
{
    Scores scores;
    scores.own = m_model.predict(features);
    if (m_kinUsed > 0 && m_without.isTrained()) {
        scores.without = m_without.predict(features);
    }
    return scores;
}

void Learner::sawQuality(const RankQuality& quality, std::size_t measured)
{
    if (measured < 8) { // so few say nothing
        return;
    }
    m_quality = m_judged == 0 ? quality.correlation : 0.5 * (m_quality + quality.correlation);
    ++m_judged;
}

void Learner::report(record::TuneRound& round, const Scores& scores, const std::vector<double>& ns)
{
    round.trusted = isTrusted();
    round.kin = m_kinUsed;
    if (!m_model.isTrained()) {
        round.note = "no model yet: candidates are drawn at random";
        return;
    }
    round.trained = m_trained + m_kinUsed;
    const std::span<const double> own(scores.own.data(), std::min(scores.own.size(), ns.size()));
    const RankQuality quality = rankQuality(own, ns);
    round.correlation = quality.correlation;
    round.recall = quality.recall;
    if (!round.trusted) {
        round.note = "the model ranks no better than chance: candidates are drawn at random and around the fastest";
    }
    if (!scores.without.empty()) {
        const RankQuality alone = rankQuality(std::span<const double>(scores.without.data(), own.size()), ns);
        const std::string kin = format("with {} samples of other tasks of this kind: rank correlation {:.2f}, without them {:.2f}", m_kinUsed,
                                       quality.correlation, alone.correlation);
        round.note = round.note.empty() ? kin : round.note + "; " + kin;
    }
    sawQuality(quality, ns.size());
}

} // namespace nw::tune
