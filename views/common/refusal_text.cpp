#include "views/common/refusal_text.h"

#include "views/common/format.h"

#include <QCoreApplication>

namespace nw::views {

namespace {

// The context under which the words of the rules are translated.
struct Words {
    Q_DECLARE_TR_FUNCTIONS(Primitives)
};

} // namespace

QString reasonText(const Refusal& why)
{
    return fromStd(fillWords(Words::tr(why.words.c_str()).toStdString(), why.operands));
}

} // namespace nw::views
