// Loads and stores of a lane variable: contiguous, one element for all lanes, or lane by lane. A lane that is off
// touches no memory.

#include "engine/code/emit/function_emitter.h"

#include <llvm/Support/Alignment.h>

namespace nw::code {
namespace {

llvm::Align elementAlign(llvm::Type* element)
{
    return llvm::Align(element->getPrimitiveSizeInBits().getFixedValue() / 8);
}

std::int64_t elementBytes(llvm::Type* element)
{
    return static_cast<std::int64_t>(element->getPrimitiveSizeInBits().getFixedValue() / 8);
}

} // namespace

llvm::Value* FunctionEmitter::allLanes()
{
    return llvm::ConstantInt::getTrue(llvm::FixedVectorType::get(m_builder.getInt1Ty(), static_cast<unsigned>(m_lanes)));
}

// Whether a load that all lanes share may happen; null: always.
llvm::Value* FunctionEmitter::guardCondition()
{
    llvm::Value* guard = m_mask.guard;
    if (m_mask.lanes != nullptr && m_mask.maybeEmpty) {
        llvm::Value* const any = m_builder.CreateOrReduce(m_mask.lanes);
        guard = guard == nullptr ? any : m_builder.CreateAnd(guard, any);
    }
    return guard;
}

// For the report of how each buffer is reached.
void FunctionEmitter::note(const BufferRef& buffer, const Place& place, bool stores)
{
    if (buffer.inRegisters()) {
        return;
    }
    using enum wire::AccessKind;
    const wire::AccessKind kind = m_lanes == 0          ? Scalar
        : place.indices != nullptr                      ? Gather
        : place.lane == 0                               ? Broadcast
        : place.lane == 1                               ? Contiguous
                                                        : Strided;
    ++m_unit.accesses[{buffer.info->name, stores, kind}];
}

llvm::Value* FunctionEmitter::loadFrom(const BufferRef& buffer, const Place& place)
{
    note(buffer, place, false);
    llvm::Type* const element = m_unit.memoryType(buffer.info->type);
    if (element == nullptr) {
        return poison(DType::F32);
    }
    llvm::Value* loaded = nullptr;
    if (place.lane == 0 && place.indices == nullptr) {
        llvm::Value* pointer = place.pointer;
        if (llvm::Value* const guard = buffer.inRegisters() ? nullptr : guardCondition()) {
            pointer = m_builder.CreateSelect(guard, pointer, m_unit.safeZeros());
        }
        loaded = m_builder.CreateAlignedLoad(element, pointer, elementAlign(element));
    } else {
        // An alloca is padded by a vector: reading lanes that are off is harmless there, and a plain load keeps it in
        // registers.
        const Mask outer = m_mask;
        if (buffer.inRegisters()) {
            m_mask = {};
        }
        loaded = loadLanes(element, place);
        m_mask = outer;
    }
    if (buffer.info->type == DType::Bool) {
        return m_builder.CreateICmpNE(loaded, llvm::Constant::getNullValue(loaded->getType()));
    }
    return loaded;
}

llvm::Value* FunctionEmitter::loadLanes(llvm::Type* element, const Place& place)
{
    if (place.indices == nullptr && place.lane == 1) {
        return loadContiguous(element, place);
    }
    if (place.indices == nullptr && m_mask.lanes == nullptr && m_mask.guard == nullptr) {
        return loadStrided(element, place);
    }
    llvm::Value* mask = m_mask.lanes == nullptr ? allLanes() : m_mask.lanes;
    if (m_mask.guard != nullptr) {
        mask = m_builder.CreateAnd(mask, splat(m_mask.guard));
    }
    auto* const type = llvm::FixedVectorType::get(element, static_cast<unsigned>(m_lanes));
    return m_builder.CreateMaskedGather(type, lanePointers(element, place), elementAlign(element), mask,
                                        llvm::Constant::getNullValue(type));
}

llvm::Value* FunctionEmitter::loadContiguous(llvm::Type* element, const Place& place)
{
    auto* const type = llvm::FixedVectorType::get(element, static_cast<unsigned>(m_lanes));
    llvm::Value* pointer = place.pointer;
    llvm::Value* mask = m_mask.lanes;
    if (m_mask.guard != nullptr) {
        if (elementBytes(element) * m_lanes <= Unit::kSafeBytes) {
            pointer = m_builder.CreateSelect(m_mask.guard, pointer, m_unit.safeZeros());
        } else {
            llvm::Value* const guard = splat(m_mask.guard);
            mask = mask == nullptr ? guard : m_builder.CreateAnd(mask, guard);
        }
    }
    if (mask == nullptr) {
        return m_builder.CreateAlignedLoad(type, pointer, elementAlign(element));
    }
    return m_builder.CreateMaskedLoad(type, pointer, elementAlign(element), mask, llvm::Constant::getNullValue(type));
}

// Stride 2 reads two vectors that together end with the last element needed; other strides load lane by lane with
// constant displacements.
llvm::Value* FunctionEmitter::loadStrided(llvm::Type* element, const Place& place)
{
    auto* const type = llvm::FixedVectorType::get(element, static_cast<unsigned>(m_lanes));
    const std::int64_t bytes = elementBytes(element);
    if (place.lane == -1) {
        llvm::Value* const last = bytesPast(place.pointer, -bytes * (m_lanes - 1));
        return m_builder.CreateVectorReverse(m_builder.CreateAlignedLoad(type, last, elementAlign(element)));
    }
    if (place.lane == 2 && m_lanes % 2 == 0) {
        llvm::Value* const low = m_builder.CreateAlignedLoad(type, place.pointer, elementAlign(element));
        llvm::Value* const high
            = m_builder.CreateAlignedLoad(type, bytesPast(place.pointer, bytes * (m_lanes - 1)), elementAlign(element));
        std::vector<int> picked;
        for (int lane = 0; lane < m_lanes; ++lane) {
            const int at = 2 * lane;
            picked.push_back(at < m_lanes ? at : at + 1);
        }
        return m_builder.CreateShuffleVector(low, high, picked);
    }
    llvm::Value* result = llvm::PoisonValue::get(type);
    for (int lane = 0; lane < m_lanes; ++lane) {
        llvm::Value* const pointer = bytesPast(place.pointer, bytes * place.lane * lane);
        llvm::Value* const loaded = m_builder.CreateAlignedLoad(element, pointer, elementAlign(element));
        result = m_builder.CreateInsertElement(result, loaded, static_cast<std::uint64_t>(lane));
    }
    return result;
}

llvm::Value* FunctionEmitter::lanePointers(llvm::Type* element, const Place& place)
{
    llvm::Value* indices = place.indices;
    if (indices == nullptr) {
        Linear steps;
        steps.lane = place.lane;
        indices = materialize(steps, false);
    }
    return m_builder.CreateGEP(element, place.pointer, indices);
}

void FunctionEmitter::storeTo(const BufferRef& buffer, const Place& place, llvm::Value* value, bool streams)
{
    llvm::Type* const element = m_unit.memoryType(buffer.info->type);
    if (element == nullptr) {
        return;
    }
    note(buffer, place, true);
    const bool isUniform = place.lane == 0 && place.indices == nullptr;
    if (!isUniform) {
        value = splat(value);
    }
    if (buffer.info->type == DType::Bool) {
        llvm::Type* const wide = value->getType()->isVectorTy()
            ? static_cast<llvm::Type*>(llvm::FixedVectorType::get(element, static_cast<unsigned>(m_lanes)))
            : element;
        value = m_builder.CreateZExt(value, wide);
    }
    if (!isUniform) {
        storeLanes(buffer, place, value, streams);
    } else if (value->getType()->isVectorTy()) {
        m_unit.refuse("All lanes of a vector loop store to one element of \"" + buffer.info->name
                      + "\". Do not vectorise this loop.");
    } else if (streams) {
        storePast(value, place.pointer, elementAlign(element));
    } else {
        m_builder.CreateAlignedStore(value, place.pointer, elementAlign(element));
    }
}

void FunctionEmitter::storeLanes(const BufferRef& buffer, const Place& place, llvm::Value* value, bool streams)
{
    llvm::Type* const element = value->getType()->getScalarType();
    const llvm::Align align = elementAlign(element);
    if (place.indices == nullptr && place.lane == 1) {
        if (m_mask.lanes == nullptr && streams) {
            storePast(value, place.pointer, align);
        } else if (m_mask.lanes == nullptr) {
            m_builder.CreateAlignedStore(value, place.pointer, align);
        } else if (buffer.inRegisters()) {
            // Registers: the lanes that are off keep their value.
            llvm::Value* const old = m_builder.CreateAlignedLoad(value->getType(), place.pointer, align);
            m_builder.CreateAlignedStore(m_builder.CreateSelect(m_mask.lanes, value, old), place.pointer, align);
        } else {
            m_builder.CreateMaskedStore(value, place.pointer, align, m_mask.lanes);
        }
        return;
    }
    if (place.indices == nullptr && m_mask.lanes == nullptr) {
        for (int lane = 0; lane < m_lanes; ++lane) {
            llvm::Value* const pointer = bytesPast(place.pointer, elementBytes(element) * place.lane * lane);
            m_builder.CreateAlignedStore(m_builder.CreateExtractElement(value, static_cast<std::uint64_t>(lane)), pointer, align);
        }
        return;
    }
    m_builder.CreateMaskedScatter(value, lanePointers(element, place), align,
                                  m_mask.lanes == nullptr ? allLanes() : m_mask.lanes);
}

} // namespace nw::code
