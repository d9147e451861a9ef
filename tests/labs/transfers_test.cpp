// The lab `transfers`: its verdict on links and pages that a test decides.
#include <doctest/doctest.h>

#include <set>
#include <string>

#include "kernels/families/transfer/transfer.hpp"
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

TEST_CASE("transfers: pinned memory stands beside the link that the device states") {
  Made gpu = made(true, rate_of_h200);
  gpu.session.device.link_rate = 63e9;
  const VerdictRow to =
      row(gpu.verdict(), "pinned to GPU, of the 63.0 GB/s that its PCIe link can move each way");
  CHECK(to.here->median == doctest::Approx(55.3 / 63).epsilon(0.001));
  CHECK(to.says == Says::not_yet);
  const std::vector<Chart> charts =
      find_lab("transfers")->charts(results_of("transfers", gpu.session));
  REQUIRE(charts.front().curves.size() == 1);
  CHECK(charts.front().curves.front().y == std::vector<double>{63e9, 63e9});
  CHECK(charts.front().curves.front().x == std::vector<double>{1024, 64 << 20});
  gpu.session.device.link_rate = 0;
  for (const VerdictRow& one : gpu.verdict().rows) CHECK_FALSE(contains(one.what, "link"));
}

TEST_CASE("transfers: memory of another node stands beside that of its own") {
  Made cpu = made(false, rate_of_cpu);
  Point remote;
  for (const Point& point : cpu.session.points)
    if (kernels::transfer_of(point.what) == Transfer::copy) remote = point;
  remote.what = kernels::transfer_case(Transfer::remote_copy, remote.what.elements);
  for (double* each : {&remote.seconds.median, &remote.seconds.low, &remote.seconds.high})
    *each *= 1.5;
  for (double& sample : remote.seconds.samples) sample *= 1.5;
  remote.id = id_of(remote);
  cpu.session.points.push_back(remote);
  CHECK(row(cpu.verdict(), "memcpy from another memory node takes").here->median ==
        doctest::Approx(1.5));
}

TEST_CASE("transfers: another GPU and another memory node are asked for where there are some") {
  const auto asks = [](const char* kind, const char* peer, int nodes) {
    Place place;
    place.info.id = place.info.kind = kind;
    place.info.peer = peer;
    place.info.memory_nodes = nodes;
    place.free_bytes = 64e9;
    std::set<Transfer> asked;
    const Session session;
    for (const Ask& ask :
         find_lab("transfers")->plan({}, place, results_of("transfers", session)).asks)
      asked.insert(kernels::transfer_of(ask.what));
    return asked;
  };
  CHECK_FALSE(asks("cuda", "", 1).contains(Transfer::to_peer));
  CHECK(asks("cuda", "cuda:1", 1).contains(Transfer::to_peer));
  CHECK_FALSE(asks("cpu", "", 1).contains(Transfer::remote_copy));
  CHECK(asks("cpu", "", 2).contains(Transfer::remote_copy));
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
