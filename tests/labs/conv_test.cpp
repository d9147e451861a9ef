// The verdict of the lab of convolutions, of results that are made up.
#include "kernels/families/conv/conv.hpp"

#include <doctest/doctest.h>

#include "tests/engine/made_results.hpp"

using namespace engine;
using engine::Says;
using test::Made;

namespace {

/// The best takes 20 ms, the first choice so many times as long, all others longer.
Made made(double first_over_best) {
  return Made("conv", [=](Point& point) {
    if (point.what.shape.empty()) point.note = "AVX-512, pixels 6x4";
    if (point.what.shape.empty()) return 2e-2 * first_over_best;
    return point.label == "pixels 8x2" ? 2e-2 : 2e-2 * first_over_best + 1e-2;
  });
}

/// The library's best takes 10 ms, its first choice so many times as long, all others longer.
Made made_with_library(double first_over_best, double of_ours = 1.5) {
  const auto seconds = [=](Point& point) {
    const bool theirs = point.what.by == kernels::By::library;
    const double of = theirs ? first_over_best : of_ours, best = theirs ? 1e-2 : 2e-2;
    if (point.what.shape.empty())
      point.note = theirs ? "oneDNN 2.6.3, jit:first" : "AVX-512, first";
    if (point.what.shape.empty()) return best * of;
    const bool is_best = point.label == "pixels 8x2" || point.label == "jit:avx512_core";
    return is_best ? best : best * of + 1e-2;
  };
  return Made("conv", seconds, test::convolutions_with_library());
}

}  // namespace

TEST_CASE("conv: the best beats the first choice, or does not, or it cannot be told") {
  const LabVerdict holds = made(1.5).verdict();
  CHECK(holds.says == Says::holds);
  REQUIRE(holds.rows.size() == 3);
  CHECK(holds.rows[0].what == "first choice: AVX-512, pixels 6x4");
  CHECK(holds.rows[1].what == "best of 10: pixels 8x2");
  CHECK(holds.rows[2].claimed->median == doctest::Approx(1.7).epsilon(0.01));
  CHECK(holds.rows[2].here->median == doctest::Approx(1.5));
  CHECK(holds.headline == "Trying all algorithms saves 33 % of the time.");
  CHECK(made(0.9).verdict().says == Says::differs);
  const LabVerdict little = made(1.2).verdict();  // less than half of the gain that is claimed
  CHECK(little.says == Says::differs);
  CHECK(little.headline == "Trying all algorithms saves only 17 % of the time.");
  // Intervals reach from 2 % below to 3 % above.
  CHECK(made(1.35).verdict().says == Says::cannot_say);
  Made same = made(1.5);
  for (Point& point : same.session.points) point.note = "AVX-512, pixels 6x4";
  CHECK(same.verdict().says == Says::differs);
  Made disturbed = made(1.5);
  for (Point& point : disturbed.session.points) point.disturbed = true;
  CHECK(disturbed.verdict().says == Says::cannot_say);
}

TEST_CASE("conv: without the first choice, or with one algorithm, nothing is said") {
  const auto only = [](bool first) {
    return Made("conv", [=](const Point& p) { return p.what.shape.empty() == first ? 1e-2 : 0; });
  };
  CHECK(only(true).verdict().says == Says::cannot_say);
  CHECK(only(false).verdict().says == Says::cannot_say);
}

TEST_CASE("conv: where a library was measured, its choice is judged, and ours is shown beside it") {
  const LabVerdict holds = made_with_library(1.5).verdict();
  CHECK(holds.says == Says::holds);
  REQUIRE(holds.rows.size() == 7);
  CHECK(holds.rows[0].what == "oneDNN's first choice: jit:first");
  CHECK(holds.rows[1].what == "oneDNN's best of 6: jit:avx512_core");
  CHECK(holds.rows[2].what == "oneDNN's first choice over best");
  CHECK(holds.rows[2].claimed->median == doctest::Approx(1.7).epsilon(0.01));
  CHECK(holds.rows[2].here->median == doctest::Approx(1.5));
  CHECK(holds.rows[3].what == "our first choice: AVX-512, first");
  CHECK(holds.rows[4].what == "our best of 10: pixels 8x2");
  CHECK(holds.rows[5].what == "our first choice over best");
  CHECK_FALSE(holds.rows[5].claimed);
  CHECK(holds.rows[6].what == "time of our best over that of oneDNN's");
  CHECK(holds.rows[6].here->median == doctest::Approx(2));
  CHECK(holds.headline == "Trying all algorithms saves 33 % of the time.");
  CHECK(made_with_library(0.9).verdict().says == Says::differs);
  CHECK(made_with_library(1.35).verdict().says == Says::cannot_say);
  // Ours decides nothing then.
  CHECK(made_with_library(1.5, 0.9).verdict().says == Says::holds);
  Made disturbed = made_with_library(1.5);
  for (Point& point : disturbed.session.points)
    point.disturbed = point.what.by == kernels::By::library;
  CHECK(disturbed.verdict().says == Says::cannot_say);
}

