// SPDX-License-Identifier: GPL-3.0-or-later
// The fat binary reader: what nvcc writes, what is cut off, and what means harm.
#include "core/emulator/runtime/fatbin.h"
#include "fatbin_builder.h"

#include <QTest>
#include <memory>
#include <random>

using namespace ridgeline::emu;
using namespace fatbin_builder;

namespace {

const std::string text = ".version 9.0\n.target sm_80\n.visible .entry k()\n{\n ret;\n}\n";

/// The bytes at the very end of an exact allocation, so that a sanitizer sees a read beyond them.
struct Exact {
    explicit Exact(const std::string& bytes) : size(bytes.size()), data(new char[bytes.size()])
    {
        std::memcpy(data.get(), bytes.data(), size);
    }
    std::size_t size;
    std::unique_ptr<char[]> data;
};

Fatbin parse(const Exact& bytes)
{
    return parseFatbin(bytes.data.get(), bytes.size);
}

class TestFatbin : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void refusesWhatIsNoFatbin()
    {
        QVERIFY(!parseFatbin(nullptr, 0).error.empty());
        QVERIFY(!parse(Exact("short")).error.empty());
        QVERIFY(!parse(Exact(std::string(64, 'x'))).error.empty());
        QCOMPARE(fatbinSize(std::string(64, 'x').data()), std::size_t(0));
    }

    void everyTruncationIsAnError()
    {
        const std::string whole = fatbin(plainPtx(text) + zstdPtx(text, 90));
        for (std::size_t size = 0; size < whole.size(); ++size) {
            const Exact bytes(whole.substr(0, size));
            const Fatbin parsed = parse(bytes);
            QVERIFY2(!parsed.error.empty(), qPrintable(QString::number(size)));
            for (const FatbinEntry& image : parsed.entries) {
                QVERIFY(image.payload.data() >= bytes.data.get());
                QVERIFY(image.payload.data() + image.payload.size() <= bytes.data.get() + size);
            }
        }
    }

    void liesAboutSizes()
    {
        std::string whole = fatbin(plainPtx(text));
        put<std::uint64_t>(whole, 16 + 8, ~std::uint64_t(0) - 8);
        QVERIFY(!parse(Exact(whole)).error.empty());
        whole = fatbin(plainPtx(text));
        put<std::uint32_t>(whole, 16 + 4, 0xfffffff0);
        QVERIFY(!parse(Exact(whole)).error.empty());
        whole = fatbin(plainPtx(text));
        put<std::uint32_t>(whole, 16 + 4, 0); // would never advance
        QVERIFY(!parse(Exact(whole)).error.empty());
        whole = fatbin(zstdPtx(text));
        put<std::uint32_t>(whole, 16 + 0x10, 1 << 30); // more than there is
        QVERIFY(!parse(Exact(whole)).error.empty());
    }

    void promisesOfHugeTextsAreRefused()
    {
        for (const std::uint64_t promised :
             {std::uint64_t(1) << 40, ~std::uint64_t(0), std::uint64_t(77)}) {
            std::string whole = fatbin(zstdPtx(text));
            put<std::uint64_t>(whole, 16 + 0x38, promised);
            const Exact bytes(whole);
            const Fatbin parsed = parse(bytes);
            QCOMPARE(parsed.entries.size(), std::size_t(1));
            std::string got, error;
            QVERIFY(!extractPtx(parsed.entries[0], got, error));
            QVERIFY(!error.empty());
        }
    }

    void damagedBytesNeverCrash()
    {
        const std::string lz4("\x1f"
                              "ab\x01\x00\xff\x10\x50"
                              "cdefg",
                              13);
        const std::string whole =
            fatbin(plainPtx(text) + zstdPtx(text, 90) + entry(1, 80, lz4, 0x2011, 300));
        std::mt19937 random(20261201);
        for (int round = 0; round < 20000; ++round) {
            std::string broken = whole;
            const int hits = 1 + int(random() % 4);
            for (int i = 0; i < hits; ++i)
                broken[random() % broken.size()] = char(random());
            const Exact bytes(broken);
            for (const FatbinEntry& image : parse(bytes).entries) {
                if (image.uncompressedSize > 1 << 20)
                    continue; // allowed, only slow
                std::string got, error;
                if (!extractPtx(image, got, error))
                    QVERIFY(!error.empty());
            }
        }
    }

    void machineCodeIsNoText()
    {
        const Exact bytes(fatbin(entry(2, 80, "\177ELF")));
        const Fatbin parsed = parse(bytes);
        QVERIFY(parsed.error.empty());
        QCOMPARE(int(parsed.entries.at(0).kind), int(FatbinKind::Cubin));
        std::string got, error;
        QVERIFY(!extractPtx(parsed.entries[0], got, error));
    }

    void readsPlainAndZstd()
    {
        const Exact bytes(fatbin(plainPtx(text) + entry(2, 80, "\177ELF") + zstdPtx(text, 90)));
        const Fatbin parsed = parse(bytes);
        QVERIFY2(parsed.error.empty(), parsed.error.c_str());
        QCOMPARE(parsed.entries.size(), std::size_t(3));
        QCOMPARE(parsed.entries[0].arch, 80u);
        QCOMPARE(parsed.entries[2].arch, 90u);
        QCOMPARE(parsed.entries[2].ptxMajor, 9u);
        for (const int index : {0, 2}) {
            std::string got, error;
            QVERIFY2(extractPtx(parsed.entries[std::size_t(index)], got, error), error.c_str());
            QCOMPARE(got, text);
        }
    }

    void readsLz4()
    {
        // Literals "abc", a match of 9 at distance 3, literals "xyz": overlapping copies included.
        const std::string packed("\x35"
                                 "abc\x03\x00\x30"
                                 "xyz",
                                 10);
        const Exact bytes(fatbin(entry(1, 80, packed, 0x2011, 15)));
        const Fatbin parsed = parse(bytes);
        std::string got, error;
        QVERIFY2(extractPtx(parsed.entries.at(0), got, error), error.c_str());
        QCOMPARE(got, std::string("abcabcabcabcxyz"));
    }

    void lz4WithoutABeginningIsRefused()
    {
        const std::string packed("\x05\x03\x00", 3); // a match before any literal
        const Exact bytes(fatbin(entry(1, 80, packed, 0x2011, 9)));
        std::string got, error;
        QVERIFY(!extractPtx(parse(bytes).entries.at(0), got, error));
    }
};

} // namespace

QTEST_APPLESS_MAIN(TestFatbin)
#include "tst_fatbin.moc"
