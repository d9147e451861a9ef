#include "tests/bench/pairs.hpp"

#include <doctest/doctest.h>

#include "tests/bench/programs.hpp"

using bench::Paired;
using bench::Turn;
using bench::words_of;

namespace {

/// Two sides that write down who ran, on a clock that every turn moves by a second.
struct Sides {
  std::string order;
  double now = 0;
  double drift = 0;  // by which the machine is faster each second

  bench::Side side(char name, double rate) {
    return [this, name, rate] {
      order += name;
      now += 1;
      return Turn{.rate = rate * (1 + drift * now)};
    };
  }
  engine::Clock clock() {
    return [this] { return now; };
  }
};

}  // namespace

TEST_CASE("pairs are taken in the order ours, theirs, theirs, ours") {
  Sides sides;
  const Paired paired = bench::compare_in_pairs(sides.side('a', 3), sides.side('b', 2),
                                                {.pairs = 4, .seconds = 100}, sides.clock());
  CHECK(sides.order == "abbaabba");
  CHECK(paired.ratios() == std::vector<double>{1.5, 1.5, 1.5, 1.5});
  CHECK(paired.ended.empty());
}

TEST_CASE("a machine that gets steadily faster favours neither side") {
  Sides sides;
  sides.drift = 0.02;
  const auto ratios = bench::compare_in_pairs(sides.side('a', 1), sides.side('b', 1),
                                              {.pairs = 20, .seconds = 100}, sides.clock())
                          .ratios();
  const auto interval = engine::median_interval(ratios);
  REQUIRE(interval.has_value());
  CHECK(interval->low < 1);
  CHECK(interval->high > 1);
}

TEST_CASE("no pair begins after the time is over, and the reason is kept") {
  Sides sides;
  const Paired paired = bench::compare_in_pairs(sides.side('a', 1), sides.side('b', 1),
                                                {.pairs = 20, .seconds = 5}, sides.clock());
  CHECK(paired.ours.size() == 3);
  CHECK(paired.ended == "5 s were over");
}

TEST_CASE("a peer that fails ends the pairs with its reason") {
  Sides sides;
  int turns = 0;
  const auto fails_third = [&] {
    return ++turns == 3 ? Turn{.why = "it did not end within 60 s"} : Turn{.rate = 2};
  };
  const Paired paired = bench::compare_in_pairs(sides.side('a', 1), fails_third,
                                                {.pairs = 20, .seconds = 100}, sides.clock());
  CHECK(paired.ratios() == std::vector<double>{0.5, 0.5});
  CHECK(paired.theirs.size() == 2);
  CHECK(paired.ended == "it did not end within 60 s");
}

TEST_CASE("an interval of a ratio in words") {
  CHECK(words_of({0.98, 1.01}) == "equal within 2 %");
  CHECK(words_of({0.995, 1.0301}) == "equal within 3.1 %");
  CHECK(words_of({1, 1}) == "equal within 0 %");
  CHECK(words_of({1.0124, 1.0309}) == "faster by 1.2 to 3.1 %");
  CHECK(words_of({1.5, 2.104}) == "faster by 50 to 111 %");
  CHECK(words_of({0.9, 0.9551}) == "slower by 4.4 to 10 %");
}

TEST_CASE("a program that fails, hangs or is ended gives the reason") {
  CHECK(bench::output_of("echo fine").why.empty());
  CHECK(bench::output_of("echo fine").text == "fine\n");
  CHECK(bench::output_of("sh -c 'exit 3'").why == "it failed with exit code 3");
  CHECK(bench::output_of("sh -c 'kill -PIPE $$'").why == "it was ended by signal 13");
  CHECK(bench::output_of("no-such-program-here 2>/dev/null").why == "it could not be started");
  CHECK(bench::output_of("tail -f /dev/null", 1).why == "it did not end within 1 s");
}

TEST_CASE("figures are read from what programs print") {
  const std::string text =
      "Time:\t\t2.5e-01 sec\nMByte/s:\t\t20846.83\nbad: nan\nzero: 0\n"
      "  Global memory bandwidth (GBPS)\n    float   : 6.55\n    float4  : 11.69\n\n  float : 99\n";
  CHECK(bench::number_after(text, "MByte/s:") == 20846.83);
  CHECK_FALSE(bench::number_after(text, "MFlops/s:"));
  CHECK_FALSE(bench::number_after(text, "bad:"));
  CHECK_FALSE(bench::number_after(text, "zero:"));
  CHECK(bench::largest_below(text, "Global memory bandwidth") == 11.69);
  CHECK_FALSE(bench::largest_below(text, "Single-precision compute"));
  const std::string table =
      "Compute iters, Flops/byte, ex.time,  GFLOPS, GB/sec,\n   0,  0.250, 2.00, 1.5,  6.1,\n"
      "  64,  32.25, 9.00, 400.5,  1.2,\n-----\n";
  CHECK(bench::largest_in_column(table, 3) == 400.5);
  CHECK_FALSE(bench::largest_in_column(table, 9));
}
