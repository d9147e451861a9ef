// The lab `transfers`: its verdict on links and pages that a test decides.
#include <doctest/doctest.h>

#include <string>

#include "kernels/families/transfer.hpp"
#include "tests/engine/made_results.hpp"
#include "tests/text.hpp"

using namespace engine;
using kernels::Family;
using kernels::Transfer;
using test::Made;
using test::row;
using tests::contains;

namespace {

/// An H200 by PyTorch: 17.7 and 13.6 GB/s from pageable memory, 55.3 and 55.1 from pinned.
double rate_of_h200(Transfer transfer) {
  switch (transfer) {
    case Transfer::to_pageable:
      return 17.7e9;
    case Transfer::from_pageable:
      return 13.6e9;
    case Transfer::to_pinned:
      return 55.3e9;
    default:
      return 55.1e9;
  }
}

double rate_of_cpu(Transfer transfer) {
  switch (transfer) {
    case Transfer::fresh:
      return 2e9;
    case Transfer::fresh_huge:
      return 6e9;
    default:
      return 12e9;
  }
}

template <class Rate>
Made made(bool gpu, Rate rate) {
  const std::vector<kernels::Kernel> kernels{{.family = Family::transfer, .op = kernels::Op::copy}};
  return Made(
      "transfers",
      [&](Point& point) {
        const double of = rate(kernels::transfer_of(point.what));
        if (kernels::transfer_of(point.what) == Transfer::fresh)
          point.values = {{std::string(kernels::page_value), 4096}};
        return of > 0 ? point.work.bytes / of : 0;
      },
      gpu ? kernels : std::vector<kernels::Kernel>{});
}

}  // namespace

TEST_CASE("transfers: the claim holds where pinned memory is faster each way") {
  const LabVerdict verdict = made(true, rate_of_h200).verdict();
  CHECK(verdict.says == Says::holds);
  CHECK(verdict.headline ==
        "To the GPU, pinned memory moves 3.12x as fast as pageable memory: 55.3 GB/s.");
  CHECK(row(verdict, "from the GPU by, 64 MiB").here->median ==
        doctest::Approx(55.1 / 13.6).epsilon(0.001));
  CHECK(row(verdict, "pinned both ways").here->median == doctest::Approx(55.1e9));
}

TEST_CASE("transfers: the claim does not hold where the driver's own copy costs nothing") {
  const LabVerdict verdict = made(true, [](Transfer) { return 20e9; }).verdict();
  CHECK(verdict.says == Says::differs);
  CHECK(verdict.headline ==
        "To the GPU, pinned memory moves only 1x as fast as pageable memory: 20.0 GB/s.");
}

TEST_CASE("transfers: where one way differs, the headline speaks of that way") {
  const LabVerdict verdict = made(true, [](Transfer one) {
                               return one == Transfer::from_pinned ? 13.7e9 : rate_of_h200(one);
                             }).verdict();
  CHECK(verdict.says == Says::differs);
  CHECK(verdict.headline ==
        "From the GPU, pinned memory moves only 1.01x as fast as pageable memory: 13.7 GB/s.");
}

TEST_CASE("transfers: on a CPU the price of a fresh page is what it takes beyond the write") {
  const LabVerdict verdict = made(false, rate_of_cpu).verdict();
  CHECK(verdict.says == Says::holds);
  CHECK(contains(verdict.headline, "Pages written before are written 6x as fast as pages"));
  CHECK(row(verdict, "a page of 4 KiB").here->median ==
        doctest::Approx(4096 / 2e9 - 4096 / 12e9).epsilon(0.001));
}

TEST_CASE("transfers: without the two sides of a comparison there is no verdict") {
  const LabVerdict verdict =
      made(true, [](Transfer one) { return one == Transfer::to_mapped ? 20e9 : 0; }).verdict();
  CHECK(verdict.says == Says::cannot_say);
  CHECK(contains(verdict.headline, "Measure one size from pageable and from pinned memory"));
}

TEST_CASE("transfers: huge pages are asked for where they fit, and sizes are whole granules") {
  const Made all = made(false, rate_of_cpu);
  for (const Point& point : all.session.points) {
    CHECK(point.what.elements % kernels::transfer_granule == 0);
    if (kernels::transfer_of(point.what) == Transfer::fresh_huge)
      CHECK(point.what.elements >= 2 << 20);
  }
}
