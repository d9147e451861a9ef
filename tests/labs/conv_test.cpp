// The verdict of the lab of convolutions, of results that are made up.
#include <doctest/doctest.h>

#include "kernels/families/conv.hpp"
#include "tests/engine/made_results.hpp"

using namespace engine;
using test::Made;
using Says = LabVerdict::Says;

namespace {

/// The best takes 20 ms, the first choice so many times as long, all others longer.
Made made(double first_over_best) {
  return Made("conv", [=](Point& point) {
    if (point.what.shape.empty()) point.note = "AVX-512, pixels 6x4";
    if (point.what.shape.empty()) return 2e-2 * first_over_best;
    return point.label == "pixels 8x2" ? 2e-2 : 2e-2 * first_over_best + 1e-2;
  });
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
  // Intervals reach from 2 % below to 3 % above.
  CHECK(made(1.05).verdict().says == Says::cannot_say);
  Made same = made(1.05);
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

TEST_CASE("conv: the first choice is left to the device, and every algorithm is tried once") {
  const Made points = made(1.5);
  REQUIRE(points.session.points.size() == 1 + kernels::conv_algorithms.size());
  CHECK(points.session.points.front().label == "first choice");
  CHECK(points.session.points.front().what.shape.empty());
  CHECK(kernels::conv_size(points.session.points.front().what) ==
        kernels::ConvSize{32, 64, 64, 64});
}

TEST_CASE("conv: a GPU says that it has no kernel yet") {
  Place place;
  place.kernels = {{.family = kernels::Family::chain}};
  CHECK(find_lab("conv")->why_not(place) ==
        "Convolutions have no CUDA kernels yet: choose the CPU.");
}
