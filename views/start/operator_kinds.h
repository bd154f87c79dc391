#pragma once

#include "views/start/operator_text.h"

#include <QList>
#include <QString>
#include <QStringList>

namespace nw::views {

struct OperatorField {
    enum class Kind { Number, Flag, Choice };
    const char* key;
    QString label;
    Kind kind = Kind::Number;
    std::int64_t initial = 1;
    std::int64_t least = 1;
    QStringList choices;
};

QString kindName(OperatorKind kind);
QList<OperatorField> fieldsOf(OperatorKind kind);
OperatorFields initialFields(OperatorKind kind);

// Why these values make no operator, at which field; nothing (an empty key) when they do.
struct FieldProblem {
    QString key, sentence;
    explicit operator bool() const { return !key.isEmpty(); }
};
FieldProblem operatorProblem(OperatorKind kind, const OperatorFields& fields);

} // namespace nw::views
