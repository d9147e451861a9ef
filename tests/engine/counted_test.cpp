// The bandwidth that a device counts itself, beside that of the formula.
#include "kernels/counted.hpp"

#include <doctest/doctest.h>

#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "engine/watch/windows.hpp"
#include "tests/engine/worker/sweeper_harness.hpp"
#include "tests/text.hpp"

namespace {

namespace counted = kernels::counted;

constexpr double stated_bandwidth = 4.8e12;  // byte/s, of an H200
constexpr double bandwidth = 2e12;           // of the fake, which is as fast as a GPU here

/// Counts `factor` of what the fake moves, all of it at the bandwidth of the fake.
class Counters : public kernels::ActivityReader {
 public:
  Counters(const fake::Clock& clock, double factor, double busy)
      : clock_(clock), begin_(clock.now()), factor_(factor), busy_(busy) {}
  double least_window() const override { return 0.1; }
  std::string why_not() const override { return ""; }
  std::optional<kernels::Activity> read() override {
    if (clock_.now() - begin_ < least_window()) return std::nullopt;
    return kernels::Activity{
        .seconds = clock_.now() - begin_,
        .counted = {{std::string(counted::busy), busy_},
                    {std::string(counted::dram), factor_ * bandwidth / stated_bandwidth}}};
  }

 private:
  const fake::Clock& clock_;
  double begin_, factor_, busy_;
};

/// A sweep of one point on a device that counts; by default beyond the caches, and with a
/// goal that takes long.
struct Swept {
  Swept(double factor, double busy, std::uint64_t elements = 1 << 30) {
    fake::Script script;
    script.describe = [](kernels::DeviceInfo& info) {  // as its datasheet
      info.name = "NVIDIA H200";
      info.compute_capability = "9.0";
      info.multiprocessors = 132;
      info.memory_bytes = 140.4 * 0x1p30;
    };
    fake::Harness* owner = nullptr;
    script.activity = [&owner, factor, busy] {
      return std::make_unique<Counters>(owner->clock, factor, busy);
    };
    // Never the same twice, so that a strict goal is not met.
    script.seconds = [n = 0](const kernels::Case& what) mutable {
      return fake::ideal_seconds(what) * fake::bandwidth / bandwidth * (n++ % 2 == 0 ? 0.99 : 1.01);
    };
    fake::Harness harness(std::move(script), "cuda:0");
    owner = &harness;
    engine::SweepRequest request = fake::Harness::request({1});
    request.spec.elements = elements;
    request.spec.noise = elements == 1 << 30 ? 1e-6 : 0.5;
    request.spec.time = 60;
    harness.finish(harness.sweeper.start(request));
    point = harness.points().back();
    for (const auto& warning : harness.all<engine::Warning>()) warnings += warning.text + "\n";
  }
  std::optional<double> value() const { return engine::told(point, counted::own_bandwidth); }

  engine::Point point;
  std::string warnings;
};

}  // namespace

TEST_CASE("a point that was measured for long gets the bandwidth that the device counted") {
  const Swept swept(1.0, 0.99);
  REQUIRE(swept.value());
  CHECK(*swept.value() == doctest::Approx(swept.point.bytes_per_second()).epsilon(0.02));
  CHECK_FALSE(tests::contains(swept.warnings, "the device counted"));
}

TEST_CASE("where the device counts other traffic than the formula says, the sweep warns") {
  const Swept swept(1.5, 0.99);
  REQUIRE(swept.value());
  CHECK(*swept.value() == doctest::Approx(1.5 * swept.point.bytes_per_second()).epsilon(0.02));
  CHECK(tests::contains(
      swept.warnings, "the device counted other traffic of DRAM than the formula says at 1 of 1"));
}

TEST_CASE("brief points, and loads that leave multiprocessors idle, are not counted") {
  CHECK_FALSE(Swept(1.0, 0.99, 1 << 20).value());
  CHECK_FALSE(Swept(1.5, 0.5).value());
  CHECK_FALSE(tests::contains(Swept(1.5, 0.5).warnings, "the device counted"));
}
