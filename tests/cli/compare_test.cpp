// `ridgepoint compare`: two recordings, or two words of one, and what is refused.
#include <doctest/doctest.h>

#include "program.hpp"
#include "tests/text.hpp"

using tests::contains;

namespace {

const std::string h100 = "../../assets/recordings/h100.json",
                  h200 = "../../assets/recordings/h200.json";

void check_not_compared(const std::vector<std::string>& arguments, std::string_view part) {
  const Ended ended = run(arguments);
  CAPTURE(ended.err);
  CHECK(ended.code == 2);
  CHECK(ended.out.empty());
  CHECK(contains(ended.err, part));
  CHECK(lines_in(ended.err) == 1);
}

}  // namespace

TEST_CASE("two recordings are compared point by point, with a sentence at the end") {
  const Ended ended = run({"compare", h100, h200});
  CHECK(ended.code == 0);
  CHECK(contains(ended.out, "device: NVIDIA H100 80GB HBM3 in A, NVIDIA H200 in B.\n"));
  CHECK(contains(ended.out, "time of A"));
  CHECK(lines_in(ended.out) > 22);
  CHECK(contains(ended.out,
                 "B is faster at 18 of 22 points (1.13x to 1.36x) and equal within 3 % at 4.\n"));
  CHECK(contains(ended.out, "roof "));
  CHECK(contains(ended.out, "DRAM copy"));
}

TEST_CASE("two words of one recording are compared") {
  const Ended ended = run({"compare", h200, "--a", "fused", "--b", "unfused"});
  CHECK(ended.code == 0);
  CHECK(contains(ended.out, "fusion: fused in A, unfused in B.\n"));
  CHECK(contains(ended.out,
                 "B is slower at 10 of 11 points (2x to 64.6x as long) and equal within "
                 "3 % at 1."));
}

TEST_CASE("a comparison is written as picture, page and table") {
  const TemporaryFolder folder;
  for (const char* name : {"a.svg", "a.html"}) {
    CHECK(run({"compare", h100, h200, "-o", folder / name, "--csv", folder / "a.csv"}).code == 0);
    CHECK(contains(read_file(folder / name), "B is faster at 18 of 22 points"));
    CHECK(contains(read_file(folder / name), "Duration, B over A"));
  }
  CHECK(lines_in(read_file(folder / "a.csv")) == 23);
  const Ended table = run({"compare", h100, h200, "--csv", "-"});
  CHECK(table.out == read_file(folder / "a.csv"));
}

TEST_CASE("of sessions with roofs alone, the roofs are compared") {
  const std::string of_h100 = "../../assets/recordings/h100-roofs.json",
                    of_h200 = "../../assets/recordings/h200-roofs.json";
  const Ended ended = run({"compare", of_h100, of_h200});
  CHECK(ended.code == 0);
  CHECK(contains(ended.out, "DRAM copy"));
  CHECK(contains(ended.out, "B is faster at "));
  check_not_compared({"compare", of_h100, of_h200, "--csv", "a.csv"}, "no other option");
  check_not_compared(
      {"compare", of_h100, "../../assets/recordings/epyc-zen5-2-cores.json", "--a", "fp32"},
      "has no measured point of a sweep");
}

TEST_CASE("what cannot be compared is refused in one sentence") {
  check_not_compared({"compare"}, "compare takes one session or two, not 0");
  check_not_compared({"compare", h100, h200, h100}, "not 3");
  check_not_compared({"compare", h200}, "such as --a 'fused' --b 'unfused'");
  check_not_compared({"compare", h200, h200}, "compare needs --a and --b");
  check_not_compared({"compare", h200, "--a", "fused", "--b", "fp32"}, "11 points in common");
  check_not_compared({"compare", h100, h200, "--b", "fp17"}, "'fp17' names no measured point");
  check_not_compared({"compare", h200, "../../assets/recordings/h200-tile.json"},
                     "kernel is chain in A and tile in B");
  check_not_compared({"compare", h100, h200, "-o", "a.gif"}, ".png, .svg, .pdf or .html");
  check_not_compared({"compare", h100, h200, "-o", "a.html", "--size", "800x600"}, "--size");
  check_not_compared({"compare", h100, "nowhere.json"}, "nowhere.json");
}
