#include "engine/schedule/primitive.h"

#include "engine/schedule/hints.h"

namespace nw::schedule {

namespace {

template <typename T>
const T& valueAt(const Args& args, std::size_t index)
{
    ENSURE(index < args.values.size(), "a primitive reads an argument that was not given");
    const T* value = std::get_if<T>(&args.values[index]);
    ENSURE(value != nullptr, "argument " + std::to_string(index) + " has another kind than the primitive declares");
    return *value;
}

} // namespace

const std::string& Args::name(std::size_t index) const
{
    return valueAt<std::string>(*this, index);
}

const std::vector<std::string>& Args::names(std::size_t index) const
{
    return valueAt<std::vector<std::string>>(*this, index);
}

const std::vector<Part>& Args::parts(std::size_t index) const
{
    return valueAt<std::vector<Part>>(*this, index);
}

std::int64_t Args::number(std::size_t index) const
{
    return valueAt<std::int64_t>(*this, index);
}

bool Args::given(std::size_t index) const
{
    return index < values.size() && !std::holds_alternative<std::monostate>(values[index]);
}

Result<Applied> apply(const Primitive& primitive, const LoopNest& nest, const Args& args, const Context& context,
                      bool allowUnproven)
{
    const Check check = primitive.check(nest, args, context);
    if (check.verdict == Verdict::Illegal || (check.verdict == Verdict::Unproven && !allowUnproven)) {
        return refused(check.why);
    }
    Applied applied = primitive.rewrite(nest, args, context);
    carryHints(nest, applied);
    return applied;
}

} // namespace nw::schedule
