#include <doctest/doctest.h>

#include <cmath>

#include "kernels/cpu/machine/topology.hpp"
#include "kernels/cpu/trials/device.hpp"
#include "kernels/cpu/trials/peak_reference.hpp"
#include "kernels/families/reference.hpp"
#include "kernels/families/tile/tile.hpp"
#include "tests/kernels/tiles/tile_amx_model.hpp"
#include "tests/kernels/tiles/tile_tables.hpp"

namespace kernels::cpu {
namespace {

constexpr PeakStart every_start[] = {PeakStart::random, PeakStart::zeros, PeakStart::integers};

template <class Body>
void for_each_peak_row(Body body) {
  for (const Isa& isa : runnable_tables()) {
    for (std::size_t i = 0; i < isa.count; ++i) {
      const Row& row = isa.rows[i];
      if (row.family != Family::peak) continue;
      CAPTURE(isa.name);
      CAPTURE(name_of(row.op));
      CAPTURE(name_of(row.dtype));
      const Variants<PeakFunction> all =
          row.peaks.count > 0 ? row.peaks : Variants<PeakFunction>{&row.peak, 1};
      for (const PeakFunction& peak : all) {
        CAPTURE(peak.accumulators);
        body(isa, row, peak);
      }
    }
  }
}

TEST_CASE("every peak kernel does exactly as many ops as it was asked for") {
  for (const std::string& sentence : tables_left_out()) MESSAGE(sentence);
  for_each_peak_row([](const Isa& isa, const Row& row, const PeakFunction& peak) {
    const Operands operands = operands_of(row.op, row.dtype);
    for (const PeakStart start : every_start) {
      for (const std::uint64_t repeat : {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 15, 16, 17, 100}) {
        const Expected expected =
            peak_reference(isa, row, peak, repeat, operands.a, operands.b, start);
        const double got = peak.run(repeat, operands.a, operands.b, start);
        CAPTURE(repeat);
        CAPTURE(got);
        CAPTURE(expected.value);
        CHECK(std::fabs(got - expected.value) <= expected.error);
      }
    }
  });
}

TEST_CASE("the reference of a peak tells one op more or less apart") {
  for_each_peak_row([](const Isa& isa, const Row& row, const PeakFunction& peak) {
    // As for the check before a measurement: fp16 sums stand still under the timed operands.
    const Case few{.ops = row.op, .dtype = row.arithmetic, .repeat = 4};
    const Operands operands = row.summing == Summing::dots
                                  ? operands_of(row.op, row.dtype)
                                  : counting_operands(few, {row.arithmetic});
    const auto reference = [&](std::uint64_t repeat, PeakStart start) {
      return peak_reference(isa, row, peak, repeat, operands.a, operands.b, start);
    };
    const Expected expected = reference(4, PeakStart::random);
    for (const std::uint64_t repeat : {3, 5}) {
      const Expected other = reference(repeat, PeakStart::random);
      CHECK(std::fabs(other.value - expected.value) > expected.error);
    }
    if (row.units != Units::matrix) return;
    const Expected many = reference(101, PeakStart::integers);
    CHECK(many.error == 0);
    CHECK(many.value != reference(100, PeakStart::integers).value);
  });
}

TEST_CASE("a matrix peak that leaves out the products after its unrolled loop does not pass") {
  const Abilities none{.features = {}, .amx = false, .why_no_amx = "not asked for"};
  const Isa model = tile_amx_model();
  for (std::size_t i = 0; i < model.count; ++i) {
    if (model.rows[i].family != Family::peak) continue;
    static Row row;
    static PeakFunction right;
    row = model.rows[i];
    right = row.peak;
    const Case c{.family = Family::peak, .dtype = row.dtype, .units = Units::matrix};
    CAPTURE(describe(c));
    const auto verified = [&] {
      CpuDevice device("/", {allowed_processors().front()}, none,
                       Selection(none, {{"test", &row, 1}}));
      return device.prepare(c, {})->verify({}).ok;
    };
    CHECK(verified());
    row.peak.run = [](std::uint64_t repeat, double a, double b, PeakStart start) {
      return right.run(repeat < 4 ? repeat : repeat / 4 * 4, a, b, start);
    };
    CHECK_FALSE(verified());
  }
}

TEST_CASE("peak values stay finite over long runs") {
  for_each_peak_row([](const Isa&, const Row& row, const PeakFunction& peak) {
    const Operands operands = operands_of(row.op, row.dtype);
    const std::uint64_t repeat = row.units == Units::matrix ? 64 : 20 * max_repeat;
    CHECK(std::isfinite(peak.run(repeat, operands.a, operands.b, PeakStart::random)));
  });
}

TEST_CASE("a peak kernel counts whole registers of whole chains") {
  for_each_peak_row([](const Isa&, const Row& row, const PeakFunction& peak) {
    CHECK(peak.chains > 0);
    const std::uint64_t tile = tile_elements(row.dtype);
    CHECK(row.peak.chains > 0);
    if (row.units == Units::matrix) CHECK(peak.chains == 2 * tile);
  });
}

}  // namespace
}  // namespace kernels::cpu
