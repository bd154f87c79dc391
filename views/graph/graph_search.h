#pragma once

#include "views/graph/graph_picture.h"

#include <string>
#include <vector>

namespace nw::views {

// What can be typed to find a node: title, shape, id, layout and operator names, several words all of which must occur.
class GraphSearch {
public:
    GraphSearch() = default;
    explicit GraphSearch(const GraphPicture& picture);
    // Node indices in topological order; none for an empty text.
    std::vector<int> find(const std::string& text) const;

private:
    std::vector<std::string> m_spelled;
};

} // namespace nw::views
