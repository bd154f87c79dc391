# Sources of the rewrite rules, relative to engine/graph.
set(NW_GRAPH_REWRITE
    rewrite/all.cpp
    rewrite/editor.cpp
    rewrite/rewriter.cpp
    rewrite/rules/batch_norm.cpp
    rewrite/rules/batch_norm_to_affine.cpp
    rewrite/rules/common_subexpressions.cpp
    rewrite/rules/conv_bias.cpp
    rewrite/rules/drop_identity.cpp
    rewrite/rules/fold_batch_norm.cpp
    rewrite/rules/gemm_beta.cpp
    rewrite/rules/merge_reshapes.cpp
    rewrite/rules/merge_transposes.cpp
    rewrite/rules/remove_dead.cpp
    rewrite/rules/transpose_into_gemm.cpp
)
