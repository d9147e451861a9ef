// What the device tells of its state around a measurement, on an emulated machine.
#include <doctest/doctest.h>
#include <unistd.h>

#include "kernels/cuda/libraries/nvml.hpp"
#include "tests/cuda/fakes/emulated.hpp"
#include "tests/cuda/fakes/libraries/fake_nvml.hpp"

using namespace kernels;

namespace {

// A machine with NVML in a state of the test's choice.
Conditions conditions_with(const fake_nvml::State& state) {
  fake_nvml::state() = state;
  fake_nvml::install();
  Emulated emulated;
  emulated.gpu().watch();
  return emulated.gpu().conditions();
}

}  // namespace

TEST_CASE("clocks, power, temperature and throttle reasons come from NVML") {
  const Conditions now = conditions_with({});
  CHECK(now.clock_hz == 1980e6);
  CHECK(now.memory_clock_hz == 3201e6);
  CHECK(now.power_w == 350);
  CHECK(now.temperature_c == 41);
  CHECK(now.throttled == false);
  CHECK(now.note == "");
  const Conditions slowed = conditions_with({.reasons = 0x4 | 0x20 | 0x1});
  CHECK(slowed.throttled == true);
  CHECK(slowed.note == "clocks lowered: power limit, thermal limit");
}

TEST_CASE("a power limit is told apart from heat and a power brake") {
  const Conditions limited = conditions_with({.reasons = 0x4 | 0x1});
  CHECK(limited.power_limited == true);
  CHECK(limited.throttled == false);
  CHECK(limited.note == "clocks lowered: power limit");
  for (const unsigned long long disturbance : {0x8ULL, 0x20ULL, 0x40ULL, 0x80ULL}) {
    const Conditions heat = conditions_with({.reasons = disturbance});
    CHECK(heat.power_limited == false);
    CHECK(heat.throttled == true);
  }
}

TEST_CASE("power is an average where energy is counted, and not of a time in which nobody asked") {
  fake_nvml::state() = {.watts = 500};
  fake_nvml::install();
  Emulated emulated;
  Device& gpu = emulated.gpu();
  gpu.open();
  CHECK(*gpu.conditions().power_w == 350);
  fake_cuda::pass(0.25);
  CHECK(*gpu.conditions().power_w == doctest::Approx(500).epsilon(0.01));
  fake_cuda::pass(0.12);
  CHECK(*gpu.conditions().power_w == doctest::Approx(500).epsilon(0.01));
  fake_cuda::pass(10);
  CHECK(*gpu.conditions().power_w == 350);
}

TEST_CASE("sensors are read ten times a second at most, however often somebody asks") {
  fake_nvml::state() = {};
  fake_nvml::install();
  Emulated emulated;
  Device& gpu = emulated.gpu();
  gpu.open();
  fake_nvml::state().celsius = 60;
  CHECK(gpu.conditions().temperature_c == 41);
  fake_cuda::pass(0.11);
  CHECK(gpu.conditions().temperature_c == 60);
}

TEST_CASE("the free memory of a GPU that is not open is what NVML tells") {
  fake_nvml::state() = {.free_bytes = 12345};
  fake_nvml::install();
  Emulated emulated;
  CHECK(emulated.gpu().free_bytes() == 12345);
  // Of a slice NVML tells what is free of the whole GPU.
  fake_nvml::state().free_bytes = 1ULL << 40;
  CHECK(emulated.gpu().free_bytes() == fake_cuda::state().memory_bytes);
  fake_nvml::state().free_bytes = 12345;
  fake_nvml::state().every = 4;
  CHECK(emulated.gpu().free_bytes() == fake_cuda::state().memory_bytes);
  emulated.gpu().open();
  fake_nvml::state().every = 0;
  CHECK(emulated.gpu().free_bytes() != 12345);
}

namespace {

/// What a visit of this many runs tells, with others who have the GPU for `turn` s before each.
Conditions beside_others(Emulated& emulated, double turn, double run_seconds, int runs = 5) {
  fake_cuda::state().launch_seconds = run_seconds;
  const auto trial = emulated.gpu().prepare({.elements = 100}, {});
  trial->run({});
  fake_cuda::state().turn_of_others = turn;
  emulated.gpu().watch();
  for (int i = 0; i < runs; ++i) trial->run({});
  fake_cuda::state().turn_of_others = 0;
  return emulated.gpu().conditions();
}

}  // namespace

