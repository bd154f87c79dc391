#pragma once

#include "engine/base/result.h"

#include <QTest>

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

// Entry point of one test source, called by the main that nw_test() makes.
#define NW_TEST_MAIN(stem, Class)                                                                            \
    int run_##stem(int argc, char** argv)                                                                    \
    {                                                                                                        \
        Class object;                                                                                        \
        return QTest::qExec(&object, argc, argv);                                                            \
    }

#ifdef NW_SANITIZED
constexpr bool kSanitized = true;
#else
constexpr bool kSanitized = false;
#endif
// How often a random test draws: an eighth under the sanitizers, which make each draw many times slower. What must have
// come up among the draws is asked without them only.
constexpr std::uint64_t draws(std::uint64_t wanted)
{
    return kSanitized ? (wanted + 7) / 8 : wanted;
}

// Fails the test with the error's words.
#define VERIFY_OK(result) QVERIFY2((result).has_value(), (result) ? "" : (result).error().message.c_str())

// QCOMPARE prints std::string.
namespace QTest {
template <>
inline char* toString(const std::string& text)
{
    return qstrdup(("\"" + text + "\"").c_str());
}
} // namespace QTest
