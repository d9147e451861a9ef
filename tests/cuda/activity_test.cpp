// What NVML tells of all that runs on an emulated GPU.
#include <doctest/doctest.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "kernels/counted.hpp"
#include "tests/cuda/fakes/emulated.hpp"
#include "tests/cuda/fakes/libraries/fake_nvml.hpp"
#include "tests/kernels/tool_on_path.hpp"

using namespace kernels;

namespace {

const Value* value(const Activity& activity, std::string_view name) {
  for (const Value& one : activity.counted)
    if (one.name == name) return &one;
  return nullptr;
}

/// A machine whose NVML counts so.
struct Counting {
  explicit Counting(const fake_nvml::State& state) {
    fake_nvml::state() = state;
    fake_nvml::install();
  }
  ~Counting() { fake_nvml::state() = {}; }
};

double half_of_dram(unsigned metric, double, double) {
  if (metric == 10) return 50;
  if (metric == 20) return 100;
  return metric == 12 ? NAN : 1;
}

}  // namespace

TEST_CASE("the counters of a GPU are read window by window, by name and in SI units") {
  const Counting nvml({.counted = half_of_dram, .gpu_util = 97});
  {
    Emulated emulated;
    const auto reader = emulated.gpu().activity(Counters::any);
    CHECK(reader->why_not() == "");
    CHECK_FALSE(reader->read());  // too young
    fake_cuda::pass(0.25);
    const std::optional<Activity> activity = reader->read();
    REQUIRE(activity);
    CHECK(activity->seconds >= 0.25);
    CHECK(value(*activity, counted::dram)->value == doctest::Approx(0.5));
    CHECK(value(*activity, counted::pcie_sent)->value == doctest::Approx(100.0 * (1 << 20)));
    CHECK(value(*activity, counted::fp32) == nullptr);  // no number
    CHECK(value(*activity, counted::any_kernel)->value == doctest::Approx(0.97));
    CHECK(activity->conditions.clock_hz == 1980e6);
    CHECK(fake_cuda::state().started.empty());  // nothing was launched
    CHECK(fake_nvml::state().samples_held == 2);
  }
  CHECK(fake_nvml::state().samples_held == 0);
}

TEST_CASE("a window begins where the last one ended") {
  double from = 0, to = 0;
  const Counting nvml({.counted = [&](unsigned, double begin, double end) {
    from = begin;
    to = end;
    return 1.0;
  }});
  Emulated emulated;
  const auto reader = emulated.gpu().activity(Counters::any);
  fake_cuda::pass(0.2);
  REQUIRE(reader->read());
  const double end = to;
  fake_cuda::pass(0.3);
  REQUIRE(reader->read());
  CHECK(from == end);
  CHECK(to - from == doctest::Approx(0.3).epsilon(0.1));
}

TEST_CASE("under a power limit the clock of a window is the mean of the looks in it") {
  constexpr unsigned long long power_cap = 4;
  const Counting nvml({.clock_mhz = 1500, .reasons = power_cap, .counted = half_of_dram});
  Emulated emulated;
  const auto reader = emulated.gpu().activity(Counters::any);
  fake_cuda::pass(0.2);
  CHECK(reader->read()->conditions.power_limited == true);
  for (const unsigned mhz : {1200U, 1300U, 1400U}) {
    fake_nvml::state().clock_mhz = mhz;
    reader->look();
  }
  fake_nvml::state().clock_mhz = 1500;
  fake_cuda::pass(0.2);
  CHECK(*reader->read()->conditions.clock_hz == doctest::Approx(1350e6));
  fake_cuda::pass(0.2);
  CHECK(*reader->read()->conditions.clock_hz == 1500e6);  // nothing of the window before
}

