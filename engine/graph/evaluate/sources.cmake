# Sources of the constant evaluators, relative to engine/graph.
set(NW_GRAPH_EVALUATE
    evaluate/activation.cpp
    evaluate/all.cpp
    evaluate/arithmetic.cpp
    evaluate/compare.cpp
    evaluate/constants.cpp
    evaluate/convert.cpp
    evaluate/divide.cpp
    evaluate/half.cpp
    evaluate/loops.cpp
    evaluate/matmul.cpp
    evaluate/movement.cpp
    evaluate/normalize.cpp
    evaluate/padding.cpp
    evaluate/reduce.cpp
    evaluate/unary.cpp
)
