#include "kernels/units.hpp"

#include <doctest/doctest.h>

#include <clocale>
#include <limits>
#include <locale>

using namespace units;

TEST_CASE("times are shown in the unit that leaves 1 to 999") {
  CHECK(seconds(0.00123) == "1.23 ms");
  CHECK(seconds(0) == "0 s");
  CHECK(seconds(2) == "2.00 s");
  CHECK(seconds(13.2, 2) == "13 s");
  CHECK(seconds(1234.5) == "1234 s");
  CHECK(seconds(2.5e-6) == "2.50 µs");
  CHECK(seconds(41e-9) == "41.0 ns");
  CHECK(seconds(1.5e-10) == "0.150 ns");
}

TEST_CASE("a time that rounds up to 1000 of a unit becomes 1 of the next") {
  CHECK(seconds(999.96e-6) == "1.00 ms");
  CHECK(seconds(999.4e-6) == "999 µs");
}

TEST_CASE("rates carry the unit and the prefix") {
  CHECK(bytes_per_second(1.5e12) == "1.50 TB/s");
  CHECK(bytes_per_second(19e9, 2) == "19 GB/s");
  CHECK(flops_per_second(6.7e13) == "67.0 TFLOP/s");
  CHECK(flops_per_second(6.7e13, true) == "67.0 TOP/s");
  CHECK(flops_per_second(0.5) == "0.500 FLOP/s");
  CHECK(flops(4.295e9) == "4.30 GFLOP");
  CHECK(flops(4.295e9, true) == "4.30 GOP");
  CHECK(hertz(2.6e9) == "2.60 GHz");
  CHECK(hertz(1980e6, 4) == "1.980 GHz");
}

TEST_CASE("sizes are powers of 1024 and exact ones have no fraction") {
  CHECK(bytes(268435456) == "256 MiB");
  CHECK(bytes(512) == "512 B");
  CHECK(bytes(1536) == "1.50 KiB");
  CHECK(bytes(1000.0 * 1024 * 1024) == "1000 MiB");
  CHECK(bytes(0) == "0 B");
}

TEST_CASE("counts are shown exactly when that is short, else rounded") {
  CHECK(count(67108864) == "64 Mi");
  CHECK(count(1000000) == "1 M");
  CHECK(count(1024) == "1024");
  CHECK(count(7) == "7");
  CHECK(count(123456789) == "123 M");
  CHECK(count(2100000) == "2.1 M");
  CHECK(count(1536) == "1536");
  CHECK(count(1572864) == "1.5 Mi");
  CHECK(count(0) == "0");
}

TEST_CASE("shares and intensities") {
  CHECK(percent(0.934) == "93 %");
  CHECK(percent(0.004) == "0.4 %");
  CHECK(percent(3e-7) == "< 0.01 %");
  CHECK(percent(0.05) == "5 %");
  CHECK(percent(1.234) == "123 %");
  CHECK(percent(0.9999) == "100 %");
  CHECK(intensity(3.25) == "3.25 FLOP/byte");
  CHECK(intensity(0.125) == "0.125 FLOP/byte");
  CHECK(intensity(4096) == "4096 FLOP/byte");
  CHECK(intensity(4096, true) == "4096 OP/byte");
}

TEST_CASE("plain numbers lose trailing zeros and use exponents only at the extremes") {
  CHECK(number(2.5) == "2.5");
  CHECK(number(2.0) == "2");
  CHECK(number(0.00012345) == "0.0001234");
  CHECK(number(123456.7) == "123457");
  CHECK(number(1e7) == "1e+07");
  CHECK(number(0) == "0");
  CHECK(number(100) == "100");
}

TEST_CASE("the prefix of an axis follows the value") {
  CHECK(std::string(si_prefix(3e9).symbol) == "G");
  CHECK(si_prefix(3e9).scale == 1e9);
  CHECK(std::string(si_prefix(3).symbol).empty());
  CHECK(std::string(si_prefix(2e-5).symbol) == "\u00b5");
  CHECK(si_prefix(0).scale == 1);
  CHECK(si_prefix(std::numeric_limits<double>::infinity()).scale == 1);
}

TEST_CASE("times are read with and without a unit") {
  CHECK(parse_seconds("2s") == 2.0);
  CHECK(parse_seconds("100ms") == doctest::Approx(0.1));
  for (const char* text : {"5 us", "5us", "5 µs", "5\u00b5s", "5 \u03bcs"}) {
    CAPTURE(text);
    CHECK(parse_seconds(text) == doctest::Approx(5e-6));
  }
  CHECK(parse_seconds(" 0.5 ") == 0.5);
  for (const char* bad : {"", "0", "-1s", "s", "1 h", "nan", "inf", "1e999", "2s3", "1,5s", "0x10",
                          "0s", "1 e3", "--1", "1e308ks"}) {
    CAPTURE(bad);
    CHECK_FALSE(parse_seconds(bad));
  }
}

