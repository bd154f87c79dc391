#pragma once

#include <string>
#include <vector>

// Tables of rewrites: nest before (a definition and steps), the step, nest after, where loops and blocks went.
namespace nw::schedule::test {

struct Rewrite {
    const char *name, *definition, *layout, *setup, *step, *text, *forward;
};
void addRewriteColumns();
void addRewrite(const Rewrite& row);
void addRewrites(const std::vector<Rewrite>& rows); // with the columns
// The row at hand: the text and forward map of the nest after, that it is sound, and that it computes the same.
void checkRewrite();

// Tables of refusals: nest before, the step, its rule and full message, and the one step that would unlock it, if any.
struct RefusedStep {
    const char *definition, *setup, *step, *rule, *message;
    const char* unlock = "";
};
void addRefusals(const std::vector<RefusedStep>& rows);
// The row at hand: refused as told, with places that are there, and an unlock that keeps its promise.
void checkRefusal();

} // namespace nw::schedule::test
