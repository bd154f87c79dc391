#include "app/cli/arguments.h"

#include <CLI/CLI.hpp>

namespace nw::app {

Argument& Argument::required()
{
    m_option->required();
    return *this;
}

Argument& Argument::oneOf(const std::vector<std::string>& words)
{
    m_option->check(CLI::IsMember(words));
    return *this;
}

Argument& Argument::between(int least, int most)
{
    m_option->check(CLI::Range(least, most));
    return *this;
}

Argument& Argument::notNegative()
{
    m_option->check(CLI::NonNegativeNumber);
    return *this;
}

Argument& Argument::oneEach()
{
    m_option->allow_extra_args(false);
    return *this;
}

Arguments Arguments::verb(const char* name, const char* help) const
{
    return Arguments(*m_app->add_subcommand(name, help));
}

Argument Arguments::option(const char* name, std::string& target, const char* help) const
{
    return Argument(*m_app->add_option(name, target, help));
}

Argument Arguments::option(const char* name, int& target, const char* help) const
{
    return Argument(*m_app->add_option(name, target, help));
}

Argument Arguments::option(const char* name, std::int64_t& target, const char* help) const
{
    return Argument(*m_app->add_option(name, target, help));
}

Argument Arguments::option(const char* name, std::uint64_t& target, const char* help) const
{
    return Argument(*m_app->add_option(name, target, help));
}

Argument Arguments::option(const char* name, double& target, const char* help) const
{
    return Argument(*m_app->add_option(name, target, help));
}

Argument Arguments::option(const char* name, std::vector<std::string>& target, const char* help) const
{
    return Argument(*m_app->add_option(name, target, help));
}

void Arguments::flag(const char* name, bool& target, const char* help) const
{
    m_app->add_flag(name, target, help);
}

void Arguments::run(const std::function<void()>& when) const
{
    m_app->callback(when);
}

} // namespace nw::app
