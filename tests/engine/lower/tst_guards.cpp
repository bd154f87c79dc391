// Guards: where they stand, that full tiles carry none, that growth is limited.

#include "engine/base/text.h"
#include "tests/engine/lower/lowered_run.h"
#include "tests/engine/lower/nests.h"
#include "tests/support/test.h"

using namespace nw;
using namespace nw::lower;

class TestGuards : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void dummy() {}
};

NW_TEST_MAIN(tst_guards, TestGuards)
#include "tst_guards.moc"
