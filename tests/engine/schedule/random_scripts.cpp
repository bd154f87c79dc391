#include "tests/engine/schedule/random_scripts.h"

#include "engine/base/text.h"
#include "tests/engine/schedule/nests.h"

namespace nw::schedule::test {

std::string randomScript(const LoopNest& first, Random& random, ScriptLength length, std::uint64_t dataSeed, const DrawStep& draw,
                         std::map<std::string, int>& used, Unlocks unlocks)
{
    LoopNest nest = first;
    std::string script;
    int counter = 0;
    std::uint64_t applied = 0;
    for (std::uint64_t i = 0; i < length.tries && applied < length.applied; ++i) {
        const std::string line = draw(nest, random, counter);
        const Result<Replay> done = steps(nest, line);
        if (done) {
            nest = done->nest();
            script += line + "\n";
            ++used[line.substr(0, line.find(' '))];
            ++applied;
            if (const std::string fault = verify(nest); !fault.empty()) {
                return script + fault + "\n" + toText(nest);
            }
            continue;
        }
        const Error& error = done.error();
        if (error.kind != Error::Kind::Refused) {
            return script + line + "\n" + error.message;
        }
        if (error.refusal == nullptr || unlocks == Unlocks::Left) {
            continue;
        }
        for (const std::string& unlock : error.refusal->unlocks) {
            if (!steps(nest, unlock + "\n" + line + "\n")) {
                return script + line + " after " + unlock;
            }
        }
    }
    const std::string fault = differs(first, nest, dataSeed);
    return fault.empty() ? fault : script + fault + "\n" + toText(nest);
}

} // namespace nw::schedule::test
