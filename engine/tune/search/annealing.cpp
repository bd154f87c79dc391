// Simulated annealing on the cost model's scores: chains start at the fastest points and at random ones, take a neighbour
// when it is better, or by chance the less the colder it is; the best points that the chains met are measured.
#include "engine/tune/mutations/all.h"
#include "engine/tune/search/all.h"

#include <algorithm>
#include <cmath>

namespace nw::tune {
namespace {

constexpr std::size_t kChains = 32;
constexpr int kSteps = 14;

struct Met {
    Point point;
    double score = 0;
};

std::vector<Point> starts(const SearchInput& input, Random& random)
{
    std::vector<Point> points = fastest(input.history, kChains / 2);
    for (std::size_t i = points.size(); i < kChains; ++i) {
        if (std::optional<Point> point = input.space->random(random)) {
            points.push_back(*std::move(point));
        }
    }
    return points;
}

std::vector<Proposal> propose(const SearchInput& input)
{
    Batch batch(input);
    batch.add(input.seeds, "seed", input.count);
    Random random = streamOf(input, 0);
    std::vector<Met> met;
    if (input.trusted) {
        std::vector<Point> now = starts(input, random);
        std::vector<double> scores(now.size(), -1e30);
        std::unordered_set<std::uint64_t> seen;
        double best = -1e30, worst = 1e30;
        for (int step = 0; step < kSteps; ++step) {
            std::vector<Point> next;
            std::vector<std::size_t> chain;
            for (std::size_t i = 0; i < now.size(); ++i) {
                std::optional<Point> moved = (random.below(3) == 0 ? redrawKnob : stepKnob).apply(*input.space, {}, now[i], random);
                if (moved && input.space->satisfies(*moved) && !input.judge->wasTried(*moved)) {
                    next.push_back(*std::move(moved));
                    chain.push_back(i);
                }
            }
            const std::vector<std::optional<double>> expected = input.judge->scores(next);
            for (std::size_t i = 0; i < next.size(); ++i) {
                if (!expected[i]) {
                    continue;
                }
                best = std::max(best, *expected[i]);
                worst = std::min(worst, *expected[i]);
                if (seen.insert(hashOf(next[i])).second) {
                    met.push_back({next[i], *expected[i]});
                }
                const double heat = 0.5 * (best - worst + 1e-9) * (1.0 - static_cast<double>(step) / kSteps);
                const double loss = scores[chain[i]] - *expected[i];
                if (loss <= 0 || random.unit() < std::exp(-loss / heat)) {
                    now[chain[i]] = std::move(next[i]);
                    scores[chain[i]] = *expected[i];
                }
            }
        }
        std::stable_sort(met.begin(), met.end(), [](const Met& a, const Met& b) { return a.score > b.score; });
    }
    const int drawn = static_cast<int>(std::lround(input.randomShare * input.count));
    for (const Met& one : met) {
        if (batch.size() < input.count - drawn) {
            batch.add({one.point, "annealing", one.score});
        }
    }
    batch.addRandom(random, input.count);
    return batch.take();
}

} // namespace

const Search annealingSearch{"annealing", &propose};

} // namespace nw::tune
