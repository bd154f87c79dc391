// Paths and names that are not plain words: other scripts, quotes, control characters, bytes that are no UTF-8, names that
// are too long; under locales that are not UTF-8 either.
#include "tests/end_to_end/nestw.h"
#include "tests/support/test.h"

#include <QDir>
#include <QProcess>

#include <filesystem>
#include <fstream>

using nw::test::Nestw;
using nw::test::Ran;

namespace {

// The few fields of a binary ONNX model that a test needs (protobuf: a tag, a length, the bytes).
QByteArray number(quint64 value)
{
    QByteArray bytes;
    for (; value >= 0x80; value >>= 7) {
        bytes += static_cast<char>(value | 0x80);
    }
    return bytes + static_cast<char>(value);
}

QByteArray field(int id, const QByteArray& bytes)
{
    return number(static_cast<quint64>(id) << 3 | 2) + number(static_cast<quint64>(bytes.size())) + bytes;
}

QByteArray field(int id, quint64 value)
{
    return number(static_cast<quint64>(id) << 3) + number(value);
}

QByteArray valueInfo(const QByteArray& name)
{
    const QByteArray shape = field(1, field(1, quint64{4})) + field(1, field(1, quint64{8}));
    return field(1, name) + field(2, field(1, field(1, quint64{1}) + field(2, shape)));
}

// y = Relu(a + b), with names of one's choice.
QByteArray model(const QByteArray& a, const QByteArray& b, const QByteArray& node, const QByteArray& y)
{
    const QByteArray add = field(1, a) + field(1, b) + field(2, QByteArray("t")) + field(3, node) + field(4, QByteArray("Add"));
    const QByteArray relu = field(1, QByteArray("t")) + field(2, y) + field(3, node + "2") + field(4, QByteArray("Relu"));
    const QByteArray graph = field(1, add) + field(1, relu) + field(2, QByteArray("g")) + field(11, valueInfo(a)) +
        field(11, valueInfo(b)) + field(12, valueInfo(y));
    return field(1, quint64{8}) + field(7, graph) + field(8, field(2, quint64{17}));
}

} // namespace

class TestCase59 : public QObject {
    Q_OBJECT

    Nestw m_nestw;

private Q_SLOTS:
    void cleanup() { qunsetenv("LC_ALL"); }

    void case_59_data()
    {
        QTest::addColumn<QByteArray>("locale");
        QTest::addColumn<QString>("name");
        const QString hard = QStringLiteral("модель 模型 é 🚀 a'b$c#%20;\"");
        QTest::newRow("C") << QByteArray("C") << hard;
        QTest::newRow("UTF-8") << QByteArray("C.UTF-8") << hard;
        QTest::newRow("ISO-8859-1") << QByteArray("de_DE.ISO-8859-1") << hard;
        QTest::newRow("decomposed") << QByteArray("C.UTF-8") << QStringLiteral("e\u0301");
        QTest::newRow("trailing space") << QByteArray("C.UTF-8") << QStringLiteral("model ");
        QTest::newRow("newline") << QByteArray("C.UTF-8") << QStringLiteral("one\ntwo");
        QTest::newRow("looks like an option") << QByteArray("C.UTF-8") << QStringLiteral("--json");
        QTest::newRow("looks like HTML") << QByteArray("C.UTF-8") << QStringLiteral("<b>bold<br>&amp;");
    }
    // Opened, scheduled, checked, shown and exported in such a folder.
    void case_59()
    {
        QFETCH(QByteArray, locale);
        QFETCH(QString, name);
        qputenv("LC_ALL", locale);
        const QString folder = m_nestw.folder() + QStringLiteral("/") + name;
        QVERIFY(QDir().mkpath(folder));
        const QString file = folder + QStringLiteral("/") + name + QStringLiteral(".onnxtxt");
        QVERIFY(QFile::exists(file) || QFile::copy(Nestw::sample("conv3x3") + QStringLiteral("/model.onnxtxt"), file));
        const auto ok = [&](const QStringList& arguments) {
            const Ran ran = m_nestw.run(arguments);
            if (ran.code != 0 || ran.crashed) {
                qWarning("%s: %d %s", qPrintable(arguments.join(QLatin1Char(' '))), ran.code, qPrintable(ran.error));
            }
            return ran.code == 0 && !ran.crashed;
        };
        QVERIFY(ok({QStringLiteral("info"), file}));
        QVERIFY(ok({QStringLiteral("apply"), file, QStringLiteral("conv.0"), QStringLiteral("--reset"), QStringLiteral("unroll kw")}));
        const Ran shown = m_nestw.run({QStringLiteral("show"), file, QStringLiteral("conv.0"), QStringLiteral("--json")});
        QVERIFY2(shown.last().value(QStringLiteral("script")).toString().contains(QStringLiteral("unroll kw")), qPrintable(shown.out));
        QVERIFY(ok({QStringLiteral("bench"), file, QStringLiteral("--protocol"), QStringLiteral("none")}));
        const QString library = folder + QStringLiteral("/вывод $(touch x) `y`");
        QVERIFY(ok({QStringLiteral("export"), file, QStringLiteral("-o"), library}));
        QCOMPARE(QDir(library).entryList({QStringLiteral("lib*.so")}).size(), 1);
    }

