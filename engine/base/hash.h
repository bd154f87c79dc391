#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace nw {

// Stable content hash (XXH3, 128 bits), as 32 lower-case hex digits: the key of records and caches.
std::string contentHash(std::string_view text);
std::string contentHash(std::span<const std::byte> bytes);

// 64-bit hash for in-memory tables and for seeding random streams.
std::uint64_t hash64(std::string_view text);

} // namespace nw
