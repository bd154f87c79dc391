#include "app/cli/command.h"

#include "engine/base/text.h"
#include "engine/session/node_tests.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <memory>

namespace nw::app {
namespace {

namespace fs = std::filesystem;

std::vector<fs::path> testFolders(const fs::path& root, const std::string& filter)
{
    std::vector<fs::path> folders;
    std::error_code ignored;
    for (const fs::directory_entry& entry : fs::directory_iterator(root, ignored)) {
        const std::string name = entry.path().filename().string();
        if (fs::exists(entry.path() / "model.onnx") && name.find(filter) != std::string::npos) {
            folders.push_back(entry.path());
        }
    }
    std::sort(folders.begin(), folders.end());
    return folders;
}

// A test runner: a fault of ours in one test is that test's failure.
session::NodeTest runOne(const fs::path& folder, const session::Folders& folders, measure::LocalDevice& device,
                         const CommonOptions& options, const StopToken& stop)
{
    try {
        return session::runNodeTest(folder, folders, device, options.target, std::max(1, options.threads), stop);
    } catch (const Bug& bug) {
        return {folder.filename().string(), session::NodeTest::Verdict::Failed, std::string("a fault of Nestwright: ") + bug.what(), {}};
    }
}

int verify(const CommonOptions& options, const std::string& root, const std::string& filter)
{
    Session session(options);
    const std::vector<fs::path> tests = testFolders(root, filter);
    if (tests.empty()) {
        return session.fail(failed(root + " holds no folders with a model.onnx" + (filter.empty() ? "." : " whose name contains " + filter + ".")));
    }
    const Result<measure::LocalDevice*> device = session.device();
    const Result<session::Folders> folders = session::userFolders();
    if (!device || !folders) {
        return session.fail(device ? folders.error() : device.error());
    }
    using Verdict = session::NodeTest::Verdict;
    std::map<Verdict, int> counts;
    std::map<std::string, int> reasons;
    for (std::size_t i = 0; i < tests.size() && !session.stop().stopRequested(); ++i) {
        session.progress(format("{}/{} {}", i + 1, tests.size(), tests[i].filename().string()));
        const session::NodeTest test = runOne(tests[i], *folders, **device, options, session.stop());
        ++counts[test.verdict];
        const char* word = test.verdict == Verdict::Passed ? "passed" : test.verdict == Verdict::Failed ? "failed" : "not supported";
        if (test.verdict == Verdict::NotSupported) {
            ++reasons[test.reason.substr(0, 60)];
        }
        session.emit({{"ok", test.verdict != Verdict::Failed}, {"test", test.name}, {"verdict", word}, {"reason", test.reason},
                      {"operators", test.operators}});
        if (test.verdict != Verdict::Passed) {
            session.progress("");
            session.say(format("{:<14} {}: {}", word, test.name, test.reason));
        }
    }
    session.progress("");
    session.say(format("{} passed, {} failed, {} not supported, of {}", counts[Verdict::Passed], counts[Verdict::Failed],
                       counts[Verdict::NotSupported], tests.size()));
    session.emit({{"ok", counts[Verdict::Failed] == 0}, {"passed", counts[Verdict::Passed]}, {"failed", counts[Verdict::Failed]},
                  {"not_supported", counts[Verdict::NotSupported]}, {"total", tests.size()}});
    if (session.stop().stopRequested()) {
        return Interrupted;
    }
    return counts[Verdict::Failed] == 0 ? Fine : WrongResult;
}

} // namespace

void addVerify(const Arguments& program, CommonOptions& options, int& exitCode)
{
    const Arguments verb = program.verb("verify", "run official ONNX tests: passed, failed, not supported with the reason");
    addCommon(verb, options, false);
    const auto root = std::make_shared<std::string>();
    const auto filter = std::make_shared<std::string>();
    verb.option("--onnx-tests", *root, "folder of test folders (model.onnx, test_data_set_0/...)").required();
    verb.option("--filter", *filter, "only tests whose name contains this");
    verb.run([&options, &exitCode, root, filter] { exitCode = verify(options, *root, *filter); });
}

} // namespace nw::app
