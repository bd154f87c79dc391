#pragma once

#include <stdexcept>
#include <string>

namespace nw {

// A broken promise of ours, never of the user's. Only the job runner, the programs' main functions
// and the test runner catch it.
class Bug : public std::logic_error {
public:
    using std::logic_error::logic_error;
};

[[noreturn]] inline void throwBug(const char* file, int line, const std::string& message)
{
    throw Bug(std::string(file) + ":" + std::to_string(line) + ": " + message);
}

} // namespace nw

#define ENSURE(condition, message)                                                                           \
    do {                                                                                                     \
        if (!(condition)) {                                                                                  \
            ::nw::throwBug(__FILE__, __LINE__, (message));                                                   \
        }                                                                                                    \
    } while (false)
