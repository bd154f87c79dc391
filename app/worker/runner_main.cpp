// nestwright-runner FD: runs and measures compiled kernels for the client at the other end of the socket FD.
#include "engine/base/ensure.h"
#include "engine/measure/runner/serve.h"

#include <cstdio>
#include <cstdlib>

int main(int argc, char** argv)
{
    if (argc < 2) {
        std::fprintf(stderr, "nestwright-runner is started by nestwright and nestw; it takes the number of a connected "
                             "socket\n");
        return 2;
    }
    try {
        return nw::runner::serve(std::atoi(argv[1]));
    } catch (const nw::Bug& bug) {
        std::fprintf(stderr, "nestwright-runner: bug: %s\n", bug.what());
        return 1;
    }
}
