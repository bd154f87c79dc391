#include "engine/base/hash.h"

#include <fmt/format.h>

#include <xxhash.h>

namespace nw {
namespace {

std::string hashBytes(const void* data, std::size_t size)
{
    const XXH128_hash_t hash = XXH3_128bits(data, size);
    return fmt::format("{:016x}{:016x}", hash.high64, hash.low64);
}

} // namespace

std::string contentHash(std::string_view text)
{
    return hashBytes(text.data(), text.size());
}

std::string contentHash(std::span<const std::byte> bytes)
{
    return hashBytes(bytes.data(), bytes.size());
}

std::uint64_t hash64(std::string_view text)
{
    return XXH3_64bits(text.data(), text.size());
}

} // namespace nw
