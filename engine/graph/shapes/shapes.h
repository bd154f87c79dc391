#pragma once

#include "engine/graph/op_table.h"
#include "engine/graph/shapes/extents.h"

#include <vector>

namespace nw::graph {

// The shape functions that op_table.cpp lists, by family. Each also checks what the operator demands of its inputs'
// types and of its attributes; the words of a failure are the reason alone, import adds the node.
using ShapeResult = Result<std::vector<TensorType>>;

ShapeResult shapeUnary(const ShapeContext& c);        // numeric -> the same
ShapeResult shapeUnaryFloat(const ShapeContext& c);   // float -> the same
ShapeResult shapeNot(const ShapeContext& c);          // bool -> bool
ShapeResult shapeFloatTest(const ShapeContext& c);    // float -> bool
ShapeResult shapeArithmetic(const ShapeContext& c);   // broadcast, one numeric type
ShapeResult shapeLogic(const ShapeContext& c);        // broadcast, bool
ShapeResult shapeCompare(const ShapeContext& c);      // broadcast, numeric -> bool
ShapeResult shapeEqual(const ShapeContext& c);        // broadcast, any one type -> bool
ShapeResult shapeWhere(const ShapeContext& c);
ShapeResult shapeClip(const ShapeContext& c);
ShapeResult shapePRelu(const ShapeContext& c);
ShapeResult shapeCast(const ShapeContext& c);
ShapeResult shapeIdentity(const ShapeContext& c);
ShapeResult shapeConv(const ShapeContext& c);
ShapeResult shapeWinogradConv(const ShapeContext& c);
ShapeResult shapeMaxPool(const ShapeContext& c);
ShapeResult shapeAveragePool(const ShapeContext& c);
ShapeResult shapeMatMul(const ShapeContext& c);
ShapeResult shapeGemm(const ShapeContext& c);
ShapeResult shapeBatchNormalization(const ShapeContext& c);
ShapeResult shapeLrn(const ShapeContext& c);
ShapeResult shapeSoftmax(const ShapeContext& c);
ShapeResult shapeLayerNormalization(const ShapeContext& c);
ShapeResult shapeRmsNormalization(const ShapeContext& c);
ShapeResult shapeReduce(const ShapeContext& c);
ShapeResult shapeArgReduce(const ShapeContext& c);
ShapeResult shapeTranspose(const ShapeContext& c);
ShapeResult shapeReshape(const ShapeContext& c);
ShapeResult shapeConcat(const ShapeContext& c);
ShapeResult shapeGather(const ShapeContext& c);
ShapeResult shapeSlice(const ShapeContext& c);
ShapeResult shapeExpand(const ShapeContext& c);
ShapeResult shapePad(const ShapeContext& c);
ShapeResult shapeTile(const ShapeContext& c);
ShapeResult shapeNonZero(const ShapeContext& c);
ShapeResult shapeRange(const ShapeContext& c);

// Type of an input; the input must be there (ENSURE).
const TensorType& inputType(const ShapeContext& c, std::size_t index);
bool hasInput(const ShapeContext& c, std::size_t index);
std::vector<TensorType> oneType(DType type, Extents shape);
bool isNumeric(DType type);

} // namespace nw::graph
