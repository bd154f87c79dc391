#pragma once

#include "views/graph/graph_picture.h"
#include "views/graph/graph_view.h"

#include <memory>
#include <string>

namespace nw::views::pictures {

// A transformer as it is exported: 39 groups a layer with two residuals, one mask read by every layer.
std::shared_ptr<const GraphPicture> transformer(int layers);
// input, then a chain of conv groups conv.0 .. conv.(count - 1), then output.
std::shared_ptr<const GraphPicture> chain(int count);
// A node with two branches that join: input, a, b, c, join.
std::shared_ptr<const GraphPicture> diamond();
// projects/resnet18, opened without keeping anything.
std::shared_ptr<const GraphPicture> resnet18();

} // namespace nw::views::pictures