TEST_CASE("who takes turns on the GPU is named, and the share of the time that they took") {
  fake_nvml::state() = {.running = {static_cast<unsigned>(getpid()), 1, 4'000'000}};
  fake_nvml::install();
  Emulated emulated;
  const Conditions alone = beside_others(emulated, 0, 2e-3);
  CHECK(*alone.other_load == 0);
  CHECK(alone.others == "");
  const Conditions shared = beside_others(emulated, 2e-3, 2e-3);
  CHECK(*shared.other_load == doctest::Approx(0.5).epsilon(0.05));
  CHECK(shared.others.find("(process 1)") != std::string::npos);
  CHECK(shared.others.ends_with(", process 4000000"));
}

TEST_CASE("turns of others leave runs of 1 ms whole, and that is said") {
  fake_nvml::state() = {.running = {static_cast<unsigned>(getpid()), 4'000'000}};
  fake_nvml::install();
  Emulated emulated;
  const Conditions shared = beside_others(emulated, 2e-3, 1e-3);
  CHECK(*shared.other_load == 0);
  CHECK(shared.note == "shared with process 4000000; runs of 1 ms and less stay whole");
  // But not their clock, where the load of others brings the GPU to its power limit.
  fake_nvml::state().reasons = 0x4;
  fake_cuda::pass(0.2);
  CHECK(*beside_others(emulated, 2e-3, 1e-3).other_load > 0.5);
}

TEST_CASE("others that NVML does not show take turns, too") {
  fake_nvml::state() = {
      .running = {4'000'001, 4'000'000}};  // of the host: this process is not among them
  fake_nvml::install();
  Emulated emulated;
  CHECK(beside_others(emulated, 2e-3, 2e-3).others ==
        "programs that NVML does not show (in a container, for example)");
}

TEST_CASE("under MPS the load of others is what NVML tells, by the new call and by the old one") {
  const auto own = static_cast<unsigned>(getpid());
  for (const bool old_calls : {false, true}) {
    CAPTURE(old_calls);
    fake_nvml::state() = {.old_calls = old_calls};
    fake_nvml::install();
    Emulated emulated(fake_cuda::State{.mps = true});
    Device& gpu = emulated.gpu();
    gpu.open();
    auto& samples = fake_nvml::state().samples;
    const auto told = [&] {
      fake_cuda::pass(0.2);
      return gpu.conditions().other_load;
    };
    samples = {{own + 1, 10, 90, 0, 0, 0}};
    CHECK_FALSE(told().has_value());
    samples.insert(samples.end(), {{own, 20, 60, 0, 0, 0}, {own + 1, 20, 10, 0, 0, 0}});
    samples.insert(samples.end(), {{own, 30, 80, 0, 0, 0}, {own + 1, 30, 30, 0, 0, 0}});
    CHECK(*told() == doctest::Approx(0.2));
    samples.insert(samples.end(), {{own, 40, 50, 0, 0, 0}, {own + 2, 40, 100, 0, 0, 0}});
    CHECK(*told() == 1);
    samples.push_back({own, 50, 50, 0, 0, 0});
    CHECK(*told() == 0);
  }
}

TEST_CASE(
    "without NVML, or where it refuses, values are absent, one sentence says why, and all "
    "else goes on") {
  const auto nothing = [](const Conditions& now) {
    CHECK_FALSE(now.clock_hz.has_value());
    CHECK_FALSE(now.memory_clock_hz.has_value());
    CHECK_FALSE(now.power_w.has_value());
    CHECK_FALSE(now.temperature_c.has_value());
    CHECK_FALSE(now.throttled.has_value());
    CHECK_FALSE(now.other_load.has_value());
    return now.note;
  };
  {
    Emulated emulated;
    CHECK(nothing(emulated.gpu().conditions()) ==
          "NVML (libnvidia-ml.so.1) was not found: no clocks, power, temperature or throttle "
          "reasons; install the driver's management library");
    check_case(emulated.gpu(), {.elements = 100});
    CHECK(emulated.gpu().info().driver == "CUDA 13.0");
  }
  const std::string refused =
      "NVML refuses (Insufficient Permissions): no clocks, power, temperature or throttle reasons";
  CHECK(nothing(conditions_with({.init = 4})) == refused);
  CHECK(nothing(conditions_with({.handle = 4})) == refused);
  CHECK(nothing(conditions_with({.every = 4})) ==
        "NVML does not report: SM clock, memory clock, power, temperature, throttle reasons");
  {
    fake_nvml::state() = {};
    fake_nvml::install();
    fake_library::installed()["libnvidia-ml.so.1"].erase("nvmlInit_v2");
    Emulated emulated;
    CHECK(nothing(emulated.gpu().conditions()) ==
          "NVML is too old: no clocks, power, temperature or throttle reasons; update the driver");
  }
  {
    fake_nvml::state() = {};
    fake_nvml::install();
    fake_library::installed()["libnvidia-ml.so.1"].erase("nvmlDeviceGetPowerUsage");
    Emulated emulated;
    CHECK(emulated.gpu().conditions().note == "NVML does not report: power");
    CHECK(emulated.gpu().conditions().clock_hz == 1980e6);
  }
}

