#include "engine/measure/forecast.hpp"

#include <doctest/doctest.h>

#include "engine/measure/watched.hpp"
#include "tests/engine/fake_device.hpp"

using namespace engine;
using kernels::Case;
using kernels::Fusion;

namespace {

Case chain(std::uint64_t repeat, Fusion fusion = Fusion::fused) {
  return {.fusion = fusion, .elements = 1 << 20, .repeat = repeat};
}

Point point(const Case& what, double seconds, Status status = Status::ok) {
  Point p;
  p.what = what;
  p.status = status;
  p.seconds.median = seconds;
  return p;
}

}  // namespace

TEST_CASE("without roofs or points nothing is known and nothing is too slow") {
  const Forecast forecast{Policy{}};
  CHECK(forecast.run_seconds(chain(4096)) == 0);
  CHECK(forecast.too_slow(chain(4096)).empty());
}

TEST_CASE("roofs alone predict the first point") {
  Forecast forecast{Policy{}};
  for (const Roof& roof : fake::roofs()) forecast.learn(roof);
  CHECK(forecast.run_seconds(chain(1)) == doctest::Approx(fake::ideal_seconds(chain(1))));
  CHECK(forecast.run_seconds(chain(4096)) == doctest::Approx(fake::ideal_seconds(chain(4096))));
}

TEST_CASE("an unfused series grows with the repeats") {
  Forecast forecast{Policy{}};
  forecast.learn(point(chain(2, Fusion::unfused), 0.1), 1);
  CHECK(forecast.run_seconds(chain(16, Fusion::unfused)) == doctest::Approx(0.8));
  CHECK(forecast.too_slow(chain(32, Fusion::unfused)).empty());
  CHECK(forecast.too_slow(chain(64, Fusion::unfused)) ==
        "one run would take 3.2 s, more than the time limit of 2 s; raise it (--max-time)");
}

TEST_CASE("a fused series goes on along its last two points") {
  Forecast forecast{Policy{}};
  forecast.learn(point(chain(64), 0.1), 1);
  CHECK(forecast.run_seconds(chain(128)) == doctest::Approx(0.1));
  forecast.learn(point(chain(128), 0.3), 1);
  CHECK(forecast.run_seconds(chain(256)) == doctest::Approx(0.7));
  // Noise that makes the longer one quicker is not carried on.
  forecast.learn(point(chain(160), 0.2), 1);
  CHECK(forecast.run_seconds(chain(256)) == doctest::Approx(0.2));
}

TEST_CASE("points of other series, without time or of larger repeats say nothing") {
  Forecast forecast{Policy{}};
  forecast.learn(point(chain(8), 5), 1);
  forecast.learn(point(chain(2, Fusion::unfused), 5, Status::failed), 1);
  forecast.learn(point(chain(32, Fusion::unfused), 5), 1);
  CHECK(forecast.run_seconds(chain(16, Fusion::unfused)) == 0);
}

TEST_CASE("the estimate follows the pace of what was measured and leaves out what is too slow") {
  Forecast forecast{Policy{}};
  for (const Roof& roof : fake::roofs()) forecast.learn(roof);
  const std::vector<Case> cases(10, chain(1));
  const double first = forecast.seconds_for(cases);
  CHECK(first > 0);
  for (int i = 0; i < 20; ++i) {
    forecast.learn(point(chain(1), fake::ideal_seconds(chain(1))), 0.5);
  }
  CHECK(forecast.seconds_for(cases) == doctest::Approx(5).epsilon(0.02));
  const Case slow{.fusion = Fusion::unfused, .elements = 1ULL << 30U, .repeat = 4096};
  CHECK(forecast.seconds_for(std::vector{slow}) == 0);
  CHECK(forecast.seconds_for({}) == 0);
}

TEST_CASE("short points that took long promise no more than the time limit for long ones") {
  const Policy policy{};
  Forecast forecast{policy};
  for (const Roof& roof : fake::roofs()) forecast.learn(roof);
  for (int i = 0; i < 20; ++i) {
    forecast.learn(point(chain(1), fake::ideal_seconds(chain(1))), most_time(policy));
  }
  const std::vector<Case> brief(10, chain(1)), longer(10, chain(256));
  CHECK(forecast.seconds_for(brief) == doctest::Approx(10 * most_time(policy)).epsilon(0.2));
  // The pace of brief ones alone would promise many times as much.
  CHECK(forecast.seconds_for(longer) < 10 * 2 * most_time(policy));
}
