// Points drawn at random: what every other search is judged against.
#include "engine/tune/search/all.h"

namespace nw::tune {
namespace {

std::vector<Proposal> propose(const SearchInput& input)
{
    Batch batch(input);
    Random random = streamOf(input, 0);
    batch.addRandom(random, input.count);
    return batch.take();
}

} // namespace

const Search randomSearch{"random", &propose};

} // namespace nw::tune
