#include "engine/base/expr_names.h"
#include "engine/base/overloaded.h"
#include "engine/base/text.h"

namespace nw {
namespace {

void print(const Expr& e, int minimum, std::string& out);

void printArguments(std::initializer_list<const Expr*> arguments, std::string& out)
{
    out += '(';
    bool isFirst = true;
    for (const Expr* argument : arguments) {
        if (!isFirst) {
            out += ", ";
        }
        isFirst = false;
        print(*argument, 0, out);
    }
    out += ')';
}

void printInt(const IntImm& n, DType type, std::string& out)
{
    if (type == DType::I64) {
        out += std::to_string(n.value);
    } else if (type == DType::Bool) {
        out += n.value != 0 ? "true" : "false";
    } else {
        out += toText(type);
        out += '(' + std::to_string(n.value) + ')';
    }
}

void printUnary(const Unary& n, std::string& out)
{
    if (n.op == UnaryOp::Neg || n.op == UnaryOp::Not) {
        out += n.op == UnaryOp::Neg ? '-' : '!';
        // "-5" is a literal; the negation of the literal 5 has to read otherwise.
        const bool isLiteral = n.a->as<IntImm>() != nullptr || n.a->as<FloatImm>() != nullptr;
        if (n.op == UnaryOp::Neg && isLiteral) {
            printArguments({&n.a}, out);
        } else {
            print(n.a, kUnaryStrength, out);
        }
        return;
    }
    out += functionName(n.op);
    printArguments({&n.a}, out);
}

void printBinary(const Binary& n, int minimum, std::string& out)
{
    const BinaryNotation notation = notationOf(n.op, n.a->type());
    if (notation.strength == 0) {
        out += notation.word;
        printArguments({&n.a, &n.b}, out);
        return;
    }
    const bool isWrapped = notation.strength < minimum;
    if (isWrapped) {
        out += '(';
    }
    const bool chains = notation.strength != kCompareStrength;
    print(n.a, notation.strength + (chains ? 0 : 1), out);
    out += ' ';
    out += notation.word;
    out += ' ';
    print(n.b, notation.strength + 1, out);
    if (isWrapped) {
        out += ')';
    }
}

// Appends `e`, in parentheses when its operator is weaker than `minimum`.
void print(const Expr& e, int minimum, std::string& out)
{
    std::visit(overloaded{
                   [&](const IntImm& n) { printInt(n, e->type(), out); },
                   [&](const FloatImm& n) {
                       out += e->type() == DType::F64 ? shortestDouble(n.value) + "d"
                                                      : shortestFloat(static_cast<float>(n.value));
                   },
                   [&](const Var& n) { out += n.name; },
                   [&](const Unary& n) { printUnary(n, out); },
                   [&](const Binary& n) { printBinary(n, minimum, out); },
                   [&](const Select& n) {
                       out += "select";
                       printArguments({&n.condition, &n.yes, &n.no}, out);
                   },
                   [&](const CastTo& n) {
                       out += toText(e->type());
                       printArguments({&n.a}, out);
                   },
                   [&](const Load& n) {
                       out += n.buffer;
                       out += '[';
                       for (std::size_t i = 0; i < n.indices.size(); ++i) {
                           if (i > 0) {
                               out += ", ";
                           }
                           print(n.indices[i], 0, out);
                       }
                       out += ']';
                   },
               },
               e->kind());
}

} // namespace

std::string toText(const Expr& e)
{
    std::string out;
    print(e, 0, out);
    return out;
}

} // namespace nw
