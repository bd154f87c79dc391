#include "engine/base/result.h"

#include <cctype>

namespace nw {

std::string fillWords(const std::string& words, const std::vector<std::string>& operands)
{
    std::string filled;
    std::size_t i = 0;
    while (i < words.size()) {
        std::size_t digits = i + 1;
        while (words[i] == '{' && digits < words.size() && digits < i + 4
               && std::isdigit(static_cast<unsigned char>(words[digits])) != 0) {
            ++digits;
        }
        if (words[i] == '{' && digits > i + 1 && digits < words.size() && words[digits] == '}') {
            const std::size_t hole = std::stoul(words.substr(i + 1, digits - i - 1));
            if (hole < operands.size()) {
                filled += operands[hole];
                i = digits + 1;
                continue;
            }
        }
        filled += words[i++];
    }
    return filled;
}

Error refused(Refusal refusal)
{
    std::string message = fillWords(refusal.words, refusal.operands);
    return {Error::Kind::Refused, std::move(message), std::make_shared<const Refusal>(std::move(refusal)), 0, 0};
}

} // namespace nw
