// The CPU as a device, on the cores and instruction sets of this machine.
#include <doctest/doctest.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <thread>

#include "kernels/backends.hpp"
#include "kernels/cpu/amx.hpp"
#include "kernels/cpu/device.hpp"
#include "kernels/cpu/topology.hpp"

using namespace kernels;
using namespace kernels::cpu;

namespace {

Abilities abilities() {
  Abilities here{.features = processor_features(), .amx = false, .why_no_amx = {}};
  here.amx = amx_usable(here.why_no_amx);
  return here;
}

std::vector<int> cores() { return one_per_core("/", allowed_processors()); }

/// A device for each table of this machine alone.
std::vector<CpuDevice*> devices_by_table() {
  static std::vector<std::unique_ptr<CpuDevice>> devices;
  if (devices.empty()) {
    for (const Isa& isa : usable_tables(abilities())) {
      devices.push_back(
          std::make_unique<CpuDevice>("/", cores(), abilities(), Selection(abilities(), {isa})));
    }
  }
  std::vector<CpuDevice*> result;
  for (const auto& device : devices) result.push_back(device.get());
  return result;
}

/// Every case of a family that `device` runs, at some size.
std::vector<Case> cases_of(const Device& device, Family family) {
  std::vector<Case> cases;
  for (const Kernel& row : device.kernels()) {
    if (row.runs && row.family == family) {
      cases.push_back({.family = family, .op = row.op, .dtype = row.dtype, .units = row.units});
    }
  }
  return cases;
}

void check_verifies(Device& device, const Case& c) {
  CAPTURE(device.info().compute_capability);
  CAPTURE(describe(c));
  const Check check = device.prepare(c, {})->verify({});
  CAPTURE(check.why);
  CHECK(check.ok);
}

}  // namespace

TEST_CASE(
    "every chain of every instruction set here computes what the reference does, at any size") {
  for (CpuDevice* device : devices_by_table()) {
    for (Case c : cases_of(*device, Family::chain)) {
      for (const Fusion fusion : {Fusion::fused, Fusion::unfused}) {
        c.fusion = fusion;
        for (const std::uint64_t elements : {1, 383, 384, 1153, 5007}) {
          for (const std::uint64_t repeat : {1, 2, 31}) {
            c.elements = elements;
            c.repeat = repeat;
            check_verifies(*device, c);
          }
        }
      }
    }
  }
}

TEST_CASE("the longest chains compute what the reference does") {
  for (CpuDevice* device : devices_by_table()) {
    for (Case c : cases_of(*device, Family::chain)) {
      c.elements = 100;
      c.repeat = max_repeat;
      check_verifies(*device, c);
      c.fusion = Fusion::unfused;
      check_verifies(*device, c);
    }
  }
}

TEST_CASE("kernels for data beyond the caches write every element too") {
  // Stores past the caches begin where the working set is larger than the last-level cache.
  for (const Isa& isa : usable_tables(abilities())) {
    CpuDevice device("/nowhere", cores(), abilities(), Selection(abilities(), {isa}));
    REQUIRE(device.info().last_level_cache() == 0);  // hence a guess of 32 MiB
    for (const Family family : {Family::chain, Family::stream}) {
      for (Case c : cases_of(device, family)) {
        if (family == Family::chain && c.op != Op::fma) continue;
        c.elements = 36'000'007 / size_of(c.dtype);
        c.repeat = 1;
        check_verifies(device, c);
      }
    }
  }
}

TEST_CASE("streams move every byte at any size") {
  for (CpuDevice* device : devices_by_table()) {
    for (Case c : cases_of(*device, Family::stream)) {
      for (const std::uint64_t elements : {1, 63, 128, 5001, 100'003}) {
        c.elements = elements;
        check_verifies(*device, c);
      }
    }
  }
}

TEST_CASE("tiles, fused and unfused, and peaks agree with their references") {
  for (CpuDevice* device : devices_by_table()) {
    for (Case c : cases_of(*device, Family::tile)) {
      for (const std::uint64_t tiles : {1, 2, 13}) {
        for (const Fusion fusion : {Fusion::fused, Fusion::unfused}) {
          c.fusion = fusion;
          c.elements = tiles * tile_elements(c.dtype);
          c.repeat = 5;
          check_verifies(*device, c);
        }
      }
    }
    for (Case c : cases_of(*device, Family::peak)) {
      c.repeat = 1;
      check_verifies(*device, c);
    }
  }
}
