#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace CLI {
class App;
class Option;
} // namespace CLI

namespace nw::app {

// One declared argument; what may be said of it, in any order.
class Argument {
public:
    explicit Argument(CLI::Option& option) : m_option(&option) {}
    Argument& required();
    Argument& oneOf(const std::vector<std::string>& words);
    Argument& between(int least, int most);
    Argument& notNegative();
    Argument& oneEach(); // of a list: --bind A --bind B, never --bind A B

private:
    CLI::Option* m_option;
};

// The command line of the program or of one verb. The parser's library stands behind it: its header alone takes ten
// seconds of compiling in each source that reads it. Targets must outlive the parsing and hold their defaults.
class Arguments {
public:
    explicit Arguments(CLI::App& app) : m_app(&app) {}

    Arguments verb(const char* name, const char* help) const;
    Argument option(const char* name, std::string& target, const char* help) const;
    Argument option(const char* name, int& target, const char* help) const;
    Argument option(const char* name, std::int64_t& target, const char* help) const;
    Argument option(const char* name, std::uint64_t& target, const char* help) const;
    Argument option(const char* name, double& target, const char* help) const;
    Argument option(const char* name, std::vector<std::string>& target, const char* help) const;
    void flag(const char* name, bool& target, const char* help) const;
    void run(const std::function<void()>& when) const; // when this verb was chosen, after the parsing

private:
    CLI::App* m_app;
};

} // namespace nw::app
