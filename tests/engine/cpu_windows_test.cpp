// Windows of a device that counts work itself, as a CPU does, and the units of what is told.
#include <doctest/doctest.h>

#include <string>
#include <utility>

#include "engine/watch/windows.hpp"
#include "kernels/counted.hpp"
#include "tests/text.hpp"

namespace {

namespace counted = kernels::counted;
using engine::Point;
using engine::Regime;

engine::Roof measured(std::string name, engine::RoofKind kind, double rate) {
  engine::Roof roof;
  roof.name = std::move(name);
  roof.kind = kind;
  roof.rate = rate;
  return roof;
}

}  // namespace

TEST_CASE(
    "work that a CPU counted becomes shares of its roofs; without roofs no limit is claimed") {
  engine::Session session;
  session.device.kind = "cpu";
  const engine::Roof fma = measured("fp64 FMA", engine::RoofKind::compute, 100e9);
  const engine::Roof copy = measured("DRAM copy", engine::RoofKind::bandwidth, 50e9);
  const kernels::Activity stream{.seconds = 0.1,
                                 .counted = {{std::string(counted::fp64_rate), 4e9},
                                             {std::string(counted::fp32_rate), 0},
                                             {std::string(counted::dram_rate), 48e9},
                                             {std::string(counted::cores_busy), 1}}};
  const auto window = [&] {
    return engine::window_point(engine::counted_rates(session.roofs, kernels::Dtype::bf16), stream,
                                0);
  };
  const Point unknown = window();
  CHECK(unknown.work.bytes == doctest::Approx(4.8e9));
  CHECK(engine::main_limit_of(session, unknown) == Regime::unknown);
  CHECK(tests::contains(engine::judge(session, unknown).headline, "the roofs are not known"));

  session.roofs = {fma, copy};
  const Point known = window();
  CHECK(known.bytes_per_second() == doctest::Approx(48e9));
  CHECK(known.flops_per_second() == doctest::Approx(4e9));
  CHECK(engine::value_of(known, counted::fp64) == doctest::Approx(0.04));
  CHECK(engine::main_limit_of(session, known) == Regime::bandwidth);
  kernels::Activity arithmetic = stream;  // both types use the same units
  arithmetic.counted[0].value = 40e9;
  session.roofs.push_back(fma);
  session.roofs.back().name = "fp32 FMA";
  arithmetic.counted[1].value = 30e9;
  arithmetic.counted[2].value = 1e9;
  const Point busy = engine::window_point(
      engine::counted_rates(session.roofs, kernels::Dtype::bf16), arithmetic, 0);
  CHECK(engine::main_limit_of(session, busy) == Regime::compute);
}

TEST_CASE("values of a window are told in their own units") {
  const auto text = [](std::string_view name, double value) {
    return engine::value_text({std::string(name), value});
  };
  CHECK(text(counted::hmma, 0.916) == "92 %");
  CHECK(text(counted::pcie_sent, 55e9) == "55.0 GB/s");
  CHECK(text(engine::time_value, 7.5) == "7.50 s");
  CHECK(text(counted::memory_of("python"), 12.0 * (1ULL << 30U)) == "12 GiB");
}