TEST_CASE("each process on a GPU has its name and its memory, and other users' are numbers") {
  const auto own = static_cast<unsigned>(getpid());
  const Counting nvml(
      {.running = {own, 4'000'000}, .memory = 12'000'000'000, .counted = half_of_dram});
  Emulated emulated;
  const auto reader = emulated.gpu().activity(Counters::any);
  fake_cuda::pass(0.2);
  const std::optional<Activity> activity = reader->read();
  REQUIRE(activity);
  std::vector<Value> memory;
  for (const Value& one : activity->counted)
    if (one.name.starts_with(counted::memory_prefix)) memory.push_back(one);
  REQUIRE(memory.size() == 2);
  CHECK(memory[0].name.find(std::to_string(own)) != std::string::npos);
  CHECK(memory[0].value == 12e9);
  CHECK(memory[1].name.find("process 4000000") != std::string::npos);

  fake_nvml::state().running = {4'000'000, 4'000'001, 4'000'002, 4'000'003, 4'000'004};
  fake_cuda::pass(1);
  const std::vector<Value> counted = reader->read()->counted;
  CHECK(std::ranges::count(counted, Value{"memory of 2 more processes", 24e9}) == 1);
}

TEST_CASE("where NVML has no counters, those of DCGM are read from its tool") {
  const Counting nvml({.gpu_util = 40});
  // Of GPU 3; N/A is not told; a line of another kind, or one that was cut off, does not count.
  const ToolOnPath tool(
      "dcgmi",
      "printf '#Entity   SMACT  SMOCC  TENSO  DRAMA  FP64A  FP32A  FP16A  PCITX  PCIRX\\nID\\n'\n"
      "printf 'GPU 3     0.900  0.500  0.300  0.200  0.000  0.010  N/A    1000   2000\\n'\n"
      "printf 'GPU 3     0.700  0.500  0.100  0.400  0.000  0.010  N/A    3000   2000\\n'\n"
      "printf 'GPU 3     0.1 GPU 3 0.2 0.2\\n'\n"
      "exec sleep 1000\n");
  Emulated emulated;
  const auto reader = emulated.gpu().activity(Counters::any);
  CHECK(reader->why_not() == "");
  fake_cuda::pass(0.2);
  std::optional<Activity> activity = reader->read();
  REQUIRE(activity);
  // The first line may have come alone.
  while (value(*activity, counted::busy) == nullptr) {
    fake_cuda::pass(0.2);
    activity = reader->read();
  }
  CHECK(value(*activity, counted::busy)->value == doctest::Approx(0.8).epsilon(0.13));
  CHECK(value(*activity, counted::pcie_received)->value == 2000);
  CHECK(value(*activity, counted::fp16) == nullptr);
  CHECK(value(*activity, counted::any_kernel)->value == doctest::Approx(0.4));
}

TEST_CASE("DCGM that refuses is named with what its tool said, and measuring never starts it") {
  const Counting nvml({.gpu_util = 40});
  const ToolOnPath tool(
      "dcgmi", "echo 'Error: unable to establish a connection to the specified host'; exit 1\n");
  Emulated emulated;
  const std::string why = emulated.gpu().activity(Counters::any)->why_not();
  CHECK(why.find("exist from Hopper on") != std::string::npos);
  CHECK(why.find("unable to establish a connection") != std::string::npos);
  CHECK(emulated.gpu().activity(Counters::at_once)->why_not().find("DCGM") == std::string::npos);
}

TEST_CASE("a GPU without counters tells of clocks and GPU-Util, and why there is no more") {
  const Counting nvml({.gpu_util = 40});
  const ToolOnPath tool("dcgmi", "exit 1\n");  // whatever is installed here
  Emulated emulated;
  const auto reader = emulated.gpu().activity(Counters::any);
  CHECK(
      reader->why_not() ==
      "this GPU has no counters that NVML can read: they exist from Hopper on; those of DCGM need "
      "its host engine: dcgmi says: it ended without a word");
  fake_cuda::pass(0.25);
  const std::optional<Activity> activity = reader->read();
  REQUIRE(activity);
  REQUIRE(activity->counted.size() == 1);
  CHECK(value(*activity, counted::any_kernel)->value == doctest::Approx(0.4));
}

TEST_CASE("without NVML, and on a CPU, there is nothing to read, and a sentence says why") {
  Emulated emulated;
  CHECK_THROWS_WITH_AS(static_cast<void>(emulated.gpu().activity(Counters::any)),
                       doctest::Contains("NVML (libnvidia-ml.so.1) was not found"), Unsupported);
}

TEST_CASE("a sample that is refused ends the reading with the reason") {
  const Counting nvml({.counted = half_of_dram});
  Emulated emulated;
  const auto reader = emulated.gpu().activity(Counters::any);
  fake_cuda::pass(0.25);
  fake_nvml::state().gpm = 15;  // NVML_ERROR_GPU_IS_LOST
  CHECK_THROWS_WITH_AS(static_cast<void>(reader->read()),
                       "NVML refuses a sample of its counters (Insufficient Permissions)",
                       Unsupported);
}
