#include "engine/base/dtype.h"

#include <array>
#include <utility>

namespace nw {
namespace {

struct Row {
    std::string_view name;
    std::size_t bytes;
};

constexpr std::array<Row, 15> kRows = {{
    {"f32", 4},
    {"f64", 8},
    {"i64", 8},
    {"i32", 4},
    {"bool", 1},
    {"f16", 2},
    {"bf16", 2},
    {"i8", 1},
    {"u8", 1},
    {"i16", 2},
    {"u16", 2},
    {"u32", 4},
    {"u64", 8},
    {"string", 0},
    {"other", 0},
}};

} // namespace

std::size_t byteSize(DType type)
{
    return kRows.at(static_cast<std::size_t>(type)).bytes;
}

std::string_view toText(DType type)
{
    return kRows.at(static_cast<std::size_t>(type)).name;
}

std::optional<DType> parseDType(std::string_view text)
{
    for (std::size_t i = 0; i < kRows.size(); ++i) {
        if (kRows[i].name == text) {
            return static_cast<DType>(i);
        }
    }
    return std::nullopt;
}

bool isRunnable(DType type)
{
    return type == DType::F32 || type == DType::F64 || type == DType::I64 || type == DType::I32
        || type == DType::Bool;
}

bool isFloat(DType type)
{
    return type == DType::F16 || type == DType::BF16 || type == DType::F32 || type == DType::F64;
}

bool isInteger(DType type)
{
    switch (type) {
    case DType::I8:
    case DType::U8:
    case DType::I16:
    case DType::U16:
    case DType::I32:
    case DType::U32:
    case DType::I64:
    case DType::U64:
        return true;
    case DType::F32:
    case DType::F64:
    case DType::Bool:
    case DType::F16:
    case DType::BF16:
    case DType::String:
    case DType::Other:
        return false;
    }
    return false;
}

} // namespace nw
