// The CPU as a device, on the cores and instruction sets of this machine.
#include <doctest/doctest.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <set>
#include <thread>

#include "kernels/backends.hpp"
#include "kernels/cpu/machine/processor.hpp"
#include "kernels/cpu/machine/topology.hpp"
#include "kernels/cpu/trials/device.hpp"
#include "kernels/families/tile/tile.hpp"

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
      cases.push_back({.family = family, .ops = row.op, .dtype = row.dtype, .units = row.units});
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
        if (family == Family::chain && c.op() != Op::fma) continue;
        c.elements = 36'000'007 / size_of(c.dtype);
        c.repeat = 1;
        check_verifies(device, c);
      }
    }
  }
}

TEST_CASE("streams move every byte at any size, in every pass") {
  for (CpuDevice* device : devices_by_table()) {
    for (Case c : cases_of(*device, Family::stream)) {
      for (const std::uint64_t elements : {1, 63, 128, 5001, 100'003}) {
        for (const std::uint64_t repeat : {std::uint64_t{1}, std::uint64_t{3}, max_repeat}) {
          if (elements * repeat > 10'000'000) continue;
          c.elements = elements;
          c.repeat = repeat;
          check_verifies(*device, c);
        }
      }
    }
  }
}

/// body(case) for every shape on the axes of `c`.
template <class Body>
void for_each_shape(const std::vector<ShapeAxis>& axes, Case c, Body body) {
  if (c.shape.size() == axes.size()) return body(c);
  const ShapeAxis& axis = axes[c.shape.size()];
  c.shape.push_back({axis.name, {}});
  for (const std::string& value : axis.values) {
    c.shape.back().value = value;
    for_each_shape(axes, c, body);
  }
}

/// How many combinations of these axes are built, counted in the tables.
std::size_t built_shapes(const Selection& selection, const Case& c,
                         const std::vector<ShapeAxis>& axes) {
  if (axes.empty()) return 1;
  const auto values = [&](std::string_view name) {
    const auto axis = std::ranges::find(axes, name, &ShapeAxis::name);
    return axis == axes.end() ? std::size_t{1} : axis->values.size();
  };
  std::size_t built = 0;
  for (const Choice* choice : selection.find_all(c)) {
    std::set<int> chains;
    for (const PeakFunction& peak : choice->row.peaks) chains.insert(peak.accumulators);
    built += chains.size();
    for (const StreamVariant& variant : choice->row.streams) {
      built += values("threads") * (variant.prefetch ? values("prefetch") - 1 : 1);
    }
  }
  if (c.family != Family::stream || c.op() != Op::copy || string_copy() == nullptr) return built;
  std::size_t by_string = 1;  // whatever the other axes say
  for (const ShapeAxis& axis : axes) by_string *= axis.name == "stores" ? 1 : axis.values.size();
  return built + by_string;
}

/// That a trial names the instruction set that was chosen.
void check_note(Trial& trial, const Case& shaped) {
  for (const ShapeChoice& choice : shaped.shape) {
    if (choice.axis != "width") continue;
    const std::string note = trial.run({}).note;
    CHECK((note.starts_with("rep movsb") || note.starts_with(choice.value)));
  }
}

/// A made-up machine: the files below its root.
class MadeUpRoot {
 public:
  explicit MadeUpRoot(const char* name)
      : path_(std::filesystem::temp_directory_path() /
              (std::string("ridgepoint_") + name + "_" + std::to_string(getpid()))) {}
  ~MadeUpRoot() { std::filesystem::remove_all(path_); }
  MadeUpRoot(const MadeUpRoot&) = delete;
  MadeUpRoot& operator=(const MadeUpRoot&) = delete;

  const std::filesystem::path& path() const { return path_; }
  void of_processor(int processor, const char* file, const char* text) const {
    const auto full = path_ / ("sys/devices/system/cpu/cpu" + std::to_string(processor)) / file;
    std::filesystem::create_directories(full.parent_path());
    std::ofstream(full) << text;
  }
  /// A last-level cache in which hardly anything fits.
  void with_tiny_cache(int processor) const {
    of_processor(processor, "cache/index0/level", "3");
    of_processor(processor, "cache/index0/type", "Unified");
    of_processor(processor, "cache/index0/size", "16K");
  }

 private:
  std::filesystem::path path_;
};

TEST_CASE("every shape of every stream and peak kernel computes what the reference does") {
  // Beyond the caches all axes exist.
  const MadeUpRoot root("caches");
  root.with_tiny_cache(cores().front());
  const Selection selection(abilities());
  CpuDevice device(root.path(), cores(), abilities(), selection);
  REQUIRE(device.info().last_level_cache() == 16384);
  for (const Family family : {Family::stream, Family::peak}) {
    for (Case c : cases_of(device, family)) {
      c.elements = family == Family::peak ? 0 : 40'003;
      const std::vector<ShapeAxis> axes = device.shape_axes(c);
      CHECK((c.units == Units::matrix || !axes.empty()));
      std::size_t run = 0;
      for_each_shape(axes, c, [&](const Case& shaped) {
        try {
          const auto trial = device.prepare(shaped, {});
          CAPTURE(describe(shaped));
          CHECK(trial->verify({}).ok);
          check_note(*trial, shaped);
          ++run;
        } catch (const Unsupported&) {  // not every combination is built
        }
      });
      CAPTURE(describe(c));
      CHECK(run == built_shapes(selection, c, axes));
    }
  }
}

TEST_CASE("cores of unequal speed take pieces from a queue, and every kernel stays right") {
  const MadeUpRoot root("hybrid");
  root.of_processor(0, "cpu_capacity", "1024");
  root.of_processor(1, "cpu_capacity", "500");
  root.with_tiny_cache(0);
  CpuDevice device(root.path(), {0, 1}, abilities(), Selection(abilities()));
  CHECK(device.info().slow_cores == 1);
  const auto check = [&](const Case& c) {
    CAPTURE(describe(c));
    const auto trial = device.prepare(c, {});
    const Check result = trial->verify({});
    CAPTURE(result.why);
    CHECK(result.ok);
    CHECK(trial->run({}).seconds > 0);
  };
  for (Case c : cases_of(device, Family::chain)) {
    c.elements = 100'003;
    c.repeat = 7;
    check(c);
  }
  for (Case c : cases_of(device, Family::tile)) {
    c.elements = 13 * tile_elements(c.dtype);
    c.repeat = 5;
    check(c);
  }
  for (Case c : cases_of(device, Family::stream)) {
    for (const std::uint64_t elements : {1'000, 100'003}) {  // in the cache, and beyond
      c.elements = elements;
      c.repeat = 3;
      check(c);
    }
  }
  for (const Case& c : cases_of(device, Family::peak)) {
    check(c);
    const auto axes = device.shape_axes(c);
    CHECK(std::ranges::count(axes, "work", &ShapeAxis::name) == 1);
  }
}

TEST_CASE("a shape that does not exist is refused with those that do") {
  CpuDevice device("/", cores(), abilities(), Selection(abilities()));
  const auto refusal = [&](Case c, const ShapeChoice& choice) {
    c.shape = {choice};
    try {
      device.prepare(c, {});
    } catch (const Unsupported& why) {
      return std::string(why.what());
    }
    return std::string("it runs");
  };
  const Case peak{.family = Family::peak};
  const Case read{.family = Family::stream, .ops = Op::read, .elements = 1000};
  CHECK(refusal(peak, {"chains", "5"}).find("chains 5: expected one of 12, 8") == 0);
  CHECK(refusal(peak, {"stores", "ordinary"}).find("stores ordinary: the CPU has no such") == 0);
  CHECK(refusal(read, {"prefetch", "3 KiB"}).find("prefetch 3 KiB: the CPU has no such") == 0);
  CHECK(refusal(read, {"registers", "8"}) == "it runs");
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
