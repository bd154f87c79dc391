#pragma once

#include <QString>
#include <QStringList>

namespace nw::views {

// One kind of operator of the model, as the table shows it. Times in nanoseconds; 0: none yet.
struct OperatorRow {
    QString name;  // "conv.0"
    QString title; // "conv 3x3 + bias + relu"
    QString shape; // "64x56x56"
    QString taskId;
    int count = 1;
    double share = -1; // of time in the model; -1: unknown
    double flops = 0, bytes = 0;
    double defaultNs = 0, handNs = 0, autoNs = 0, boundNs = 0;
    bool shareEstimated = true;
    QStringList nodes;
};

} // namespace nw::views
