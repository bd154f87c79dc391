#include "engine/graph/rewrite/rules.h"

#include <array>

namespace nw::graph {

std::span<const Rule> allRules()
{
    // Tidying first, so that the patterns of the later rules are not hidden by identities; what remains of a batch
    // normalization becomes affine last.
    static const std::array rules{removeDead,       dropIdentity,  mergeTransposes, mergeReshapes,     commonSubexpressions,
                                  transposeIntoGemm, gemmBeta,     foldBatchNorm,   batchNormToAffine, convBias};
    return rules;
}

} // namespace nw::graph
