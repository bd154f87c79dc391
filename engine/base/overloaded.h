#pragma once

namespace nw {

// std::visit over lambdas; without a default branch a new kind is a compile error where it is not handled.
template <typename... Fs>
struct overloaded : Fs... {
    using Fs::operator()...;
};
template <typename... Fs>
overloaded(Fs...) -> overloaded<Fs...>;

} // namespace nw
