#pragma once

#include "engine/base/stop.h"
#include "engine/compute/oracle/lanes.h"
#include "engine/compute/oracle/program.h"

#include <cstdint>
#include <vector>

namespace nw::compute::oracle {

// Computes blocks of one stage's elements: for a block the nodes that no reduction axis moves once, then, a step of
// the reduction at a time, the others. One per thread.
class StageRunner {
public:
    // `target` takes the results (its vectors are sized); `tracks`: with error bounds.
    StageRunner(const Stage& stage, const Program& program, Buffer& target, bool tracks);

    // Elements first ... first + count - 1 in row-major order, count <= kLanes. Leaves them half done when stopped.
    void run(std::int64_t first, int count, const StopToken& stop);

private:
    struct Total {
        std::vector<double> reals, sizes, bounds; // sizes: sum of |terms|
        std::vector<std::int64_t> wholes;
        bool isExact = true;

        Lanes lanes() { return {reals.data(), wholes.data(), bounds.data(), isExact}; }
    };

    void placeLanes(std::int64_t first, int count);
    void evaluate(std::size_t index, int count);
    void evaluatePlace(const Node& node, std::size_t index, int count);
    void evaluateLoad(const Node& node, Lanes& out, int count);
    void moveSteps();
    void startTotal(int count);
    void addTerms(int count);
    void addProducts(int count);
    void addReals(int count);
    void addWholes(int count);
    void combine(const Lanes& term, int count);
    void storeTotal(std::int64_t first, int count);
    void store(const Lanes& result, std::int64_t first, int count);

    const Stage& m_stage;
    const Program& m_program;
    Buffer& m_target;
    bool m_tracks;
    bool m_addsProducts; // a sum whose terms are products: their rounding is counted with the sum
    std::vector<std::int64_t> m_spatial, m_reduction; // extents
    std::vector<double> m_doubles;
    std::vector<std::int64_t> m_integers;
    std::vector<Lanes> m_lanes;                        // one a node
    std::vector<std::vector<std::int64_t>> m_places;   // of Place nodes: the part that does not vary
    std::vector<std::int64_t> m_steps;                 // of Place nodes: the part that the reduction moves
    std::vector<std::vector<std::int64_t>> m_indices;  // of each spatial axis, a value a lane
    std::vector<std::int64_t> m_at;                    // of each reduction axis
    std::vector<std::size_t> m_varying;                // nodes, in order
    Total m_total, m_before;
};

} // namespace nw::compute::oracle
