#include "core/units.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "core/error.h"

namespace lapcast {
namespace {

TEST(Bytes, AreReadWithTheirUnits) {
  EXPECT_EQ(parse_bytes("1500"), 1500);
  EXPECT_EQ(parse_bytes("1.5 kB"), 1500);
  EXPECT_EQ(parse_bytes("2MiB"), 2 * 1024 * 1024);
  EXPECT_EQ(parse_bytes("1.2 GB"), 1'200'000'000);
  for (const char* text : {"", "GB", "1 XB", "-1", "1  kB", "1 k B", "2e9 TB", "1kb"})
    EXPECT_THROW(parse_bytes(text), Error) << text;
}

TEST(ParseSpeed, BytesAndBits) {
  EXPECT_DOUBLE_EQ(parse_speed("8.75 MB/s"), 8.75e6);
  EXPECT_DOUBLE_EQ(parse_speed("1KiB/s"), 1024);
  EXPECT_DOUBLE_EQ(parse_speed("70 Mbit/s"), 8.75e6);
  for (const char* text :
       {"", "5", "5 MB", "0 MB/s", "-1 MB/s", "nan MB/s", "2e9 GB/s", "1 mbit/s"})
    EXPECT_THROW(parse_speed(text), Error) << text;
}

TEST(ParseDuration, UnitsAndDecimals) {
  EXPECT_DOUBLE_EQ(parse_duration("90").count(), 90);
  EXPECT_DOUBLE_EQ(parse_duration("90s").count(), 90);
  EXPECT_DOUBLE_EQ(parse_duration("1.5m").count(), 90);
  EXPECT_DOUBLE_EQ(parse_duration("1.5min").count(), 90);
  EXPECT_DOUBLE_EQ(parse_duration("2h").count(), 7200);
  EXPECT_DOUBLE_EQ(parse_duration("3d").count(), 259200);
  EXPECT_DOUBLE_EQ(parse_duration("250ms").count(), 0.25);
  EXPECT_DOUBLE_EQ(parse_duration("0").count(), 0);
  EXPECT_DOUBLE_EQ(parse_duration(".5s").count(), 0.5);
}

TEST(ParseDuration, RefusesTheRest) {
  for (const char* text : {"", "s", "-1s", "+1s", "1 s", "1e3", "1e3s", "nan", "inf", "1x", "1hh",
                           "0x10", "1h30m", " 1", "40000d", "1.2.3", "/1"}) {
    EXPECT_THROW(parse_duration(text), Error) << text;
  }
}

TEST(ParseDuration, NamesTheTextSafely) {
  try {
    parse_duration("\x1b[31mred");
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::usage);
    EXPECT_STREQ(error.what(),
                 "'?red' is not a duration; write it like 90s, 1.5m, 2h, 3d or 250ms");
  }
}

TEST(ParseShare, PercentOrFraction) {
  EXPECT_DOUBLE_EQ(parse_share("2%"), 0.02);
  EXPECT_DOUBLE_EQ(parse_share("0.02"), 0.02);
  EXPECT_DOUBLE_EQ(parse_share("100%"), 1);
  EXPECT_DOUBLE_EQ(parse_share("1"), 1);
  EXPECT_DOUBLE_EQ(parse_share("0"), 0);
  for (const char* text : {"", "%", "2 %", "-1%", "101%", "1.01", "2", "2%%", "two", "nan"}) {
    EXPECT_THROW(parse_share(text), Error) << text;
  }
}

TEST(FormatDuration, ThreeDigitsAndTheUnitThatFits) {
  const auto text = [](double seconds) { return format_duration(Seconds{seconds}); };
  EXPECT_EQ(text(0), "0 s");
  EXPECT_EQ(text(312e-9), "312 ns");
  EXPECT_EQ(text(999.6e-9), "1.00 us");
  EXPECT_EQ(text(4.21e-3), "4.21 ms");
  EXPECT_EQ(text(0.99949), "999 ms");
  EXPECT_EQ(text(0.9996), "1.00 s");
  EXPECT_EQ(text(9.996), "10.0 s");
  EXPECT_EQ(text(18.34), "18.3 s");
  EXPECT_EQ(text(59.94), "59.9 s");
  EXPECT_EQ(text(59.96), "1 min 00 s");
  EXPECT_EQ(text(252), "4 min 12 s");
  EXPECT_EQ(text(3599.6), "1 h 00 min");
  EXPECT_EQ(text(11220), "3 h 07 min");
  EXPECT_EQ(text(86399), "1 d 0 h");
  EXPECT_EQ(text(2 * 86400 + 4 * 3600 + 100), "2 d 4 h");
  EXPECT_EQ(text(-18.34), "-18.3 s");
  EXPECT_EQ(text(3'155'759'999), "36525 d 0 h");
  EXPECT_EQ(text(3'155'760'000), "100 years");  // of 365.25 days
  EXPECT_EQ(text(1e300), "3.17e+292 years");
  EXPECT_EQ(text(std::numeric_limits<double>::infinity()), "no limit");
}

TEST(FormatBytes, BinaryUnits) {
  EXPECT_EQ(format_bytes(0), "0 B");
  EXPECT_EQ(format_bytes(812), "812 B");
  EXPECT_EQ(format_bytes(1536), "1.5 KiB");
  EXPECT_EQ(format_bytes(1024 * 1024 - 1), "1.0 MiB");
  EXPECT_EQ(format_bytes(24LL << 30), "24.0 GiB");
  EXPECT_EQ(format_bytes(std::numeric_limits<std::int64_t>::max()), "8.0 EiB");
  EXPECT_EQ(format_bytes(-1536), "-1.5 KiB");
}

TEST(FormatShare, TwoDigits) {
  EXPECT_EQ(format_share(0.0212), "2.1 %");
  EXPECT_EQ(format_share(0.02), "2.0 %");
  EXPECT_EQ(format_share(0.5), "50 %");
  EXPECT_EQ(format_share(0.0004), "0.04 %");
  EXPECT_EQ(format_share(0.00042), "0.042 %");
  EXPECT_EQ(format_share(0.0996), "10 %");
  EXPECT_EQ(format_share(0.00999), "1.0 %");
  EXPECT_EQ(format_share(0), "0 %");
  EXPECT_EQ(format_share(1), "100 %");
  EXPECT_EQ(format_share(-0.034), "-3.4 %");
  EXPECT_EQ(format_share(0.996), "100 %");
}

TEST(UnitsTest, OnlyOneIsSingular) {
  EXPECT_EQ(counted(1, "probe"), "1 probe");
  EXPECT_EQ(counted(0, "probe"), "0 probes");
  EXPECT_EQ(counted(2, "own program"), "2 own programs");
}

TEST(FormatNumber, ThreeDigitsWithoutAnExponent) {
  EXPECT_EQ(format_number(1234), "1234");
  EXPECT_EQ(format_number(99.6), "99.6");
  EXPECT_EQ(format_number(4.125), "4.12");
  EXPECT_EQ(format_number(2.5), "2.5");
  EXPECT_EQ(format_number(100), "100");
  EXPECT_EQ(format_number(1), "1");
  EXPECT_EQ(format_number(0.03125), "0.0312");
  EXPECT_EQ(format_number(0), "0");
}

TEST(FormatChance, IsNeverSure) {
  EXPECT_EQ(format_chance(0.854), "85 %");
  EXPECT_EQ(format_chance(0.99), "99 %");
  EXPECT_EQ(format_chance(0.991), "> 99 %");
  EXPECT_EQ(format_chance(1), "> 99 %");
  EXPECT_EQ(format_chance(0.01), "1 %");
  EXPECT_EQ(format_chance(0.009), "< 1 %");
  EXPECT_EQ(format_chance(0), "< 1 %");
  EXPECT_EQ(format_chance(std::nan("")), "not known");
}

TEST(Printable, KeepsTextAndDefusesTheRest) {
  EXPECT_EQ(printable(""), "");
  EXPECT_EQ(printable("loss 0.5 \xC3\xA9 \xE2\x82\xAC \xF0\x9F\x98\x80"),
            "loss 0.5 \xC3\xA9 \xE2\x82\xAC \xF0\x9F\x98\x80");
  EXPECT_EQ(printable("a\nb\tc\rd"), "a b c d");
  EXPECT_EQ(printable(std::string_view("a\0b", 3)), "a?b");
  EXPECT_EQ(printable("\x1b[1;31mred\x1b[0m"), "?red?");
  EXPECT_EQ(printable("\x1b]0;title\atext"), "?text");
  EXPECT_EQ(printable("\x1b]0;title\x1b\\text"), "?text");
  EXPECT_EQ(printable("\x1b]0;never ends"), "?0;never ends");
  EXPECT_EQ(printable("\x1b"), "?");
  EXPECT_EQ(printable("\x7f\xC2\x9B"
                      "31m"),
            "??31m");  // DEL, C1's own CSI
  EXPECT_EQ(printable("\xE2\x80\xAE"
                      "gpj.exe"),
            "?gpj.exe");  // right-to-left override
}

TEST(Utc, IsReadAsItIsWritten) {
  using namespace std::chrono;
  const sys_seconds noon = sys_days{year{2026} / 11 / 20} + 12h;
  EXPECT_EQ(parse_utc("2026-11-20T12:00:00Z"), noon);
  EXPECT_EQ(utc_text(noon), "2026-11-20T12:00:00Z");
  for (const char* bad : {"", "2026-11-20", "2026-02-30T12:00:00Z", "2026-11-20T12:60:00Z",
                          "2026-11-20T12:00:00Zz", "2026-11-20T-1:00:00Z", "2026-11-20 12:00:00Z"})
    EXPECT_FALSE(parse_utc(bad)) << bad;
}

TEST(Printable, InvalidUtf8) {
  EXPECT_EQ(printable("\xFF\xC3"), "??");
  EXPECT_EQ(printable("\xC0\xAF"), "??");            // overlong /
  EXPECT_EQ(printable("\xED\xA0\x80"), "???");       // surrogate
  EXPECT_EQ(printable("\xE2\x82"), "??");            // cut
  EXPECT_EQ(printable("\xF5\x80\x80\x80"), "????");  // beyond U+10FFFF
}

TEST(Printable, CutsBetweenCharacters) {
  EXPECT_EQ(printable("abcdef", 6), "abcdef");
  EXPECT_EQ(printable("abcdefg", 6), "abc...");
  EXPECT_EQ(printable("ab\xE2\x82\xAC", 3), "ab\xE2\x82\xAC");  // a euro sign: 3 bytes, 1 column
  EXPECT_EQ(printable("ab\xE2\x82\xAC", 2), "..");
  EXPECT_EQ(printable("\xe6\xbc\xa2\xe5\xad\x97z", 4), "...");  // two ideographs of 2 columns each
  EXPECT_EQ(printable("a", 0), "");
}

TEST(Printable, MarksWithoutWidthAreLimitedToo) {
  std::string marks = "e";
  for (int i = 0; i < 100; ++i) marks += "\xcc\x81";
  EXPECT_EQ(printable(marks, 10), "e" + marks.substr(1, 38) + "...");
}

TEST(ShortList, NamesFive) {
  EXPECT_EQ(short_list({"a"}), "a");
  EXPECT_EQ(short_list({"a", "b", "c", "d", "e", "f", "g"}), "a, b, c, d, e and 2 more");
}

}  // namespace
}  // namespace lapcast
