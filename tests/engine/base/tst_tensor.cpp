#include "engine/base/half.h"
#include "engine/base/tensor.h"
#include "tests/support/test.h"

#include <QObject>

#include <cmath>
#include <limits>

using namespace nw;

class TestTensor : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void counts();
    void createsZeros();
    void refusesHuge();
    void wraps();
    void reshapes();
    void readsEveryType();
    void halves();
    void bfloats();
    void types();
};

void TestTensor::counts()
{
    const auto count = [](std::vector<std::int64_t> shape) { return elementCount(shape); };
    QCOMPARE(*count({}), std::int64_t{1});
    QCOMPARE(*count({2, 3}), std::int64_t{6});
    QCOMPARE(*count({0, 3}), std::int64_t{0});
    QCOMPARE(*count({std::int64_t{1} << 31, std::int64_t{1} << 31}), std::int64_t{1} << 62);
    QVERIFY(!count({std::int64_t{1} << 31, std::int64_t{1} << 32}));
    QVERIFY(!count({-1}));
    QVERIFY(!count({0, -1}));
    QCOMPARE(*count({std::int64_t{1} << 60, 0, std::int64_t{1} << 60}), std::int64_t{0});
}

void TestTensor::createsZeros()
{
    for (const std::int64_t count : {1, 3, 1000, 3 << 20}) {
        Result<Tensor> made = Tensor::create(DType::F32, {count});
        VERIFY_OK(made);
        QCOMPARE(reinterpret_cast<std::uintptr_t>(made->bytes().data()) % 64, std::uintptr_t{0});
        QCOMPARE(made->bytes().size(), static_cast<std::size_t>(count) * 4);
        QCOMPARE(made->asDouble(0), 0.0);
        QCOMPARE(made->asDouble(count - 1), 0.0);
        made->mutableData<float>()[static_cast<std::size_t>(count - 1)] = 2.5F;
        QCOMPARE(made->asDouble(count - 1), 2.5);
    }
    const Result<Tensor> empty = Tensor::create(DType::F32, {0, 4});
    VERIFY_OK(empty);
    QVERIFY(empty->bytes().empty());
    QCOMPARE(Tensor::create(DType::I64, {})->count(), std::int64_t{1});
}

void TestTensor::refusesHuge()
{
    const Result<Tensor> made = Tensor::create(DType::F64, {std::int64_t{1} << 38});
    QVERIFY(!made);
    QCOMPARE(made.error().message,
             std::string("A tensor f64[274877906944] needs more than 1024 GiB. Bind a smaller dimension."));
    QVERIFY(!Tensor::create(DType::F32, {-2}));
}

void TestTensor::wraps()
{
    const auto owner = std::make_shared<std::vector<std::int32_t>>(std::vector<std::int32_t>{1, -2, 3, 4});
    const std::weak_ptr<std::vector<std::int32_t>> watched = owner;
    Tensor kept;
    {
        const Result<Tensor> wrapped = Tensor::wrap(DType::I32, {2, 2}, owner, std::as_bytes(std::span(*owner)));
        VERIFY_OK(wrapped);
        kept = wrapped->reshaped({4});
        QVERIFY(!Tensor::wrap(DType::I32, {3}, owner, std::as_bytes(std::span(*owner))));
        QVERIFY(!Tensor::wrap(DType::I64, {4}, owner, std::as_bytes(std::span(*owner))));
    }
    QCOMPARE(kept.asInt(1), std::int64_t{-2});
    QVERIFY_EXCEPTION_THROWN(kept.mutableData<std::int32_t>(), Bug);
    QVERIFY(!watched.expired());
}

void TestTensor::reshapes()
{
    const Tensor tensor = Tensor::of<float>(DType::F32, {2, 3}, {0, 1, 2, 3, 4, 5});
    const Tensor view = tensor.reshaped({3, 2});
    QCOMPARE(view.bytes().data(), tensor.bytes().data());
    QCOMPARE(view.asInt(5), std::int64_t{5});
    QVERIFY_EXCEPTION_THROWN(tensor.reshaped({4}), Bug);
    QVERIFY_EXCEPTION_THROWN(tensor.asInt(6), Bug);
}

