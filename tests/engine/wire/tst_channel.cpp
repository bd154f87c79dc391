#include "engine/base/random.h"
#include "engine/wire/channel.h"
#include "tests/support/test.h"

#include <QElapsedTimer>

#include <sys/socket.h>
#include <unistd.h>

#include <thread>

using namespace nw;
using namespace nw::wire;

namespace {

struct Pair {
    Pair()
    {
        int fds[2];
        ENSURE(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds) == 0, "socketpair");
        a.emplace(fds[0]);
        b.emplace(fds[1]);
    }
    std::optional<Channel> a, b;
};

Frame frameOf(std::string body)
{
    Frame frame;
    frame.kind = Frame::Kind::Progress;
    frame.id = 5;
    frame.body = std::move(body);
    return frame;
}

void sendRaw(const Channel& channel, std::string_view bytes)
{
    QCOMPARE(::send(channel.fileDescriptor(), bytes.data(), bytes.size(), MSG_NOSIGNAL),
             static_cast<ssize_t>(bytes.size()));
}

std::string framed(const std::string& body)
{
    std::string bytes;
    for (int i = 0; i < 4; ++i) {
        bytes.push_back(static_cast<char>(body.size() >> (8 * i) & 0xff));
    }
    return bytes + body;
}

} // namespace

class TestChannel : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void carriesFramesOfEverySize()
    {
        Pair pair;
        for (const std::size_t size : {std::size_t{0}, std::size_t{1}, std::size_t{65536}, std::size_t{40} << 20}) {
            const std::string body(size, 'x');
            std::thread sender([&] { QVERIFY(pair.a->send(frameOf(body)).has_value()); });
            const Result<Frame> got = pair.b->receive(20000);
            sender.join();
            VERIFY_OK(got);
            QCOMPARE(got->id, std::uint64_t{5});
            QVERIFY(got->body == body);
        }
    }

    void refusesWhatIsTooLarge()
    {
        Pair pair;
        const Status sent = pair.a->send(frameOf(std::string((std::size_t{256} << 20) + 1, 'x')));
        QVERIFY(!sent);
        QVERIFY(sent.error().message.find("256 MiB") != std::string::npos);
    }

    void timesOut()
    {
        Pair pair;
        QElapsedTimer timer;
        timer.start();
        const Result<Frame> got = pair.b->receive(80);
        QVERIFY(!got);
        QVERIFY(got.error().kind == Error::Kind::Stopped);
        QVERIFY(timer.elapsed() >= 79 && timer.elapsed() < 3000);
        QVERIFY(pair.b->receive(0).error().kind == Error::Kind::Stopped);
    }

    void sendTimesOutWhenNobodyReads()
    {
        Pair pair;
        const Status sent = pair.a->send(frameOf(std::string(std::size_t{64} << 20, 'x')), 100);
        QVERIFY(!sent);
        QVERIFY(sent.error().kind == Error::Kind::Stopped);
    }

    // A frame that arrives in pieces is kept through time-outs between them.
    void keepsAFrameThatCameInPart()
    {
        Pair pair;
        const std::string bytes = framed(encode(frameOf("hello")));
        for (std::size_t i = 0; i + 1 < bytes.size(); ++i) {
            sendRaw(*pair.a, std::string_view(bytes).substr(i, 1));
            QVERIFY(pair.b->receive(0).error().kind == Error::Kind::Stopped);
        }
        sendRaw(*pair.a, std::string_view(bytes).substr(bytes.size() - 1));
        sendRaw(*pair.a, framed(encode(frameOf("next"))));
        const Result<Frame> got = pair.b->receive(1000);
        VERIFY_OK(got);
        QCOMPARE(got->body, std::string("hello"));
        QCOMPARE(pair.b->receive(1000)->body, std::string("next"));
    }

    void tellsThePeersEndFromGarbage_data()
    {
        QTest::addColumn<QByteArray>("bytes");
        QTest::addColumn<QByteArray>("begins");
        QTest::newRow("nothing") << QByteArray() << QByteArray("ended");
        QTest::newRow("half a length") << QByteArray("\1\0", 2) << QByteArray("ended in the middle");
        QTest::newRow("half a frame") << QByteArray("\7\0\0\0abc", 7) << QByteArray("ended in the middle");
        QTest::newRow("huge length") << QByteArray("\xff\xff\xff\xff", 4) << QByteArray("protocol");
        QTest::newRow("text") << QByteArray("\5\0\0\0hello", 9) << QByteArray("protocol");
        QTest::newRow("empty frame") << QByteArray("\0\0\0\0", 4) << QByteArray("protocol");
    }

    void tellsThePeersEndFromGarbage()
    {
        QFETCH(QByteArray, bytes);
        QFETCH(QByteArray, begins);
        Pair pair;
        sendRaw(*pair.a, {bytes.data(), static_cast<std::size_t>(bytes.size())});
        pair.a.reset();
        const Result<Frame> got = pair.b->receive(1000);
        QVERIFY(!got);
        QVERIFY(got.error().kind == Error::Kind::Failed);
        QVERIFY2(got.error().message.starts_with(begins.toStdString()), got.error().message.c_str());
    }

    void sendingToAnEndedPeerIsAnError()
    {
        Pair pair;
        pair.b.reset();
        const Status sent = pair.a->send(frameOf("x"));
        QVERIFY(!sent);
        QVERIFY(sent.error().message.starts_with("ended"));
    }

    void survivesRandomStreams()
    {
        Random random(11);
        for (int round = 0; round < 500; ++round) {
            Pair pair;
            std::string bytes = framed(encode(frameOf("some words")));
            for (std::uint64_t i = random.below(4) + 1; i > 0; --i) {
                bytes[random.below(bytes.size())] = static_cast<char>(random.below(256));
            }
            sendRaw(*pair.a, bytes);
            pair.a.reset();
            const Result<Frame> got = pair.b->receive(1000);
            QVERIFY(got || got.error().kind == Error::Kind::Failed);
        }
    }
};

NW_TEST_MAIN(tst_channel, TestChannel)
#include "tst_channel.moc"
