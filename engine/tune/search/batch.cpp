#include "engine/base/hash.h"
#include "engine/base/text.h"
#include "engine/tune/search/all.h"

#include <algorithm>
#include <array>

namespace nw::tune {

std::span<const Search* const> allSearches()
{
    static const std::array<const Search*, 3> all{&evolutionarySearch, &annealingSearch, &randomSearch};
    return all;
}

const Search* findSearch(std::string_view name)
{
    for (const Search* search : allSearches()) {
        if (search->name == name) {
            return search;
        }
    }
    return nullptr;
}

Random streamOf(const SearchInput& input, std::uint64_t index)
{
    return Random(hash64(format("{} {} {}", input.seed, input.round, index)));
}

std::vector<Point> fastest(std::span<const Known> history, std::size_t most)
{
    std::vector<const Known*> ran;
    for (const Known& known : history) {
        if (known.ns > 0) {
            ran.push_back(&known);
        }
    }
    std::stable_sort(ran.begin(), ran.end(), [](const Known* a, const Known* b) { return a->ns < b->ns; });
    std::vector<Point> points;
    for (const Known* known : ran) {
        if (points.size() < most) {
            points.push_back(known->point);
        }
    }
    return points;
}

void Batch::add(Proposal proposal)
{
    if (m_scripts.insert(m_input->judge->identity(proposal.point)).second) {
        m_proposals.push_back(std::move(proposal));
    }
}

void Batch::add(std::span<const Point> points, const std::string& from, int upTo)
{
    std::vector<Point> fresh;
    for (const Point& point : points) {
        if (!m_input->judge->wasTried(point) && !has(point) && m_input->space->satisfies(point)) {
            fresh.push_back(point);
        }
    }
    const std::vector<std::optional<double>> scores = m_input->judge->scores(fresh);
    for (std::size_t i = 0; i < fresh.size() && size() < upTo; ++i) {
        if (scores[i]) {
            add({fresh[i], from, *scores[i]});
        }
    }
}

void Batch::addRandom(Random& random, int upTo)
{
    // A space may be nearly used up, or have no legal point at all.
    constexpr int kTries = 40;
    for (int attempt = 0; attempt < kTries && size() < upTo; ++attempt) {
        std::vector<Point> drawn;
        for (int i = size(); i < upTo; ++i) {
            if (std::optional<Point> point = m_input->space->random(random)) {
                drawn.push_back(*std::move(point));
            }
        }
        add(drawn, "random", upTo);
    }
}

} // namespace nw::tune
