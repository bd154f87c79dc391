#include "engine/session/project.h"
#include "tests/support/test.h"
#include "views/start/operator_kinds.h"

#include <fstream>

using namespace nw::views;

class TestOperatorImport : public QObject {
    Q_OBJECT

    QTemporaryDir m_folder;

private Q_SLOTS:
    void isRead_data()
    {
        QTest::addColumn<int>("kind");
        QTest::addColumn<std::string>("key");
        QTest::addColumn<qint64>("value");
        for (int i = 0; i < kOperatorKinds; ++i) {
            const auto kind = static_cast<OperatorKind>(i);
            QTest::addRow("%s", qPrintable(kindName(kind))) << i << std::string() << qint64{0};
            for (const OperatorField& field : fieldsOf(kind)) {
                const qint64 last = field.kind == OperatorField::Kind::Choice ? field.choices.size() - 1 : field.kind == OperatorField::Kind::Flag ? 0 : 2;
                QTest::addRow("%s, %s", qPrintable(kindName(kind)), field.key) << i << std::string(field.key) << last;
            }
        }
    }

    void isRead()
    {
        QFETCH(int, kind);
        QFETCH(std::string, key);
        QFETCH(qint64, value);
        const auto which = static_cast<OperatorKind>(kind);
        OperatorFields fields = initialFields(which);
        if (!key.empty()) {
            fields[key] = value;
        }
        QVERIFY(!operatorProblem(which, fields));
        const std::filesystem::path root = m_folder.path().toStdString();
        const std::filesystem::path file = root / (operatorName(which, fields) + ".onnxtxt");
        std::ofstream(file) << operatorText(which, fields);
        nw::session::OpenOptions options;
        options.ephemeral = true;
        const auto opened = nw::session::Project::open(file, options, {root, root, root});
        VERIFY_OK(opened);
        const auto plan = (*opened)->plan();
        VERIFY_OK(plan);
        const auto operators = (*opened)->operators();
        VERIFY_OK(operators);
        QVERIFY(!operators->empty());
    }
};

NW_TEST_MAIN(tst_operator_import, TestOperatorImport)
#include "tst_operator_import.moc"
