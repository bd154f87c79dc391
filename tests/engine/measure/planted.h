#pragma once

#include "engine/base/result.h"
#include "engine/wire/messages.h"

#include <QTemporaryDir>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

// The right kernel of Planted::sumJob(), in two so that there is room for faults before and after.
inline const std::string kNames = "const float* a = ports[0]; float* b = ports[1]; float* y = ports[2]; float* w = ports[3];\n";
inline const std::string kSum = "for (int i = 0; i < 1003; ++i) y[i] = a[i] + b[i];\n";

// Shared objects compiled in the test, and files of data for them.
class Planted {
public:
    Planted()
    {
        ENSURE(m_folder.isValid(), "no temporary folder");
    }
    std::string path(const std::string& name) const { return (m_folder.path().toStdString() + "/") + name; }

    // Body of `void kernel(void* const* ports, const struct env* env)`; a name is compiled once.
    std::string kernel(const std::string& name, const std::string& body, const std::string& flags = "")
    {
        return source(name,
                      "#define _GNU_SOURCE\n#include <stdint.h>\n#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n"
                      "#include <unistd.h>\n#include <sys/mman.h>\n#include <time.h>\n"
                      "struct env { int64_t threads; uint64_t* stamps; };\n"
                      "void nw_parallel(void (*)(void*, int64_t, int64_t), void*, int64_t, int64_t) __attribute__((weak));\n"
                      "void kernel(void* const* ports, const struct env* env)\n{\n(void)env;\n" +
                          body + "\n}\n",
                      flags);
    }
    std::string source(const std::string& name, const std::string& text, const std::string& flags = "")
    {
        const std::string file = path(name + ".so");
        if (!std::filesystem::exists(file)) {
            std::ofstream(path(name + ".c")) << text;
            const std::string command = "cc -O2 -shared -fPIC -w " + flags + " -o " + file + " " + path(name + ".c");
            ENSURE(std::system(command.c_str()) == 0, "cc failed: " + name);
        }
        return file;
    }
    template <typename T>
    std::string data(const std::string& name, const std::vector<T>& values)
    {
        const std::string file = path(name);
        std::ofstream out(file, std::ios::binary);
        out.write(reinterpret_cast<const char*>(values.data()), static_cast<std::streamsize>(values.size() * sizeof(T)));
        return file;
    }

    // Two inputs of n floats, an output of n floats that is their sum, a workspace of 64 bytes.
    nw::wire::RunJob sumJob(const std::string& sharedObject, int n = 1003)
    {
        std::vector<float> a, b;
        std::vector<double> sum;
        for (int i = 0; i < n; ++i) {
            a.push_back(static_cast<float>(i % 17));
            b.push_back(static_cast<float>(i % 5));
            sum.push_back(static_cast<double>(i % 17 + i % 5));
        }
        using nw::wire::PortRole;
        nw::wire::PortData first{PortRole::Input, n * 4, data("a" + std::to_string(n), a), 0, "", "", "", "f32", ""};
        nw::wire::PortData second{PortRole::Constant, n * 4, data("b" + std::to_string(n), b), 0, "", "", "", "f32", ""};
        nw::wire::PortData output{PortRole::Output, n * 4, "", 0, data("sum" + std::to_string(n), sum), "", "", "f32", ""};
        nw::wire::PortData scratch{PortRole::Scratch, 64, "", 0, "", "", "", "f32", ""};
        nw::wire::RunJob job;
        job.sharedObject = sharedObject;
        job.symbol = "kernel";
        job.dataSets = {{first, second, output, scratch}};
        job.protocol = {"none", false, 4, 15, 150, 0};
        return job;
    }

private:
    QTemporaryDir m_folder;
};
