#include "engine/base/divisors.h"

namespace nw {

std::vector<std::int64_t> divisors(std::int64_t n)
{
    std::vector<std::int64_t> small, large;
    for (std::int64_t d = 1; d * d <= n; ++d) {
        if (n % d == 0) {
            small.push_back(d);
            if (d * d != n) {
                large.push_back(n / d);
            }
        }
    }
    small.insert(small.end(), large.rbegin(), large.rend());
    return small;
}

std::vector<std::int64_t> properDivisors(std::int64_t n)
{
    const std::vector<std::int64_t> all = divisors(n);
    return all.size() <= 2 ? std::vector<std::int64_t>() : std::vector<std::int64_t>(all.begin() + 1, all.end() - 1);
}

} // namespace nw
