// Evolution: the fastest points measured so far, and random ones, have children by mutations; the cost model lets the best of
// them live through a few generations, and the best of all that were seen are measured. While the model cannot be trusted,
// children of the fastest are measured as they come.
#include "engine/tune/mutation.h"
#include "engine/tune/search/all.h"

#include <algorithm>
#include <cmath>

namespace nw::tune {
namespace {

constexpr std::size_t kElders = 32;     // of the fastest measured
constexpr std::size_t kPopulation = 96; // of a generation
constexpr int kGenerations = 4;

struct Being {
    Point point;
    std::string from;
    double score = 0;
};

const Mutation& drawn(Random& random)
{
    int all = 0;
    for (const Mutation* mutation : allMutations()) {
        all += mutation->weight;
    }
    auto left = static_cast<int>(random.below(static_cast<std::uint64_t>(all)));
    for (const Mutation* mutation : allMutations()) {
        left -= mutation->weight;
        if (left < 0) {
            return *mutation;
        }
    }
    return *allMutations().front();
}

// The nearer to the front of the parents the likelier; one or two mutations.
std::optional<std::pair<Point, std::string>> child(const SearchInput& input, std::span<const Point> parents, Random& random)
{
    const double place = random.unit() * random.unit() * static_cast<double>(parents.size());
    const Point& parent = parents[std::min(static_cast<std::size_t>(place), parents.size() - 1)];
    const Mutation& first = drawn(random);
    std::optional<Point> made = first.apply(*input.space, parents, parent, random);
    if (made && random.below(3) == 0) {
        if (std::optional<Point> again = drawn(random).apply(*input.space, parents, *made, random)) {
            made = std::move(again);
        }
    }
    if (!made || !input.space->satisfies(*made)) {
        return std::nullopt;
    }
    return std::pair{*std::move(made), std::string(first.name)};
}

// Children of the parents that nobody has seen yet, with their scores.
std::vector<Being> children(const SearchInput& input, std::span<const Point> parents, std::size_t most, Random& random,
                            std::unordered_set<std::uint64_t>& seen)
{
    std::vector<Point> points;
    std::vector<std::string> from;
    for (std::size_t attempt = 0; attempt < 6 * most && points.size() < most; ++attempt) {
        if (auto made = child(input, parents, random); made && !input.judge->wasTried(made->first) && seen.insert(hashOf(made->first)).second) {
            points.push_back(std::move(made->first));
            from.push_back(std::move(made->second));
        }
    }
    const std::vector<std::optional<double>> scores = input.judge->scores(points);
    std::vector<Being> beings;
    for (std::size_t i = 0; i < points.size(); ++i) {
        if (scores[i]) {
            beings.push_back({std::move(points[i]), std::move(from[i]), *scores[i]});
        }
    }
    return beings;
}

void addEvolved(const SearchInput& input, const std::vector<Point>& elders, Batch& batch, int upTo)
{
    Random random = streamOf(input, 0);
    std::unordered_set<std::uint64_t> seen;
    std::vector<Being> all;
    std::vector<Point> parents = elders;
    for (std::size_t i = 0; i < kElders / 2; ++i) {
        if (std::optional<Point> point = input.space->random(random)) {
            parents.push_back(*std::move(point));
        }
    }
    for (int generation = 0; generation < kGenerations && !parents.empty(); ++generation) {
        std::vector<Being> born = children(input, parents, kPopulation, random, seen);
        all.insert(all.end(), std::make_move_iterator(born.begin()), std::make_move_iterator(born.end()));
        std::stable_sort(all.begin(), all.end(), [](const Being& a, const Being& b) { return a.score > b.score; });
        parents.clear();
        for (std::size_t i = 0; i < std::min(all.size(), kPopulation / 2); ++i) {
            parents.push_back(all[i].point);
        }
        parents.insert(parents.end(), elders.begin(), elders.end());
    }
    for (Being& being : all) {
        if (batch.size() < upTo) {
            batch.add({std::move(being.point), std::move(being.from), being.score});
        }
    }
}

std::vector<Proposal> propose(const SearchInput& input)
{
    Batch batch(input);
    batch.add(input.seeds, "seed", input.count);
    const int drawn = static_cast<int>(std::lround(input.randomShare * input.count));
    const std::vector<Point> elders = fastest(input.history, kElders);
    if (input.trusted && !elders.empty()) {
        addEvolved(input, elders, batch, input.count - drawn);
    } else if (!elders.empty()) {
        Random random = streamOf(input, 1);
        std::unordered_set<std::uint64_t> seen;
        const int most = std::min(input.count / 2, input.count - drawn);
        for (Being& being : children(input, elders, static_cast<std::size_t>(most), random, seen)) {
            if (batch.size() < most) {
                batch.add({std::move(being.point), std::move(being.from), being.score});
            }
        }
    }
    Random random = streamOf(input, 2);
    batch.addRandom(random, input.count);
    return batch.take();
}

} // namespace

const Search evolutionarySearch{"evolutionary", &propose};

} // namespace nw::tune
