#pragma once

#include "engine/base/result.h"
#include "engine/wire/messages.h"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>

// Kernels with their data in a folder that can be carried to another machine:
//   jobs.txt        a line a job: its number, the template, the shapes in words, with tabs between them
//   NUMBER.job      an encoded wire::RunJob that only checks; its paths start at the folder
//   NUMBER.so       the kernel
//   NUMBER.case     what it was made of, for `nestw fuzz --again`
//   tasks/...       inputs, expected outputs, bounds, maps
namespace nw::elsewhere {

constexpr const char* kList = "jobs.txt";

struct Wish {
    std::string target = "x86-64-v4";
    std::int64_t shapes = 0; // of each template
    std::string only;        // a template's name; empty: all
};
// Failed when the folder holds anything already, or a kernel does not build.
Status writeJobs(const std::filesystem::path& folder, const Wish& wish);

// Prints a line a template and one with the sums. False: a job failed.
Result<bool> runJobs(const std::filesystem::path& folder, const std::filesystem::path& runner);

// Every file that a job names.
inline void forEachFile(wire::RunJob& job, const std::function<void(std::string&)>& visit)
{
    visit(job.sharedObject);
    for (std::vector<wire::PortData>& set : job.dataSets) {
        for (wire::PortData& port : set) {
            for (std::string* file : {&port.file, &port.expectedFile, &port.boundFile, &port.logicalMapFile}) {
                if (!file->empty()) {
                    visit(*file);
                }
            }
        }
    }
}

} // namespace nw::elsewhere