    // A name of bytes that are no UTF-8 cannot be written by a QString; a shell can pass it.
    void case_59_bytes()
    {
        std::ifstream from(Nestw::sample("conv3x3").toStdString() + "/model.onnxtxt", std::ios::binary);
        const std::filesystem::path path = m_nestw.folder().toStdString() + "/bad\xff\xfe.onnxtxt";
        std::ofstream(path, std::ios::binary) << from.rdbuf();
        QVERIFY(std::filesystem::exists(path));
        for (const char* verb : {"info", "ops", "info --json"}) {
            QProcess shell;
            shell.setWorkingDirectory(m_nestw.folder());
            shell.start(QStringLiteral("/bin/sh"), {QStringLiteral("-c"), QStringLiteral("exec \"$0\" %1 bad*.onnxtxt").arg(QString::fromLatin1(verb)),
                                                    Nestw::program("nestw")});
            QVERIFY(shell.waitForFinished(60000));
            QCOMPARE(shell.exitStatus(), QProcess::NormalExit);
            QVERIFY2(shell.exitCode() == 0, shell.readAllStandardError().constData());
        }
        std::filesystem::remove(path); // QTemporaryDir could not
    }

    void case_59_tooLong()
    {
        QString path = m_nestw.folder();
        while (path.size() < 4096) {
            path += QStringLiteral("/a name of some length");
        }
        for (const QStringList& arguments : {QStringList{QStringLiteral("info"), path},
                                             QStringList{QStringLiteral("export"), Nestw::sample("conv3x3"), QStringLiteral("-o"), path}}) {
            const Ran ran = m_nestw.run(arguments);
            QVERIFY(!ran.crashed);
            QCOMPARE(ran.code, 1);
            QVERIFY2(ran.error.contains(QStringLiteral("name of some length")), qPrintable(ran.error.left(300)));
        }
    }

    // Names inside the model: two that become the same identifier, control characters, quotes, a comment's end.
    void case_59_names()
    {
        const QString file = m_nestw.write(QStringLiteral("names.onnx"), model("модель \"x\" */ \x01\n", "модель \"y\" */ \x01\n", "<b>\tnode\r\n,;", "1 2"));
        const Ran run = m_nestw.run({QStringLiteral("run"), file, QStringLiteral("--protocol"), QStringLiteral("none"), QStringLiteral("--json")});
        QVERIFY2(run.code == 0, qPrintable(run.error));
        for (const QStringList& verb : {QStringList{QStringLiteral("info")}, {QStringLiteral("graph"), QStringLiteral("--nodes")}, {QStringLiteral("ops")}}) {
            const Ran told = m_nestw.run(QStringList{verb.first(), file} + verb.mid(1));
            QVERIFY2(told.code == 0, qPrintable(told.error));
            QVERIFY2(!told.out.contains(QChar(1)) && !told.out.contains(QLatin1Char('\r')), "a terminal would obey what a model says");
        }
        const QString folder = m_nestw.folder() + QStringLiteral("/names");
        const Ran exported = m_nestw.run({QStringLiteral("export"), file, QStringLiteral("-o"), folder, QStringLiteral("--name"), QStringLiteral("модель 1*/")});
        QVERIFY2(exported.code == 0, qPrintable(exported.error));
        const QStringList sources = QDir(folder).entryList({QStringLiteral("*.c")});
        QCOMPARE(sources.size(), 2);
        QProcess compiler;
        compiler.setWorkingDirectory(folder);
        compiler.start(QStringLiteral("cc"), QStringList{QStringLiteral("-fsyntax-only"), QStringLiteral("-Wall"), QStringLiteral("-Werror")} + sources);
        QVERIFY(compiler.waitForFinished(60000));
        QVERIFY2(compiler.exitCode() == 0, compiler.readAllStandardError().constData());
    }
};

NW_TEST_MAIN(tst_case_59, TestCase59)
#include "tst_case_59.moc"
