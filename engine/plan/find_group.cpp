#include "engine/plan/find_group.h"

#include "engine/base/text.h"

#include <algorithm>

namespace nw::plan {

Result<std::size_t> findGroup(const std::vector<Group>& groups, const std::string& name)
{
    const auto found = std::ranges::find(groups, name, &Group::name);
    if (found != groups.end()) {
        return static_cast<std::size_t>(found - groups.begin());
    }
    std::vector<std::string> names;
    std::ranges::transform(groups, std::back_inserter(names), &Group::name);
    const std::string near = nearest(name, names);
    return refused(format("There is no group {}.{}", name, near.empty() ? std::string() : format(" Did you mean {}?", near)));
}

} // namespace nw::plan
