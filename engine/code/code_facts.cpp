#include "engine/code/code_facts.h"

#include <llvm/CodeGen/MachineDominators.h>
#include <llvm/CodeGen/MachineFunctionPass.h>
#include <llvm/CodeGen/MachineInstr.h>
#include <llvm/CodeGen/MachineLoopInfo.h>
#include <llvm/CodeGen/TargetInstrInfo.h>
#include <llvm/CodeGen/TargetRegisterInfo.h>
#include <llvm/CodeGen/TargetSubtargetInfo.h>

#include <set>
#include <string>
#include <tuple>

namespace nw::code {
namespace {

bool isSpill(const llvm::MachineInstr& instruction, const llvm::TargetInstrInfo& table)
{
    return instruction.getSpillSize(&table) || instruction.getRestoreSize(&table) || instruction.getFoldedSpillSize(&table)
        || instruction.getFoldedRestoreSize(&table);
}

// "xmm7", "ymm7" and "zmm7" are one register; so are "q7", "d7" and "s7".
int vectorRegisterNumber(std::string_view name)
{
    const auto digits = name.find_first_of("0123456789");
    if (digits == std::string_view::npos) {
        return -1;
    }
    const std::string_view kind = name.substr(0, digits);
    const bool isVector = kind == "XMM" || kind == "YMM" || kind == "ZMM" || kind == "Q" || kind == "D" || kind == "S";
    return isVector && name.find_first_not_of("0123456789", digits) == std::string_view::npos
        ? std::stoi(std::string(name.substr(digits)))
        : -1;
}

class CodeFactsPass : public llvm::MachineFunctionPass {
public:
    explicit CodeFactsPass(CodeFacts& facts)
        : llvm::MachineFunctionPass(ID)
        , m_facts(facts)
    {}

    llvm::StringRef getPassName() const override { return "code facts"; }

    bool runOnMachineFunction(llvm::MachineFunction& function) override
    {
        const llvm::TargetInstrInfo& table = *function.getSubtarget().getInstrInfo();
        llvm::MachineDominatorTree dominators(function);
        llvm::MachineLoopInfo loops(dominators);
        for (const llvm::MachineBasicBlock& block : function) {
            const llvm::MachineLoop* const loop = loops.getLoopFor(&block);
            const bool isInnermost = loop != nullptr && loop->isInnermost();
            for (const llvm::MachineInstr& instruction : block) {
                if (isSpill(instruction, table)) {
                    ++m_facts.totalSpills;
                    m_facts.spills += isInnermost ? 1 : 0;
                }
            }
        }
        for (const llvm::MachineLoop* loop : loops.getLoopsInPreorder()) {
            if (loop->isInnermost()) {
                look(*loop, function, table);
            }
        }
        return false;
    }

    static char ID;

private:
    void look(const llvm::MachineLoop& loop, const llvm::MachineFunction& function, const llvm::TargetInstrInfo& table)
    {
        const llvm::TargetRegisterInfo& registers = *function.getSubtarget().getRegisterInfo();
        int fmas = 0;
        int instructions = 0;
        std::set<int> used;
        for (const llvm::MachineBasicBlock* block : loop.blocks()) {
            for (const llvm::MachineInstr& instruction : *block) {
                const llvm::StringRef name = table.getName(instruction.getOpcode());
                ++instructions;
                fmas += name.contains("FMADD") || name.contains("FNMADD") || name.contains("FMLA") ? 1 : 0;
                for (const llvm::MachineOperand& operand : instruction.operands()) {
                    if (operand.isReg() && operand.getReg().isPhysical()) {
                        const int number = vectorRegisterNumber(registers.getName(operand.getReg().asMCReg()));
                        if (number >= 0) {
                            used.insert(number);
                        }
                    }
                }
            }
        }
        const auto heat = std::make_tuple(static_cast<int>(loop.getLoopDepth()), fmas, instructions);
        if (heat > m_hottest) {
            m_hottest = heat;
            m_facts.fmas = fmas;
            m_facts.vectorRegisters = static_cast<int>(used.size());
        }
    }

    CodeFacts& m_facts;
    std::tuple<int, int, int> m_hottest{0, -1, 0};
};

char CodeFactsPass::ID = 0;

} // namespace

llvm::FunctionPass* makeCodeFactsPass(CodeFacts& facts)
{
    return new CodeFactsPass(facts);
}

} // namespace nw::code
