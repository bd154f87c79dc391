#pragma once

#include "engine/graph/rewrite/rewriter.h"

namespace nw::graph {

// One rule a file in rules/; all.cpp gives their order.
extern const Rule dropIdentity;
extern const Rule mergeTransposes;
extern const Rule mergeReshapes;
extern const Rule removeDead;
extern const Rule commonSubexpressions;
extern const Rule foldBatchNorm;
extern const Rule batchNormToAffine;
extern const Rule convBias;
extern const Rule transposeIntoGemm;
extern const Rule gemmBeta;

} // namespace nw::graph
