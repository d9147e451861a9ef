// By which words the points of a side are chosen.
#include "engine/compare/sides.hpp"

#include <doctest/doctest.h>

#include "engine/session/session_file.hpp"
#include "tests/compare/compared.hpp"

using namespace engine;
using examples::chain;
using kernels::Dtype;
using kernels::Fusion;
using tests::holding;
using tests::in_dtype;
using tests::taking;

namespace {

Point in_run(Point point, std::uint64_t run) {
  point.run = run;
  return point;
}

/// Two element types, fused and not, and fp32 fused in a second run.
Session made_session() {
  return holding({taking(in_dtype(Dtype::fp32), 1), taking(in_dtype(Dtype::fp16), 2),
                  taking(chain(1, Fusion::unfused), 3),
                  in_run(taking(in_dtype(Dtype::fp32), 4), 2)});
}

std::vector<double> chosen(const Session& session, std::string_view words) {
  std::vector<double> seconds;
  for (const Point* point : side_of(session, words, "'s.json'").points)
    seconds.push_back(point->seconds.median);
  return seconds;
}

using Times = std::vector<double>;

}  // namespace

TEST_CASE("without a word a side has the newest point of every case") {
  CHECK(chosen(made_session(), "") == Times{4, 2, 3});
}

TEST_CASE("words choose by element type, fusion, run and series, and all have to hold") {
  const Session session = made_session();
  CHECK(chosen(session, "fp16") == Times{2});
  CHECK(chosen(session, "fp32") == Times{4, 3});
  CHECK(chosen(session, "run 1") == Times{1, 2, 3});
  CHECK(chosen(session, "fp32, fused, run 1") == Times{1});
  CHECK(chosen(session, "fp32 fused") == Times{4});
  CHECK(chosen(session, " unfused fp32 ") == Times{3});
}

TEST_CASE("a label with a space in it is a word") {
  Session session = made_session();
  session.points[1].label = "with reuse";
  CHECK(chosen(session, "with reuse") == Times{2});
  CHECK(chosen(session, "fp16,with reuse") == Times{2});
}

TEST_CASE("the words offered are those that tell points apart") {
  const std::vector<std::string> choices = choices_of(made_session());
  const std::vector<std::string> expected{"fp32",       "fp16",       "fused",
                                          "unfused",    "run 1",      "run 2",
                                          "fp32 fused", "fp16 fused", "fp32 unfused"};
  for (const std::string& word : expected) {
    CAPTURE(word);
    CHECK(std::ranges::count(choices, word) == 1);
  }
  CHECK(choices.size() == expected.size());
  CHECK(choices_of(holding({taking(chain(1), 1)})).empty());
}

TEST_CASE("a word of no point is refused with those that there are") {
  const Session session = made_session();
  CHECK_THROWS_WITH_AS(chosen(session, "fp17"),
                       doctest::Contains("'fp17' names no measured point of "
                                         "'s.json': expected one of fp32, "),
                       BadInput);
  CHECK_THROWS_WITH_AS(
      chosen(session, "fp16,unfused"),
      "no point of 's.json' is fp16 and unfused: expected words that one point has", BadInput);
  CHECK_THROWS_WITH_AS(chosen(holding({}), ""),
                       doctest::Contains("has no measured point of a sweep"), BadInput);
  CHECK_THROWS_WITH_AS(
      chosen(holding({taking(chain(1), 1)}), "fp16"),
      doctest::Contains("expected no word, because its points are all of one kind"), BadInput);
}
