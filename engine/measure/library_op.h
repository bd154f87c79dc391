#pragma once

#include "engine/compute/definition.h"

#include <optional>
#include <string>

namespace nw::measure {

// What another library would have to compute for a definition, as the JSON text that the runner's library code reads
// (RunJob::libraryOp). Nothing for a definition that is no single operator with an epilogue that such libraries fuse.
//   {"kind": "conv", "src": [n, c, h, w], "weights": [oc, ic, kh, kw], "dst": [n, oc, oh, ow], "groups": 1,
//    "strides": [1, 1], "dilations": [1, 1], "before": [1, 1], "after": [1, 1], "post": ["bias", "add", "relu"]}
//   {"kind": "matmul", "src": [..., m, k], "weights": [..., k, n], "dst": [..., m, n], "transposed": [false, false],
//    "constant": true, "post": [...]}
//   {"kind": "pool", "op": "max" | "avg_include" | "avg_exclude", "src", "dst", "kernel", "strides", "before", "after"}
//   {"kind": "softmax", "src": [...], "axis": 1}
//   {"kind": "layernorm", "src": [...], "epsilon": 1e-5, "shift": true}   along the last axis, with a scale
std::optional<std::string> libraryOpOf(const compute::Definition& definition);

} // namespace nw::measure
