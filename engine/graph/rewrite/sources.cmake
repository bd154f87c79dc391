# Sources of the rewrite rules, relative to engine/graph.
set(NW_GRAPH_REWRITE
)
