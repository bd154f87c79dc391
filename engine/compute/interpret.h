#pragma once

#include "engine/base/stop.h"
#include "engine/base/tensor.h"
#include "engine/compute/definition.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace nw::compute {

// One output of the oracle: values in double precision (integers exact below 2^53, I64 kept exactly in `exact`) and, for
// each, the largest error that a float program of the same definition may have.
struct OracleOutput {
    std::string port;
    std::vector<std::int64_t> shape;
    DType type = DType::F32;
    std::vector<double> values;
    std::vector<double> bounds; // absolute; 0 where the result must be exact, infinite where nothing is known
    std::vector<std::int64_t> exact; // of an I64 output only
};

// Interprets the definition in double precision with a running error bound beside every value (DESIGN.md 3): a sum of
// K terms adds (4 + sqrt(K)) * eps * sum|terms|, an operation half an ulp of the element type, a transcendental its
// declared ulps (ulpsOf), all propagated through stages by first-order sensitivities. Written apart from schedules and
// code generation; shares only Expr with them. `inputs` are the input and constant ports in port order.
// `threads` workers; Stopped when asked.
Result<std::vector<OracleOutput>> interpret(const Definition& definition, const std::vector<Tensor>& inputs,
                                            int threads = 1, const StopToken& stop = {});

// Discontinuities: a comparison whose operands are nearer than their bounds is open; a select on an open condition, and
// a floor, round, sign or conversion to integer whose operand's interval holds a jump, get a bound that covers both
// sides. The bound is infinite only where nothing can be said: a divisor or logarithm that may be zero within its
// error, a result that may or may not overflow, an index that is open. Callers count infinite bounds. A value that is
// not finite and has a finite bound must come out as the same. Results below the smallest normal number may be flushed
// to zero in transcendental functions, and sin, cos, tan are good to their ulps of max(|f|, 1) beyond |x| = pi / 4.
// On whole numbers that provably stay exact no bounds are kept: all are 0.

// Whether a program's result for one element is acceptable.
bool isWithin(const OracleOutput& expected, std::size_t index, double got);
// First element of `got` (same type and shape) that is not; I64 is compared exactly.
std::optional<std::size_t> firstOutside(const OracleOutput& expected, const Tensor& got);

double ulpsOf(UnaryOp op);  // declared error of the generated code, in units of the last place of f32
double ulpsOf(BinaryOp op);

// Seeded data for every input and constant port, inside each port's range. SmallIntegers: chosen so that every partial
// sum is exact in float (|v| <= 3 falling to 1 as the reduction grows). Uniform: [-1, 1) or the port's range; the constant
// U of a convolution by tiles is then made from such weights, as the plan makes it (graph/winograd.h).
enum class DataKind { SmallIntegers, Uniform };
Result<std::vector<Tensor>> makeTestData(const Definition& definition, DataKind kind, std::uint64_t seed);

} // namespace nw::compute