TEST_CASE("each run tells the clock of the multiprocessors, read behind the timed region") {
  Emulated emulated;
  fake_cuda::State& state = fake_cuda::state();
  const auto trial = emulated.gpu().prepare({.elements = 1000}, {});
  const Sample run = trial->run({});
  CHECK(*run.clock_hz == doctest::Approx(1.5e9));
  CHECK(run.seconds == doctest::Approx(60e-6).epsilon(0.01));  // the probe is not in it
  state.sm_clock_hz = 1.2e9;
  CHECK(*trial->run({}).clock_hz == doctest::Approx(1.2e9));
}

TEST_CASE("a clock that reads nothing or nonsense is absent, and the run is timed all the same") {
  Emulated emulated;
  fake_cuda::State& state = fake_cuda::state();
  const auto trial = emulated.gpu().prepare({.elements = 1000}, {});
  const auto clock = [&](double hz, double timer_seconds) {
    state.sm_clock_hz = hz;
    state.probe_timer_seconds = timer_seconds;
    const Sample run = trial->run({});
    CHECK(run.seconds == doctest::Approx(60e-6).epsilon(0.01));
    return run.clock_hz;
  };
  CHECK(clock(1e9, 150e-6).has_value());
  CHECK_FALSE(clock(0, 150e-6).has_value());
  CHECK_FALSE(clock(1e9, 0).has_value());
  CHECK_FALSE(clock(1e15, 150e-6).has_value());
  CHECK_FALSE(clock(1e3, 150e-6).has_value());
  CHECK(clock(1e9, 150e-6).has_value());
}

TEST_CASE("the clock of a long run is the mean of its batches") {
  Emulated emulated;
  fake_cuda::State& state = fake_cuda::state();
  state.launch_seconds = 0.05;
  const auto trial =
      emulated.gpu().prepare({.fusion = Fusion::unfused, .elements = 100, .repeat = 4}, {});
  trial->verify({});
  const std::uint64_t before = state.launches;
  state.on_launch = [&] { state.sm_clock_hz = state.launches - before <= 2 ? 1e9 : 2e9; };
  const Sample run = trial->run({});
  state.on_launch = {};
  CHECK(*run.clock_hz == doctest::Approx(1.5e9));
}

TEST_CASE("a slice of a GPU, and one under MPS, say their share; a whole GPU says nothing") {
  const auto partition = [](unsigned cores, const char* name, bool mps) {
    fake_nvml::state() = {.cores = cores};
    fake_nvml::install();
    fake_cuda::state() = {};
    fake_cuda::state().name = name;
    fake_cuda::state().mps = mps;
    Devices devices;
    open_cuda(devices);
    REQUIRE(devices.usable.size() == 1);
    const std::string words = devices.usable.front()->info().partition;
    devices.usable.clear();
    fake_library::installed().clear();
    return words;
  };
  CHECK(partition(8 * 128, "Emulated GPU MIG 2g.10gb", false)
            .starts_with("MIG slice: 2 of 8 SMs, 256 MiB"));
  CHECK(partition(4 * 128, "Emulated GPU", true) == "MPS: 2 of 4 SMs, shared with other processes");
  CHECK(partition(2 * 128, "Emulated GPU", false) == "");
}

TEST_CASE("a device says which files its libraries are") {
  fake_nvml::state() = {};
  fake_nvml::install();
  Emulated emulated;
  const std::vector<LoadedLibrary> expected{{"NVML", "/emulated/libnvidia-ml.so.1"}};
  CHECK(emulated.gpu().info().libraries == expected);
}
