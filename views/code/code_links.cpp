#include "views/code/code_links.h"

#include "views/code/loop_forest.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <map>
#include <set>

namespace nw::views {
namespace {

struct BasicBlock {
    std::string name;
    std::size_t firstLine = 0, lastLine = 0;
    std::vector<std::string> before; // names
    std::vector<std::string> loops;  // found
};
struct Function {
    std::string name;
    std::vector<BasicBlock> blocks; // the first one is the entry

    BasicBlock* find(std::string_view block)
    {
        const auto found = std::find_if(blocks.begin(), blocks.end(), [&](const BasicBlock& b) { return b.name == block; });
        return found == blocks.end() ? nullptr : &*found;
    }
};

std::string_view wordFrom(std::string_view text)
{
    const auto isPart = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '.' || c == '_' || c == '-' || c == '$'; };
    return text.substr(0, static_cast<std::size_t>(std::find_if_not(text.begin(), text.end(), isPart) - text.begin()));
}

std::vector<Function> readLlvm(std::string_view text)
{
    std::vector<Function> functions;
    const std::vector<std::string_view> lines = linesOf(text);
    bool inside = false;
    for (std::size_t i = 0; i < lines.size(); ++i) {
        const std::string_view line = lines[i];
        if (line.starts_with("define ")) {
            const std::size_t at = line.find('@');
            functions.push_back({std::string(at == std::string_view::npos ? "" : wordFrom(line.substr(at + 1))), {}});
            inside = true;
        } else if (line.starts_with("}")) {
            inside = false;
        } else if (inside) {
            std::vector<BasicBlock>& blocks = functions.back().blocks;
            const std::string_view label = wordFrom(line);
            if (!label.empty() && line.substr(label.size()).starts_with(":")) {
                blocks.push_back({std::string(label), i, i, {}, {}});
                std::string_view rest = line.substr(std::min(line.find("preds = "), line.size()));
                for (std::size_t at = rest.find('%'); at != std::string_view::npos; at = rest.find('%')) {
                    rest.remove_prefix(at + 1);
                    blocks.back().before.emplace_back(wordFrom(rest));
                }
            } else if (!blocks.empty()) {
                blocks.back().lastLine = i;
            }
        }
    }
    return functions;
}

struct NaturalLoop {
    std::string header;
    std::set<std::string> body;
    int depth = 0;
};

// Blocks that are reached without passing `without`.
std::set<std::string> reached(const Function& function, const std::string& without)
{
    std::set<std::string> seen;
    if (!function.blocks.empty() && function.blocks.front().name != without) {
        seen.insert(function.blocks.front().name);
    }
    for (bool grows = true; grows;) {
        grows = false;
        for (const BasicBlock& block : function.blocks) {
            if (block.name != without && !seen.contains(block.name)
                && std::any_of(block.before.begin(), block.before.end(), [&](const std::string& from) { return seen.contains(from); })) {
                grows = seen.insert(block.name).second;
            }
        }
    }
    return seen;
}

// A loop's header is passed on every way to the block that jumps back to it.
std::vector<NaturalLoop> naturalLoops(Function& function)
{
    std::vector<NaturalLoop> loops;
    for (const BasicBlock& header : function.blocks) {
        if (header.before.size() < 2) {
            continue;
        }
        const std::set<std::string> around = reached(function, header.name);
        NaturalLoop loop{header.name, {}, 0};
        std::vector<std::string> open;
        for (const std::string& from : header.before) {
            if (!around.contains(from)) {
                open.push_back(from);
            }
        }
        if (open.empty()) {
            continue;
        }
        loop.body.insert(header.name);
        while (!open.empty()) {
            const std::string name = open.back();
            open.pop_back();
            if (const BasicBlock* block = function.find(name); block != nullptr && loop.body.insert(name).second) {
                open.insert(open.end(), block->before.begin(), block->before.end());
            }
        }
        loops.push_back(std::move(loop));
    }
    return loops;
}

// Blocks are numbered as they were made, which is the order of the lowered program: "loop", "loop2", "loop10".
int numberOf(const std::string& label)
{
    const std::size_t digits = label.find_last_not_of("0123456789") + 1;
    int number = 0;
    std::from_chars(label.data() + digits, label.data() + label.size(), number);
    return number;
}

// "loop.ic" and "loop.ic12" when there is a loop ic.
std::string ownName(const std::string& label, const LoopForest& forest)
{
    if (!label.starts_with("loop.")) {
        return {};
    }
    const std::string name = label.substr(5);
    const std::string shorter = name.substr(0, name.find_last_not_of("0123456789") + 1);
    std::vector<const LoopTree*> open;
    std::string found;
    for (const LoopTree& tree : forest) {
        open.push_back(&tree);
    }
    while (!open.empty()) {
        const LoopTree* tree = open.back();
        open.pop_back();
        for (const std::string& each : tree->names) {
            if (each == name || (found.empty() && each == shorter)) {
                found = each;
            }
        }
        for (const LoopTree& inner : tree->inside) {
            open.push_back(&inner);
        }
    }
    return found;
}

struct Namer {
    Function& function;
    std::vector<NaturalLoop>& loops;
    const LoopForest& all;

