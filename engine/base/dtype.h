#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace nw {

// Element types. The first five can be computed with (isRunnable); the rest can be read from a model, held
// as constants and cast, and are otherwise refused by name.
enum class DType : std::uint8_t { F32, F64, I64, I32, Bool, F16, BF16, I8, U8, I16, U16, U32, U64, String, Other };

// Bytes of one element; a Bool takes one byte; 0 for String and Other.
std::size_t byteSize(DType type);

// "f32", "f64", "i64", "i32", "bool", "f16", "bf16", "i8", "u8", "i16", "u16", "u32", "u64", "string", "other".
std::string_view toText(DType type);
std::optional<DType> parseDType(std::string_view text);

bool isRunnable(DType type); // F32, F64, I64, I32, Bool
bool isFloat(DType type);    // F16, BF16, F32, F64
bool isInteger(DType type);  // I8 to U64, not Bool

} // namespace nw
