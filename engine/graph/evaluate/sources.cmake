# Sources of the constant evaluators, relative to engine/graph.
set(NW_GRAPH_EVALUATE
    evaluate/all.cpp
)
