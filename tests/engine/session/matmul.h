#pragma once

#include "engine/session/editing.h"

#include <memory>
#include <string>

namespace nw::test {

// A small matrix product as an operator of its own, on this machine.
inline session::Operator matmulOperator()
{
    const Result<compute::Definition> parsed = compute::parseDefinition("definition matmul\n"
                                                                        "input A f32 [48, 40]\n"
                                                                        "constant B f32 [40, 64]\n"
                                                                        "output Y f32 [48, 64]\n"
                                                                        "stage matmul -> Y f32 [m:48, n:64] sum [k:40] from 0.0 =\n"
                                                                        "  A[m, k] * B[k, n]\n");
    ENSURE(parsed.has_value(), parsed ? "" : parsed.error().message);
    session::Operator op;
    op.name = "matmul.0";
    op.task.definition = std::make_shared<const compute::Definition>(*parsed);
    op.task.layouts.resize(parsed->ports.size());
    op.task.target = nativeTarget();
    op.taskId = op.task.identity();
    return op;
}

inline std::unique_ptr<session::Editing> editing(const std::string& text = {})
{
    Result<std::unique_ptr<session::Editing>> made = session::Editing::create(matmulOperator(), schedule::allPrimitives());
    ENSURE(made.has_value(), made ? "" : made.error().message);
    (*made)->setText(text);
    return *std::move(made);
}

} // namespace nw::test
