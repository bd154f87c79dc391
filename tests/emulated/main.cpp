// templates_elsewhere write DIR [--target NAME] [--shapes N] [--only TEMPLATE]
//     builds the shipped templates for shapes drawn as tst_templates_run draws them, and writes all that a check of them needs
// templates_elsewhere run DIR
//     checks them under the correctness contract; nestwright-runner lies beside this program
// Exit code 0: all is well; 1: a kernel failed; 2: it could not be done.
#include "engine/base/ensure.h"
#include "tests/emulated/jobs.h"
#include "tests/support/template_draws.h"

#include <cstdio>
#include <cstdlib>
#include <string_view>

using namespace nw;
using namespace nw::elsewhere;

namespace {

constexpr int kUsage = 2;

int usage()
{
    std::fprintf(stderr, "templates_elsewhere write DIR [--target NAME] [--shapes N] [--only TEMPLATE]\ntemplates_elsewhere run DIR\n");
    return kUsage;
}

int fail(const Error& error)
{
    std::fprintf(stderr, "templates_elsewhere: %s\n", error.message.c_str());
    return kUsage;
}

int write(const std::filesystem::path& folder, int count, char** options)
{
    Wish wish;
    wish.shapes = static_cast<std::int64_t>(schedule::test::TemplateDraws::kShapes);
    for (int i = 0; i + 1 < count; i += 2) {
        const std::string_view option = options[i];
        if (option == "--target") {
            wish.target = options[i + 1];
        } else if (option == "--shapes") {
            wish.shapes = std::atoll(options[i + 1]);
        } else if (option == "--only") {
            wish.only = options[i + 1];
        } else {
            return usage();
        }
    }
    if (count % 2 != 0 || wish.shapes < 1) {
        return usage();
    }
    const Status written = writeJobs(folder, wish);
    return written ? 0 : fail(written.error());
}

int run(const std::filesystem::path& folder)
{
    std::error_code code;
    const std::filesystem::path self = std::filesystem::read_symlink("/proc/self/exe", code);
    const Result<bool> passed = runJobs(folder, self.parent_path() / "nestwright-runner");
    if (!passed) {
        return fail(passed.error());
    }
    return *passed ? 0 : 1;
}

} // namespace

int main(int argc, char** argv)
{
    try {
        const std::string_view verb = argc > 2 ? argv[1] : "";
        if (verb == "write") {
            return write(argv[2], argc - 3, argv + 3);
        }
        return verb == "run" && argc == 3 ? run(argv[2]) : usage();
    } catch (const Bug& bug) {
        std::fprintf(stderr, "templates_elsewhere: bug: %s\n", bug.what());
        return kUsage;
    }
}
