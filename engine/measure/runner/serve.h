#pragma once

namespace nw::runner {

// Answers run jobs on a socket until its other end is closed. Returns the process's exit status.
int serve(int channelDescriptor);

} // namespace nw::runner
