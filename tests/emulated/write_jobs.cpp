#include "engine/base/files.h"
#include "engine/base/text.h"
#include "engine/measure/device.h"
#include "engine/measure/task_data.h"
#include "engine/session/fuzz/case.h"
#include "tests/emulated/jobs.h"
#include "tests/support/template_draws.h"

#include <cstdio>
#include <set>

namespace nw::elsewhere {

using schedule::test::TemplateDraws;

namespace {

// An emulated processor is some hundred times slower, and its clock may run as fast as ours.
constexpr std::int64_t kJobTimeoutMs = 600000;
// Few shapes have room for the vectors of the widest target, and all of them are for that one here.
constexpr std::uint64_t kMostRefused = 400;

std::string shapesInWords(const schedule::Task& task)
{
    std::vector<std::string> parts;
    for (std::size_t i = 0; i < task.definition->ports.size(); ++i) {
        const compute::Port& port = task.definition->ports[i];
        std::vector<std::string> extents;
        for (const std::int64_t extent : task.definition->staticShape(port.name).value_or(std::vector<std::int64_t>{})) {
            extents.push_back(std::to_string(extent));
        }
        const bool isPlain = i >= task.layouts.size() || task.layouts[i].isPlain();
        parts.push_back(format("{} {}{}", port.name, join(extents, "x"), isPlain ? "" : " as " + task.layouts[i].toText()));
    }
    return format("{}: {}; threads {}", task.definition->kind, join(parts, ", "), task.threads);
}

std::string caseText(const TemplateDraws::Drawn& drawn)
{
    session::fuzz::Case one;
    one.target = drawn.task.target.name;
    one.threads = drawn.task.threads;
    one.definition = drawn.task.definition;
    one.layouts = drawn.task.layouts;
    one.script = drawn.script;
    return toText(one);
}

class Writer {
public:
    Writer(std::filesystem::path folder, const measure::Programs& programs)
        : m_folder(std::move(folder))
    {
        measure::LocalDevice::Settings settings;
        settings.programs = programs;
        settings.cacheFolder = m_folder;
        settings.runtimeFolder = work();
        m_device = std::make_unique<measure::LocalDevice>(std::move(settings));
    }

    Status add(const std::string& from, const TemplateDraws::Drawn& drawn);
    Status finish();
    std::size_t count() const { return m_list.size(); }

private:
    std::filesystem::path work() const { return m_folder / "work"; }
    std::string relative(const std::filesystem::path& path) const { return path.lexically_relative(m_folder).string(); }
    Result<wire::RunJob> jobOf(const TemplateDraws::Drawn& drawn, const std::filesystem::path& object);
    Status removeOthers() const;

    std::filesystem::path m_folder;
    std::unique_ptr<measure::LocalDevice> m_device;
    std::vector<std::string> m_list;
    std::set<std::string> m_named; // by jobs
};

Result<wire::RunJob> Writer::jobOf(const TemplateDraws::Drawn& drawn, const std::filesystem::path& object)
{
    const Result<schedule::LoopNest> nest = measure::scheduledNest(drawn.task, drawn.script);
    if (!nest) {
        return nest.error();
    }
    const measure::JobResult<wire::BuildReply> built = m_device->build(drawn.task, drawn.script, false);
    if (!built) {
        return built.error;
    }
    std::error_code code;
    std::filesystem::copy_file(built.value.path, object, code);
    if (code) {
        return failed(format("cannot write {}: {}", object.string(), code.message()));
    }
    const Result<measure::TaskData> data = measure::TaskData::prepare(m_folder, *drawn.task.definition, 1, {});
    if (!data) {
        return data.error();
    }
    const wire::KernelListing& kernel = built.value.kernels.at(0);
    Result<std::vector<std::vector<wire::PortData>>> sets = data->dataSets(measure::portLayouts(*nest), kernel.workspaceBytes);
    if (!sets) {
        return sets.error();
    }
    wire::RunJob job;
    job.sharedObject = object.string();
    job.symbol = kernel.symbol;
    job.dataSets = *std::move(sets);
    job.protocol.name = "none";
    job.threads = drawn.task.threads;
    job.timeoutMs = kJobTimeoutMs;
    return job;
}

Status Writer::add(const std::string& from, const TemplateDraws::Drawn& drawn)
{
    const std::string number = format("{:04}", m_list.size() + 1);
    const std::string text = caseText(drawn);
    Result<wire::RunJob> job = jobOf(drawn, m_folder / (number + ".so"));
    if (!job) {
        return failed(format("{}\n{}", job.error().message, text));
    }
    forEachFile(*job, [this](std::string& file) {
        file = relative(file);
        m_named.insert(file);
    });
    if (const Status kept = writeFile(m_folder / (number + ".job"), wire::encode(*job)); !kept) {
        return kept;
    }
    if (const Status kept = writeFile(m_folder / (number + ".case"), text); !kept) {
        return kept;
    }
    m_list.push_back(format("{}\t{}\t{}", number, from, shapesInWords(drawn.task)));
    return Done{};
}

// Plain forms of tensors that the kernels want in another one: they would double what has to be carried.
Status Writer::removeOthers() const
{
    std::vector<std::filesystem::path> others;
    std::error_code code;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(m_folder / "tasks", code)) {
        if (entry.is_regular_file() && !m_named.contains(relative(entry.path()))) {
            others.push_back(entry.path());
        }
    }
    for (const std::filesystem::path& other : others) {
        std::filesystem::remove(other, code);
    }
    return code ? Status(failed(format("cannot tidy {}: {}", m_folder.string(), code.message()))) : Status(Done{});
}

Status Writer::finish()
{
    m_device.reset();
    std::error_code ignored;
    std::filesystem::remove_all(work(), ignored);
    if (const Status tidied = removeOthers(); !tidied) {
        return tidied;
    }
    return writeFile(m_folder / kList, join(m_list, "\n") + "\n"); // last: a list stands only beside all that it names
}

} // namespace

Status writeJobs(const std::filesystem::path& folder, const Wish& wish)
{
    std::error_code code;
    std::filesystem::create_directories(folder, code);
    if (code || !std::filesystem::is_empty(folder, code) || code) {
        return failed(format("{} cannot be made or is not empty: give a new folder", folder.string()));
    }
    const Result<Target> target = targetByName(wish.target);
    if (!target) {
        return target.error();
    }
    const Result<measure::Programs> programs = measure::findPrograms();
    if (!programs) {
        return programs.error();
    }
    Writer writer(std::filesystem::canonical(folder, code), *programs);
    for (const schedule::Template& from : schedule::allTemplates()) {
        if (!wish.only.empty() && from.name != wish.only) {
            continue;
        }
        TemplateDraws shapes(from, kMostRefused);
        for (std::int64_t i = 0; i < wish.shapes; ++i) {
            const Result<TemplateDraws::Drawn> drawn = shapes.next(*target);
            if (!drawn) {
                return drawn.error();
            }
            if (const Status added = writer.add(from.name, *drawn); !added) {
                return added.error();
            }
        }
        std::printf("%-28s %lld kernels for %s\n", from.name.c_str(), static_cast<long long>(wish.shapes), target->name.c_str());
        std::fflush(stdout);
    }
    if (writer.count() == 0) {
        return failed(format("no shipped template is called '{}'", wish.only));
    }
    return writer.finish();
}

} // namespace nw::elsewhere
