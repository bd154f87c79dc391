#pragma once

#include "engine/tune/space.h"

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

namespace nw::tune {

// What was measured of a point.
struct Known {
    Point point;
    double ns = 0; // 0: it failed
};

// What a search may know of points before they are measured.
class Judge {
public:
    virtual ~Judge() = default;
    // Expected speed, higher is faster, of each; nothing for one that is refused or was tried (or another with the same
    // script). Costs a replay each.
    virtual std::vector<std::optional<double>> scores(std::span<const Point> points) = 0;
    virtual bool wasTried(const Point& point) const = 0;
    // The same for points that make the same script: knobs of a step that is off do not matter. Of points that were scored.
    virtual std::uint64_t identity(const Point& point) const { return hashOf(point); }
};

struct Proposal {
    Point point;
    std::string from; // "random", or a mutation's name
    std::optional<double> score; // when a model chose
};

// How the next candidates are found. The same seed, round and history give the same proposals.
struct SearchInput {
    const Space* space = nullptr;
    std::span<const Known> history; // in the order of measuring
    std::span<const Point> seeds;   // worth a try: the best of tasks of the same kind
    Judge* judge = nullptr;
    bool trusted = false; // whether scores are to be followed
    int count = 32;
    double randomShare = 0.15; // of a batch, drawn at random whatever the scores say
    std::uint64_t seed = 0;
    int round = 0;
};
// Fewer than `count` when no more could be found.
struct Search {
    std::string_view name;
    std::vector<Proposal> (*propose)(const SearchInput& input);
};
std::span<const Search* const> allSearches(); // "evolutionary" first
const Search* findSearch(std::string_view name);

// A stream of its own for each purpose within a round.
Random streamOf(const SearchInput& input, std::uint64_t index);
// The points that ran, the fastest first, at most so many.
std::vector<Point> fastest(std::span<const Known> history, std::size_t most);
// The proposals of one batch, each point once and none that was tried or refused.
class Batch {
public:
    explicit Batch(const SearchInput& input)
        : m_input(&input)
    {}
    bool isFull() const { return static_cast<int>(m_proposals.size()) >= m_input->count; }
    int size() const { return static_cast<int>(m_proposals.size()); }
    // Those of the points that are new and legal, in order, until there are `upTo`.
    void add(std::span<const Point> points, const std::string& from, int upTo);
    void add(Proposal proposal);
    bool has(const Point& point) const { return m_scripts.contains(m_input->judge->identity(point)); }
    // Fills up to `upTo` with random points; gives up after many draws without a new one.
    void addRandom(Random& random, int upTo);
    std::vector<Proposal> take() { return std::move(m_proposals); }

private:
    const SearchInput* m_input;
    std::vector<Proposal> m_proposals;
    std::unordered_set<std::uint64_t> m_scripts; // by identity
};

} // namespace nw::tune
