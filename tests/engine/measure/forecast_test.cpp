#include "engine/measure/forecast.hpp"

#include <doctest/doctest.h>

#include "engine/measure/run_case.hpp"
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
  const Forecast forecast{Policy{}, {}};
  CHECK(forecast.run_seconds(chain(4096)) == 0);
  CHECK(forecast.too_slow(chain(4096)).empty());
}

TEST_CASE("roofs alone predict the first point") {
  Forecast forecast{Policy{}, {}};
  for (const Roof& roof : fake::roofs()) forecast.learn(roof);
  CHECK(forecast.run_seconds(chain(1)) == doctest::Approx(fake::ideal_seconds(chain(1))));
  CHECK(forecast.run_seconds(chain(4096)) == doctest::Approx(fake::ideal_seconds(chain(4096))));
}

TEST_CASE("operators of networks take the FLOP that the kind of device executes") {
  const Case gelu{.family = kernels::Family::pointwise,
                  .ops = kernels::Op::gelu,
                  .elements = 1 << 20,
                  .repeat = 64};
  const auto seconds_on = [&](const char* kind) {
    kernels::DeviceInfo device;
    device.kind = kind;
    Forecast forecast{Policy{}, device};
    for (const Roof& roof : fake::roofs()) forecast.learn(roof);
    return forecast.run_seconds(gelu);
  };
  CHECK(seconds_on("cpu") / seconds_on("cuda") == doctest::Approx(126 / 19.3).epsilon(0.001));
}

TEST_CASE("an unfused series grows with the repeats") {
  Forecast forecast{Policy{}, {}};
  forecast.learn(point(chain(2, Fusion::unfused), 0.1));
  CHECK(forecast.run_seconds(chain(16, Fusion::unfused)) == doctest::Approx(0.8));
  CHECK(forecast.too_slow(chain(32, Fusion::unfused)).empty());
  CHECK(forecast.too_slow(chain(64, Fusion::unfused)) ==
        "one run would take 3.2 s, more than the time limit of a point, 2 s; raise it");
}

TEST_CASE("a fused series goes on along its last two points") {
  Forecast forecast{Policy{}, {}};
  forecast.learn(point(chain(64), 0.1));
  CHECK(forecast.run_seconds(chain(128)) == doctest::Approx(0.1));
  forecast.learn(point(chain(128), 0.3));
  CHECK(forecast.run_seconds(chain(256)) == doctest::Approx(0.7));
  // Noise that makes the longer one quicker is not carried on.
  forecast.learn(point(chain(160), 0.2));
  CHECK(forecast.run_seconds(chain(256)) == doctest::Approx(0.2));
}

TEST_CASE("points of other series, without time or of larger repeats say nothing") {
  Forecast forecast{Policy{}, {}};
  forecast.learn(point(chain(8), 5));
  forecast.learn(point(chain(2, Fusion::unfused), 5, Status::failed));
  forecast.learn(point(chain(32, Fusion::unfused), 5));
  CHECK(forecast.run_seconds(chain(16, Fusion::unfused)) == 0);
}
