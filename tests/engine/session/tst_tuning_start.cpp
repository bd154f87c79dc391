// Which scripts a search begins with: what the settings name, and sketches beside a template that leaves few choices.
#include "engine/session/tuning.h"
#include "engine/session/workbench.h"
#include "tests/support/test.h"

#include <QTemporaryDir>

#include <algorithm>
#include <fstream>
#include <set>

using namespace nw;
using namespace nw::session;

class TestTuningStart : public QObject {
    Q_OBJECT

private:
    QTemporaryDir m_folder;

    // Names of the scripts that the model's only operator would be tuned from; empty when that is refused.
    std::vector<std::string> scripts(const std::string& body, const std::string& from)
    {
        const std::string path = m_folder.filePath(QStringLiteral("m.onnxtxt")).toStdString();
        std::ofstream(path) << "<ir_version: 8, opset_import: [\"\" : 17]>\n" << body;
        OpenOptions options;
        options.ephemeral = true;
        Folders folders;
        folders.data = m_folder.path().toStdString();
        Result<std::unique_ptr<Project>> project = Project::open(path, options, folders);
        ENSURE(project.has_value(), project ? "" : project.error().message);
        const Result<std::vector<const Operator*>> operators = (*project)->operators();
        ENSURE(operators.has_value() && operators->size() == 1, "one operator");
        tune::Settings settings;
        settings.from = from;
        const Result<std::vector<record::TuneSketch>> made = sketchesOf(**project, *operators->front(), settings);
        std::vector<std::string> names; // none: refused
        for (const record::TuneSketch& sketch : made ? *made : std::vector<record::TuneSketch>()) {
            names.push_back(sketch.name);
        }
        return names;
    }

private Q_SLOTS:
    void all_data()
    {
        QTest::addColumn<QString>("body");
        QTest::addColumn<bool>("hasTemplate");
        QTest::addColumn<bool>("hasSketches");
        const QString zeros = QStringLiteral("0,").repeated(64 * 16 - 1) + QLatin1Char('0');
        // Weights with a value are constants, whose layout is free: more to choose.
        QTest::newRow("wide template") << QStringLiteral("m (float[256,64] A) => (float[256,16] y) {\n")
                                              + QStringLiteral("w = Constant <value = float[64,16] {%1}> ()\n y = MatMul(A, w) }").arg(zeros)
                                       << true << false;
        QTest::newRow("narrow template") << QStringLiteral("m (float[4,64,64] x) => (float[4,64,64] y) { y = Softmax<axis = -1>(x) }") << true << true;
        QTest::newRow("no template") << QStringLiteral("m (float[64,64] x) => (int64[64,1] y) { y = ArgMax<axis = 1>(x) }") << false << true;
    }
    void all()
    {
        QFETCH(QString, body);
        QFETCH(bool, hasTemplate);
        QFETCH(bool, hasSketches);
        const std::vector<std::string> all = scripts(body.toStdString(), "all");
        const std::vector<std::string> fromTemplate = scripts(body.toStdString(), "template");
        const std::vector<std::string> sketches = scripts(body.toStdString(), "sketch");
        QCOMPARE(std::count(all.begin(), all.end(), "template") == 1, hasTemplate);
        QCOMPARE(std::count(fromTemplate.begin(), fromTemplate.end(), "template") == 1, hasTemplate);
        QCOMPARE(fromTemplate.empty(), !hasTemplate);
        QVERIFY(sketches.size() > fromTemplate.size());
        QVERIFY(all == (hasSketches ? sketches : fromTemplate));
        QVERIFY(std::set<std::string>(all.begin(), all.end()).size() == all.size());
    }
};

NW_TEST_MAIN(tst_tuning_start, TestTuningStart)
#include "tst_tuning_start.moc"
