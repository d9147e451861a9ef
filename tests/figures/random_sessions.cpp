#include "tests/figures/random_sessions.hpp"

#include "tests/figures/sample_sessions.hpp"
#include "tests/plot/dice.hpp"

namespace test {
namespace {

using namespace kernels;
using engine::RoofSource;
using engine::Session;

std::string random_name(Dice& dice) {
  static constexpr const char* names[] = {
      "CPU", "NVIDIA H200", "AMD EPYC 9B14",
      "Intel(R) Xeon(R) Platinum 8481C CPU @ 2.70GHz with a name that goes on and on",
      "Gerät-mit-einem-sehr-langen-Namen-ohne-jedes-Leerzeichen-von-Anfang-bis-Ende-und-weiter"};
  return names[dice.upto(4)];
}

void add_roofs(Session& session, Dice& dice, const std::vector<Dtype>& dtypes) {
  const double memory = dice.log_between(1e9, 1e13);
  if (dice.chance(0.9)) session.roofs.push_back(bandwidth("DRAM copy", memory));
  if (dice.chance(0.4))
    session.roofs.push_back(
        bandwidth("DRAM copy", memory * dice.between(0.9, 2), RoofSource::datasheet));
  for (const Dtype dtype : dtypes) {
    const double peak = memory * dice.log_between(0.5, 300);
    if (dice.chance(0.9)) session.roofs.push_back(compute(dtype, Units::vector, peak));
    if (dice.chance(0.4))
      session.roofs.push_back(
          compute(dtype, Units::vector, peak * dice.between(0.95, 2), RoofSource::datasheet));
  }
}

/// Moves a point off its roofs and gives it an interval, now and then a wide one.
void disturb(engine::Point& point, Dice& dice) {
  engine::Seconds& seconds = point.seconds;
  if (!(seconds.median > 0)) seconds.median = 1e-3;  // without roofs nothing was predicted
  seconds.median *= dice.log_between(0.9, 2);
  const double spread = dice.chance(0.1) ? 0.6 : 0.03;
  seconds.low = seconds.median * (1 - spread * dice.between(0, 1));
  seconds.high = seconds.median * (1 + spread * dice.between(0, 1));
  seconds.samples.assign(static_cast<std::size_t>(1 + dice.upto(20)), seconds.median);
  if (dice.chance(0.05)) point.conditions.throttled = true;
  if (dice.chance(0.05)) {
    point.status = engine::Status::failed;
    point.why = "the result was wrong";
  }
}

}  // namespace

Session random_session(unsigned seed) {
  Dice dice(seed);
  Session session;
  session.app = {"1.2.3", "0123456789ab", "a compiler", ""};
  session.created = dice.chance(0.9) ? "2026-11-21T10:00:00Z" : "";
  session.device.name = random_name(dice);
  session.device.kind = dice.chance(0.5) ? "cuda" : "cpu";
  session.device.driver = "a driver 1.2.3";
  if (dice.chance(0.7)) session.device.clock_hz = dice.log_between(1e9, 5e9);
  static constexpr Dtype all[] = {Dtype::fp32, Dtype::bf16, Dtype::fp16, Dtype::fp64, Dtype::int32};
  std::vector<Dtype> dtypes;
  for (const Dtype dtype : all) {
    if (dtypes.empty() || dice.chance(0.35)) dtypes.push_back(dtype);
  }
  add_roofs(session, dice, dtypes);
  const std::uint64_t elements = std::uint64_t{1} << (10 + dice.upto(20));
  const std::uint64_t runs = dice.chance(0.2) ? 2 : 1;
  for (std::uint64_t run = 1; run <= runs; ++run) {
    for (const Dtype dtype : dtypes) {
      for (const Fusion fusion : {Fusion::fused, Fusion::unfused}) {
        if (dice.chance(0.25)) continue;
        add_sweep(session, {.dtype = dtype, .fusion = fusion, .elements = elements}, run,
                  std::uint64_t{1} << dice.upto(12), 0.9);
      }
    }
  }
  for (engine::Point& point : session.points) disturb(point, dice);
  return session;
}

}  // namespace test
