// What steers the caches: stores that go past them, and lines fetched ahead.
//
// A vector store past the caches exists only at an address that is a multiple of the vector, and nobody promises that of
// a port. So the address is tested where it is used: aligned vectors go past, others are stored as usual.
// A scalar store past the caches exists for whole words of 4 and 8 bytes.
// Such stores become visible to other threads only behind a fence, so each function that has some ends with one.

#include "engine/code/emit/function_emitter.h"

#include "engine/lower/statements.h"

#include <llvm/IR/IntrinsicsX86.h>

#include <algorithm>

namespace nw::code {

void FunctionEmitter::storePast(llvm::Value* value, llvm::Value* pointer, llvm::Align align)
{
    constexpr std::int64_t kSmallest = 16; // bytes of a vector
    llvm::Type* const type = value->getType();
    llvm::Type* const element = type->getScalarType();
    const auto bits = static_cast<std::int64_t>(element->getPrimitiveSizeInBits().getFixedValue());
    const auto store = [&](llvm::Value* what, llvm::Align at) {
        llvm::StoreInst* const made = m_builder.CreateAlignedStore(what, pointer, at);
        made->setMetadata(llvm::LLVMContext::MD_nontemporal,
                          llvm::MDNode::get(m_unit.context, {llvm::ConstantAsMetadata::get(m_builder.getInt32(1))}));
        m_streamed = true;
    };
    if (!type->isVectorTy()) {
        if (bits == 32 || bits == 64) {
            store(m_builder.CreateBitCast(value, m_builder.getIntNTy(static_cast<unsigned>(bits))), align);
        } else {
            m_builder.CreateAlignedStore(value, pointer, align);
        }
        return;
    }
    const std::int64_t bytes = bits / 8 * m_lanes;
    const std::int64_t wanted = std::min<std::int64_t>(bytes & -bytes, m_unit.target.vectorBytes);
    if (wanted < kSmallest) {
        m_builder.CreateAlignedStore(value, pointer, align);
        return;
    }
    llvm::Value* const address = m_builder.CreatePtrToInt(pointer, m_builder.getInt64Ty());
    llvm::Value* const rest = m_builder.CreateAnd(address, m_builder.getInt64(static_cast<std::uint64_t>(wanted - 1)));
    branch(
        m_builder.CreateICmpEQ(rest, m_builder.getInt64(0)),
        [&] { store(value, llvm::Align(static_cast<std::uint64_t>(wanted))); },
        [&] { m_builder.CreateAlignedStore(value, pointer, align); });
}

void FunctionEmitter::waitForStreams()
{
    if (m_unit.target.arch == "x86-64") {
        m_builder.CreateIntrinsic(llvm::Intrinsic::x86_sse_sfence, {});
    } else {
        m_builder.CreateFence(llvm::AtomicOrdering::SequentiallyConsistent);
    }
}

bool streamsAnything(const lower::LBody& body)
{
    bool found = false;
    lower::walkBody(body, [&](const lower::LStmt& statement) {
        const auto* const store = std::get_if<lower::LStore>(&statement->kind());
        found = found || (store != nullptr && store->streams);
        return !found;
    });
    return found;
}

// For reading, into all caches.
void FunctionEmitter::emitPrefetch(const lower::LPrefetch& prefetch)
{
    const BufferRef* const from = buffer(prefetch.buffer);
    const std::optional<Linear> at = from == nullptr ? std::nullopt : linear(prefetch.offset);
    if (!at || !at->isUniform() || from->inRegisters() || from->lanes > 0) {
        return;
    }
    llvm::Value* const pointer = pointerTo(*from, *at);
    m_builder.CreateIntrinsic(llvm::Intrinsic::prefetch, {pointer->getType()},
                              {pointer, m_builder.getInt32(0), m_builder.getInt32(3), m_builder.getInt32(1)});
}

} // namespace nw::code
