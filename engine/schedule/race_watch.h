#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace nw::schedule {

// While a nest is interpreted one step after the other: tells when two steps of one parallel or vector loop, which
// code runs at once, touch the same element and one of them writes it. No order of the steps alone would show it.
class RaceWatch {
public:
    // A loop of any order begins; its number is for `step`.
    int enter();
    void step(int loop, int outer); // its next step, beneath the step `outer`
    int current() const { return m_current; }
    void leave(int outer) { m_current = outer; }

    // One memory's elements. `forget`: it was allocated anew.
    struct Elements {
        std::vector<int> wrote, read; // by which step, -1: none
        explicit Elements(std::size_t count);
        void forget();
    };
    // False when another step met the element.
    bool reads(Elements& elements, std::size_t at) const;
    bool writes(Elements& elements, std::size_t at) const;

private:
    struct Step {
        int outer = -1, loop = -1, depth = 0;
    };
    bool apart(int a, int b) const;

    std::vector<Step> m_steps{Step{}}; // the first stands for what is outside of all such loops
    int m_loops = 0;
    int m_current = 0;
};

} // namespace nw::schedule
