#pragma once

#include "engine/base/random.h"
#include "engine/compute/definition.h"

#include <cstdint>
#include <string>
#include <vector>

namespace nw::session::fuzz {

using Extents = std::vector<std::int64_t>;

// A definition in the making: ports and stages are added, reads of them drawn.
class DefinitionMaker {
public:
    explicit DefinitionMaker(Random& random);

    struct Tensor {
        std::string name;
        DType type = DType::F32;
        Extents shape;
    };
    struct Walk { // an axis
        std::string name;
        std::int64_t extent = 1;
    };

    DType type() const { return m_type; } // of most of it
    Random& random() { return m_random; }
    bool chance(int percent) { return m_random.below(100) < static_cast<std::uint64_t>(percent); }
    // At most `most`, odd and prime ones mostly; rarely 0.
    std::int64_t extent(std::int64_t most = 40);
    // Extents whose product is about `points` at most.
    Extents shape(std::size_t rank, std::int64_t points);

    Tensor port(const std::string& name, DType type, const Extents& shape, compute::PortKind kind = compute::PortKind::Input);
    // Adds a stage; its body may use the walks' names. Names that are taken get a number.
    Tensor stage(const std::string& name, const std::vector<Walk>& spatial, Expr body);
    Tensor reduction(const std::string& name, const std::vector<Walk>& spatial, const std::vector<Walk>& over,
                     compute::Combiner combiner, Expr body);

    // The element that the walks point at, one each, maybe reversed.
    Expr read(const Tensor& tensor, const std::vector<Expr>& indices) const;
    // A port that is read at the walks, all of them or some: broadcast, permuted, reversed, with steps, repeated.
    Expr readNew(const std::vector<Walk>& walks);
    // An earlier tensor of as many dimensions as there are walks: direct where extents agree, otherwise guarded.
    Expr readOld(const Tensor& tensor, const std::vector<Walk>& walks);
    // An expression of the maker's type over one operand and maybe further ports.
    Expr formula(Expr operand, const std::vector<Walk>& walks, int depth);

    // The last stage becomes an output, now and then an earlier one, too.
    compute::Definition finish(const std::string& kind);

private:
    std::string fresh(const std::string& wanted) const;
    Expr smallLiteral();
    void makeOutput(std::size_t stage, const std::string& port);

    Random& m_random;
    DType m_type;
    compute::Definition m_definition;
};

std::vector<Expr> variablesOf(const std::vector<DefinitionMaker::Walk>& walks);
Extents extentsOf(const std::vector<DefinitionMaker::Walk>& walks);

} // namespace nw::session::fuzz
