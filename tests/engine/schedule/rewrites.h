#pragma once

#include <string>

// Tables of rewrites: nest before (a definition and steps), the step, nest after, where loops and blocks went.
namespace nw::schedule::test {

struct Rewrite {
    const char *name, *definition, *layout, *setup, *step, *text, *forward;
};
void addRewriteColumns();
void addRewrite(const Rewrite& row);
// The row at hand: the text and forward map of the nest after, that it is sound, and that it computes the same.
void checkRewrite();

} // namespace nw::schedule::test