void TestTensor::readsEveryType()
{
    QCOMPARE(Tensor::of<std::int8_t>(DType::I8, {1}, {-5}).asInt(0), std::int64_t{-5});
    QCOMPARE(Tensor::of<std::uint8_t>(DType::U8, {1}, {250}).asInt(0), std::int64_t{250});
    QCOMPARE(Tensor::of<std::int16_t>(DType::I16, {1}, {-500}).asDouble(0), -500.0);
    QCOMPARE(Tensor::of<std::uint16_t>(DType::U16, {1}, {65000}).asInt(0), std::int64_t{65000});
    QCOMPARE(Tensor::of<std::uint32_t>(DType::U32, {1}, {4000000000U}).asInt(0), std::int64_t{4000000000});
    QCOMPARE(Tensor::of<std::uint64_t>(DType::U64, {1}, {1ULL << 63}).asDouble(0), 0x1p63);
    QCOMPARE(Tensor::of<std::int64_t>(DType::I64, {1}, {-7}).asDouble(0), -7.0);
    QCOMPARE(Tensor::of<bool>(DType::Bool, {2}, {false, true}).asInt(1), std::int64_t{1});
    QCOMPARE(Tensor::of<std::uint16_t>(DType::F16, {1}, {0x3e00}).asDouble(0), 1.5);
    QCOMPARE(Tensor::of<std::uint16_t>(DType::BF16, {1}, {0xc040}).asDouble(0), -3.0);
    QCOMPARE(Tensor::of<double>(DType::F64, {1}, {-2.9}).asInt(0), std::int64_t{-2});
    QCOMPARE(Tensor::of<float>(DType::F32, {1}, {1e30F}).asInt(0), std::numeric_limits<std::int64_t>::max());
}

// Every half is read exactly and comes back; every value between two halves rounds to the nearer, ties to even.
void TestTensor::halves()
{
    for (std::uint32_t bits = 0; bits < 0x10000; ++bits) {
        const auto half = static_cast<std::uint16_t>(bits);
        const float value = halfToFloat(half);
        if (std::isnan(value)) {
            QVERIFY((floatToHalf(value) & 0x7c00U) == 0x7c00U && (floatToHalf(value) & 0x3ffU) != 0);
            continue;
        }
        QCOMPARE(floatToHalf(value), half);
        const bool hasNext = (bits & 0x7fffU) < 0x7bffU;
        if (hasNext) {
            const float next = halfToFloat(static_cast<std::uint16_t>(bits + 1));
            const float middle = value + (next - value) / 2;
            const std::uint32_t even = (bits & 1U) == 0 ? bits : bits + 1;
            QCOMPARE(floatToHalf(middle), static_cast<std::uint16_t>(even));
            QCOMPARE(floatToHalf(std::nextafter(middle, next)), static_cast<std::uint16_t>(bits + 1));
            QCOMPARE(floatToHalf(std::nextafter(middle, value)), half);
        }
    }
    QCOMPARE(halfToFloat(0x0001), 0x1p-24F);
    QCOMPARE(floatToHalf(65519.0F), std::uint16_t{0x7bff});
    QCOMPARE(floatToHalf(65520.0F), std::uint16_t{0x7c00});
    QCOMPARE(floatToHalf(-1e30F), std::uint16_t{0xfc00});
}

void TestTensor::bfloats()
{
    for (std::uint32_t bits = 0; bits < 0x10000; ++bits) {
        const auto half = static_cast<std::uint16_t>(bits);
        const float value = bfloatToFloat(half);
        if (!std::isnan(value)) {
            QCOMPARE(floatToBfloat(value), half);
        }
    }
    QVERIFY(std::isnan(bfloatToFloat(floatToBfloat(NAN))));
    QCOMPARE(floatToBfloat(std::bit_cast<float>(0x3f808000U)), std::uint16_t{0x3f80}); // tie to even
    QCOMPARE(floatToBfloat(std::bit_cast<float>(0x3f818000U)), std::uint16_t{0x3f82});
    QCOMPARE(floatToBfloat(std::numeric_limits<float>::max()), std::uint16_t{0x7f80});
}

void TestTensor::types()
{
    for (int i = 0; i <= static_cast<int>(DType::Other); ++i) {
        const auto type = static_cast<DType>(i);
        QCOMPARE(parseDType(toText(type)).value(), type);
        QVERIFY(!(isFloat(type) && isInteger(type)));
    }
    QVERIFY(!parseDType("f31"));
    QVERIFY(isRunnable(DType::Bool) && !isRunnable(DType::U8));
    QCOMPARE(byteSize(DType::BF16), std::size_t{2});
    QCOMPARE(byteSize(DType::String), std::size_t{0});
}

NW_TEST_MAIN(tst_tensor, TestTensor)
#include "tst_tensor.moc"
