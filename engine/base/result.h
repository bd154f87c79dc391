#pragma once

#include "engine/base/ensure.h"

#include <concepts>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

// Marks English words for lupdate without translating them here: the engine has no Qt. A view translates
// the words of a refusal and then fills in the operands.
#define NW_WORDS(words) words

namespace nw {

// Why a step was refused, as data. `words` holds {0}, {1}, ... for the operands.
struct Refusal {
    std::string rule;                  // "split.factor_not_positive": primitive (or part) dot reason
    std::string words;                 // English, with holes; stands beside the rule in its file
    std::vector<std::string> operands; // what fills the holes
    std::vector<std::string> places;   // names of loops, blocks or buffers that a view can highlight
    std::vector<std::string> unlocks;  // script lines after which the step would be legal, best first
};

// `words` with its holes filled.
std::string fillWords(const std::string& words, const std::vector<std::string>& operands);

// What went wrong, in words for the person at the screen, and where to point.
struct Error {
    enum class Kind {
        Refused, // the request breaks a rule; nothing changed, ask differently
        Failed,  // the world said no: file, compiler, device, database
        Stopped, // the user or a time limit cancelled the work
    };

    Kind kind = Kind::Failed;
    std::string message;
    std::shared_ptr<const Refusal> refusal; // set when kind is Refused and a rule said so
    int line = 0;                           // 1-based place in a text, 0 when there is none
    int column = 0;

    Error at(int atLine, int atColumn) &&
    {
        line = atLine;
        column = atColumn;
        return std::move(*this);
    }
};

[[nodiscard]] Error refused(Refusal refusal);
[[nodiscard]] inline Error refused(std::string message)
{
    return {Error::Kind::Refused, std::move(message), nullptr, 0, 0};
}
[[nodiscard]] inline Error failed(std::string message)
{
    return {Error::Kind::Failed, std::move(message), nullptr, 0, 0};
}
[[nodiscard]] inline Error stopped(std::string message)
{
    return {Error::Kind::Stopped, std::move(message), nullptr, 0, 0};
}

// Either a value or an Error. The names follow std::expected, so that a later move to it is one alias;
// unlike libstdc++ 12's, a dropped Result is a warning.
template <typename T>
class [[nodiscard]] Result {
public:
    Result(T value)
        : m_state(std::in_place_index<0>, std::move(value))
    {}
    Result(Error error)
        : m_state(std::in_place_index<1>, std::move(error))
    {}

    bool has_value() const { return m_state.index() == 0; }
    explicit operator bool() const { return has_value(); }

    const T& operator*() const&
    {
        requireValue();
        return *std::get_if<0>(&m_state);
    }
    T& operator*() &
    {
        requireValue();
        return *std::get_if<0>(&m_state);
    }
    // By value, so that "for (x : *f())" and "const T& v = *f()" do not refer into a Result that is gone.
    T operator*() &&
    {
        requireValue();
        return std::move(*std::get_if<0>(&m_state));
    }
    const T* operator->() const { return &**this; }
    T* operator->() { return &**this; }

    const Error& error() const&
    {
        ENSURE(!has_value(), "error read from a successful Result");
        return *std::get_if<1>(&m_state);
    }

    template <std::invocable<const T&> Next>
    auto and_then(Next&& next) const -> std::invoke_result_t<Next, const T&>
    {
        if (!has_value()) {
            return error();
        }
        return std::forward<Next>(next)(**this);
    }

private:
    void requireValue() const
    {
        if (!has_value()) {
            throwBug(__FILE__, __LINE__, "value read from a failed Result: " + std::get_if<1>(&m_state)->message);
        }
    }

    std::variant<T, Error> m_state;
};

// The value of a Result that carries none.
struct Done {};
using Status = Result<Done>;

} // namespace nw
