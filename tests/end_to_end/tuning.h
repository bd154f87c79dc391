#pragma once

#include "engine/record/record.h"
#include "tests/end_to_end/nestw.h"

#include <QByteArray>
#include <QString>

#include <optional>
#include <string>
#include <vector>

// What the tests of `nestw tune` share.
namespace nw::test {

// A small matmul with an epilogue, as a model of this name.
QString tuneModel(const Nestw& nestw, const QString& name);
QString projectOf(const Nestw& nestw, const QString& name); // its file
QStringList tuneWords(const QString& model, const QStringList& rest); // tune MODEL ... --json, candidates from sketches

int trialsIn(const QString& project, int session = 0); // of all sessions when 0; -1: cannot be read
// Everything that a journal must keep whatever happened: numbers without a gap and none twice, every trial's values among
// its script's choices. Empty when all is well.
std::string journalFaults(const QString& project);
// Fastest confirmed record of the project's only task, whoever made it; nothing where there is none.
std::optional<record::Record> bestRecord(const QString& project);
// Name of the sketch that the winner of the project's only task is of: "template", "default" or one of the tuner's own.
std::string winnersSketch(const QString& project);
// Trials that the program has told of on standard output, by its last line.
int toldTrials(const std::vector<QJsonObject>& lines);

} // namespace nw::test