TEST_CASE("conv: without points of the library, or with one of its algorithms, ours is judged") {
  const auto without = [](auto is_left_out) {
    Made made = made_with_library(0.9, 1.5);
    std::erase_if(made.session.points, is_left_out);
    return made.verdict();
  };
  const LabVerdict ours = without([](const Point& p) {
    return p.what.by == kernels::By::library && p.label != "jit:avx2" && !p.what.shape.empty();
  });
  CHECK(ours.says == Says::holds);
  REQUIRE(ours.rows.size() == 3);
  CHECK(ours.rows[0].what == "first choice: AVX-512, first");
  CHECK(ours.rows[2].claimed);
  const LabVerdict theirs = without([](const Point& p) { return p.what.by == kernels::By::own; });
  CHECK(theirs.says == Says::differs);
  CHECK(theirs.rows.size() == 3);
  CHECK(without([](const Point& p) { return !p.what.shape.empty(); }).says == Says::cannot_say);
}

TEST_CASE("conv: the library is asked for its first choice and for all that it offers") {
  const Made points = made_with_library(1.5);
  REQUIRE(points.session.points.size() == 1 + kernels::conv_algorithms.size() + 1 + 6);
  std::size_t of_library = 0;
  for (const Point& point : points.session.points) {
    if (point.what.by != kernels::By::library) continue;
    const bool first = of_library++ == 0;
    CHECK(point.what.shape.empty() == first);
    CHECK(point.label ==
          (first ? "oneDNN's first choice" : std::string(kernels::algorithm_of(point.what))));
    CHECK(kernels::refusal_of(point.what) == "");
  }
  CHECK(of_library == 7);
  auto kernels = test::convolutions_with_library();
  kernels.back().runs = false;
  CHECK(Made(
            "conv", [](Point&) { return 1e-2; }, kernels)
            .session.points.size() == 11);
}

TEST_CASE("conv: the first choice is left to the device, and every algorithm is tried once") {
  const Made points = made(1.5);
  REQUIRE(points.session.points.size() == 1 + kernels::conv_algorithms.size());
  CHECK(points.session.points.front().label == "first choice");
  CHECK(points.session.points.front().what.shape.empty());
  CHECK(kernels::conv_size(points.session.points.front().what) ==
        kernels::ConvSize{32, 64, 64, 64});
}

TEST_CASE("conv: a device without convolutions says so, or what its library lacks") {
  Place place;
  place.kernels = {{.family = kernels::Family::chain}};
  CHECK(find_lab("conv")->why_not(place) == "This device has no convolutions: choose another one.");
  const auto refused = [](kernels::By by, std::string why) {
    return kernels::Kernel{.family = kernels::Family::conv,
                           .op = kernels::Op::mma,
                           .by = by,
                           .runs = false,
                           .why_not = std::move(why)};
  };
  place.kernels = {refused(kernels::By::own, "none of our own"),
                   refused(kernels::By::library, "no library")};
  CHECK(find_lab("conv")->why_not(place) == "no library");
}

TEST_CASE("conv: where only a library runs, only the library is asked for") {
  auto kernels = test::convolutions_with_library();
  for (kernels::Kernel& kernel : kernels) kernel.runs = kernel.by == kernels::By::library;
  const Made points(
      "conv", [](Point&) { return 1e-2; }, kernels);
  REQUIRE(points.session.points.size() == 7);
  for (const Point& point : points.session.points) CHECK(point.what.by == kernels::By::library);
}
