#include "engine/measure/runner/bandwidth.h"

#include "engine/base/text.h"
#include "engine/measure/runner/probe_kernels.h"
#include "engine/measure/runner/region.h"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <vector>

namespace nw::runner {
namespace {

class Bandwidth : public Subject {
public:
    Bandwidth(Team& team, std::vector<Region> memory, std::size_t bytes, bool copies)
        : m_team(team)
        , m_memory(std::move(memory))
        , m_bytes(bytes)
        , m_copies(copies)
    {}

    void run(std::int64_t times) override
    {
        m_team.run([&](int index) {
            std::byte* const memory = m_memory[static_cast<std::size_t>(index)].begin();
            float sum = 0;
            for (std::int64_t i = 0; i < times; ++i) {
                if (m_copies) {
                    std::memcpy(memory + m_bytes / 2, memory, m_bytes / 2);
                } else {
                    sum += readAll(reinterpret_cast<const float*>(memory), m_bytes / sizeof(float));
                }
            }
            m_sum.store(sum, std::memory_order_relaxed);
        });
    }

private:
    Team& m_team;
    std::vector<Region> m_memory;
    std::size_t m_bytes;
    bool m_copies;
    std::atomic<float> m_sum{0}; // so that the reads are not left out
};

} // namespace

Result<std::unique_ptr<Subject>> makeBandwidth(Team& team, const std::string& kind, std::int64_t bytes)
{
    if ((kind != "read" && kind != "copy") || bytes < 4096 || bytes > std::int64_t{1} << 32) {
        return refused(format("no bandwidth probe '{}' over {} bytes", kind, bytes));
    }
    const std::size_t size = static_cast<std::size_t>(bytes) / 1024 * 1024;
    std::vector<Region> memory;
    for (int i = 0; i < team.threads(); ++i) {
        Result<Region> region = Region::create(size);
        if (!region) {
            return region.error();
        }
        memory.push_back(*std::move(region));
    }
    team.run([&](int index) { // touched by the thread that uses it
        Region& region = memory[static_cast<std::size_t>(index)];
        std::fill(region.begin(), region.end(), std::byte{0});
    });
    return std::unique_ptr<Subject>(std::make_unique<Bandwidth>(team, std::move(memory), size, kind == "copy"));
}

} // namespace nw::runner
