#include <doctest/doctest.h>

#include <cmath>

#include "kernels/cpu/peak_reference.hpp"
#include "kernels/reference.hpp"
#include "tile_tables.hpp"

namespace kernels::cpu {
namespace {

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
    for (const std::uint64_t repeat : {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 15, 16, 17, 100}) {
      const PeakReference expected = peak_reference(isa, row, peak, repeat, operands.a, operands.b);
      const double got = peak.run(repeat, operands.a, operands.b);
      CAPTURE(repeat);
      CAPTURE(got);
      CAPTURE(expected.value);
      CHECK(std::fabs(got - expected.value) <= expected.tolerance);
    }
  });
}

TEST_CASE("the reference of a peak tells one op more or less apart") {
  for_each_peak_row([](const Isa& isa, const Row& row, const PeakFunction& peak) {
    const Operands operands = operands_of(row.op, row.dtype);
    const PeakReference expected = peak_reference(isa, row, peak, 4, operands.a, operands.b);
    for (const std::uint64_t repeat : {3, 5}) {
      const PeakReference other = peak_reference(isa, row, peak, repeat, operands.a, operands.b);
      CHECK(std::fabs(other.value - expected.value) > expected.tolerance);
    }
  });
}

TEST_CASE("peak values stay finite over long runs") {
  for_each_peak_row([](const Isa&, const Row& row, const PeakFunction& peak) {
    const Operands operands = operands_of(row.op, row.dtype);
    const std::uint64_t repeat = row.units == Units::matrix ? 64 : 20 * max_repeat;
    CHECK(std::isfinite(peak.run(repeat, operands.a, operands.b)));
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