    bool isDirectlyIn(const NaturalLoop& inner, const NaturalLoop* outer) const
    {
        if (outer != nullptr && (&inner == outer || !outer->body.contains(inner.header))) {
            return false;
        }
        return std::none_of(loops.begin(), loops.end(), [&](const NaturalLoop& other) {
            return &other != &inner && &other != outer && other.body.contains(inner.header)
                && (outer == nullptr || outer->body.contains(other.header));
        });
    }

    void name(const NaturalLoop* outer, const LoopForest* forest)
    {
        std::vector<const NaturalLoop*> here;
        for (const NaturalLoop& loop : loops) {
            if (isDirectlyIn(loop, outer)) {
                here.push_back(&loop);
            }
        }
        std::stable_sort(here.begin(), here.end(), [](const NaturalLoop* a, const NaturalLoop* b) { return numberOf(a->header) < numberOf(b->header); });
        const bool isSameShape = forest != nullptr && forest->size() == here.size();
        for (std::size_t i = 0; i < here.size(); ++i) {
            std::vector<std::string> names = isSameShape ? (*forest)[i].names : std::vector<std::string>();
            if (const std::string own = ownName(here[i]->header, all); !own.empty()) {
                names = {own};
            }
            for (const std::string& block : here[i]->body) {
                std::vector<std::string>& known = function.find(block)->loops;
                known.insert(known.end(), names.begin(), names.end());
            }
            name(here[i], isSameShape ? &(*forest)[i].inside : nullptr);
        }
    }
};

// Every function's blocks with their loops.
std::vector<Function> named(std::string_view llvm, std::string_view lowered, std::vector<std::string>* headers)
{
    const std::map<std::string, LoopForest> forests = compiledLoops(lowered);
    std::vector<Function> functions = readLlvm(llvm);
    for (Function& function : functions) {
        const auto forest = forests.find(function.name.substr(function.name.rfind('.') + 1));
        if (forest == forests.end()) {
            continue;
        }
        std::vector<NaturalLoop> loops = naturalLoops(function);
        Namer{function, loops, forest->second}.name(nullptr, &forest->second);
        if (headers != nullptr) {
            for (const NaturalLoop& loop : loops) {
                headers->push_back(function.name + '/' + loop.header);
            }
        }
    }
    return functions;
}

} // namespace

LineLinks linkLlvm(std::string_view llvm, std::string_view lowered)
{
    LineLinks links(linesOf(llvm).size());
    std::vector<std::string> headers;
    for (const Function& function : named(llvm, lowered, &headers)) {
        for (const BasicBlock& block : function.blocks) {
            for (std::size_t line = block.firstLine; line <= block.lastLine; ++line) {
                links[line].loops = block.loops;
            }
            const bool isHeader = std::find(headers.begin(), headers.end(), function.name + '/' + block.name) != headers.end();
            links[block.firstLine].opens = isHeader && !block.loops.empty();
        }
    }
    return links;
}

LineLinks linkAssembly(std::string_view assembly, std::string_view llvm, std::string_view lowered)
{
    std::vector<std::string> headers;
    std::vector<Function> functions = named(llvm, lowered, &headers);
    Function* function = nullptr;
    std::map<std::string, std::vector<std::string>, std::less<>> byLabel; // "BB1_7"
    std::vector<std::string> now;
    LineLinks links;
    for (const std::string_view line : linesOf(assembly)) {
        LineLink link;
        const bool isFallThrough = line.starts_with("# %bb.");
        const bool isLocal = line.starts_with(".LBB");
        const std::string_view label = wordFrom(line);
        if (isFallThrough || isLocal) {
            now.clear();
            const std::size_t comment = line.find("# %", 1);
            if (function != nullptr && comment != std::string_view::npos) {
                const std::string block(wordFrom(line.substr(comment + 3)));
                const BasicBlock* const found = function->find(block);
                now = found == nullptr ? now : found->loops;
                link.opens = !now.empty() && std::find(headers.begin(), headers.end(), function->name + '/' + block) != headers.end();
            }
            if (isLocal) {
                byLabel[std::string(label.substr(2))] = now;
            }
        } else if (line.starts_with(".Lfunc_end")) {
            function = nullptr;
            now.clear();
        } else if (!label.empty() && label.front() != '.' && line.substr(label.size()).starts_with(":")) {
            const auto found = std::find_if(functions.begin(), functions.end(), [&](const Function& f) { return f.name == label; });
            function = found == functions.end() ? nullptr : &*found;
            now.clear();
        }
        // A block without a name of its own, or one that only the code generator made.
        if (const std::size_t at = line.find("in Loop: Header="); at != std::string_view::npos && now.empty()) {
            const auto header = byLabel.find(wordFrom(line.substr(at + 16)));
            now = header == byLabel.end() ? now : header->second;
        }
        link.loops = now;
        links.push_back(std::move(link));
    }
    return links;
}

} // namespace nw::views