TEST_CASE("counts are read with suffixes of 1000 and of 1024") {
  CHECK(parse_count("4096") == 4096);
  CHECK(parse_count("64Mi") == 67108864);
  CHECK(parse_count("64 Mi") == 67108864);
  CHECK(parse_count("1M") == 1000000);
  CHECK(parse_count("2G") == 2000000000);
  CHECK(parse_count("2Ki") == 2048);
  CHECK(parse_count("3k") == 3000);
  CHECK(parse_count("1.5M") == 1500000);
  CHECK(parse_count("9007199254740991") == 9007199254740991U);
  for (const char* bad : {"", "0", "-4", "1.5", "1e16", "9007199254740992", "nan", "inf", "4 x",
                          "Mi", "1MiB", "99999999999999999999"}) {
    CAPTURE(bad);
    CHECK_FALSE(parse_count(bad));
  }
}

TEST_CASE("shares are read as per cent or as a fraction") {
  CHECK(parse_share("1%") == doctest::Approx(0.01));
  CHECK(parse_share("0.5 %") == doctest::Approx(0.005));
  CHECK(parse_share("0.01") == 0.01);
  CHECK(parse_share("100%") == 1.0);
  for (const char* bad : {"", "0", "0%", "-1%", "101%", "1.5", "nan", "%", "1%%", "inf%"}) {
    CAPTURE(bad);
    CHECK_FALSE(parse_share(bad));
  }
}

TEST_CASE("every count that is shown exactly is read back as itself") {
  for (const std::uint64_t n :
       {1ULL, 12ULL, 1000ULL, 4096ULL, 65536ULL, 67108864ULL, 3000000ULL, 1ULL << 40U}) {
    CHECK(parse_count(count(static_cast<double>(n))) == n);
  }
}

namespace {
// A locale in the making: a comma for the decimal point, as in German.
struct CommaPoint : std::numpunct<char> {
  char do_decimal_point() const override { return ','; }
  char do_thousands_sep() const override { return '.'; }
  std::string do_grouping() const override { return "\3"; }
};
}  // namespace

TEST_CASE("text does not depend on the locale") {
  const std::locale before =
      std::locale::global(std::locale(std::locale::classic(), new CommaPoint));
  CHECK(seconds(0.00123) == "1.23 ms");
  CHECK(number(123456.7) == "123457");
  CHECK(parse_seconds("0.5") == 0.5);
  CHECK_FALSE(parse_seconds("0,5"));
  std::locale::global(before);
}

TEST_CASE("text is printable when no character of it commands a terminal") {
  CHECK(units::printable("plain, Käse, 漢, 😀") == "plain, Käse, 漢, 😀");
  CHECK(units::printable("\x1b[2J\r\n\t\x7f") == "\\x1b[2J\\x0d\\x0a\\x09\\x7f");
  CHECK(units::printable("a\u009b31m") == "a\\x9b31m");
  CHECK(units::printable("\u202ea\u202d\u2066\u2069\u200e\u200f\u061c\u2028") ==
        "\\u202ea\\u202d\\u2066\\u2069\\u200e\\u200f\\u061c\\u2028");
  CHECK(units::printable("line\nline\x07\n", units::Lines::kept) == "line\nline\\x07\n");
}

TEST_CASE("bytes that are no UTF-8 are escaped one by one") {
  CHECK(units::printable("\xff\xfe") == "\\xff\\xfe");
  CHECK(units::printable("a\xc3") == "a\\xc3");                           // cut off
  CHECK(units::printable("\xc0\xaf") == "\\xc0\\xaf");                    // longer than needed
  CHECK(units::printable("\xed\xa0\x80") == "\\xed\\xa0\\x80");           // a surrogate
  CHECK(units::printable("\xf4\x90\x80\x80") == "\\xf4\\x90\\x80\\x80");  // above U+10FFFF
  const std::string safe = units::printable("\x1b\xe2\x80\xae");
  CHECK(units::printable(safe) == safe);
}

TEST_CASE("text is shortened at a whole character") {
  CHECK(units::shortened("short", 5) == "short");
  CHECK(units::shortened("longer", 5) == "longe...");
  CHECK(units::shortened("aaaä", 4) == "aaa...");
}
