// What a trial on the CPU does besides computing: refusing, stopping, waiting, counting
// its work.
#include <doctest/doctest.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <stop_token>
#include <vector>

#include "kernels/backends.hpp"
#include "kernels/cpu/machine/topology.hpp"
#include "kernels/cpu/trials/device.hpp"
#include "kernels/cpu/trials/trials.hpp"
#include "tests/kernels/cpu_devices.hpp"
#include "tests/text.hpp"

using namespace kernels;
using namespace kernels::cpu;
using tests::contains;

namespace {

std::string why_not(Device& device, const Case& c) {
  try {
    device.prepare(c, {});
  } catch (const Unsupported& reason) {
    return reason.what();
  }
  return "it runs";
}

std::stop_source* stopper = nullptr;
std::atomic<int> calls = 0;

/// Asks for the end of the run at the first of its many pieces.
void stops_at_first_call(const ChainSlice&) {
  ++calls;
  stopper->request_stop();
}

constexpr double least_per_element = 100e-9;  // s
Ranges ranges_run;                            // in elements

/// A kernel that takes 100 ns for an element, or longer where others run on its core.
void takes_its_time(const ChainSlice& slice) {
  const auto end =
      std::chrono::steady_clock::now() +
      std::chrono::duration<double>(least_per_element * static_cast<double>(slice.elements));
  ranges_run.add(slice);
  while (std::chrono::steady_clock::now() < end) {
  }
}

}  // namespace

TEST_CASE("zeros are verified like random data, and written over random data") {
  CpuDevice device("/", cores(), no_amx, Selection(no_amx));
  for (const Data data : {Data::random, Data::zeros, Data::random}) {
    for (Case c :
         {Case{.elements = 5000, .repeat = 3},
          Case{.fusion = Fusion::unfused, .elements = 5000, .repeat = 3},
          Case{.family = Family::tile, .ops = Op::mma, .elements = 2560, .repeat = 7},
          Case{.family = Family::peak}, Case{.family = Family::peak, .dtype = Dtype::int32},
          Case{.family = Family::stream, .ops = Op::read, .elements = 5000},
          Case{.family = Family::stream, .ops = Op::write, .elements = 5000},
          Case{.family = Family::stream, .ops = Op::copy, .elements = 5000},
          Case{.family = Family::stream, .ops = Op::triad, .elements = 5000}}) {
      c.data = data;
      CAPTURE(describe(c));
      const auto trial = device.prepare(c, {});
      CHECK(trial->verify({}).ok);
      trial->run({});
      CHECK(trial->verify({}).ok);
    }
  }
}

TEST_CASE("a check tells how far the result lies from double precision") {
  CpuDevice device("/", cores(), no_amx, Selection(no_amx));
  const auto error = [&](Family family, Op op, Dtype dtype) {
    const auto trial = device.prepare(
        {.family = family, .ops = op, .dtype = dtype, .elements = 5120, .repeat = 64}, {});
    const Check check = trial->verify({});
    CHECK(check.ok);
    return check.error;
  };
  CHECK(error(Family::chain, Op::fma, Dtype::fp64) < 1e-14);
  CHECK(error(Family::chain, Op::fma, Dtype::int32) == 0);
  const double fp32 = error(Family::chain, Op::fma, Dtype::fp32);
  CAPTURE(fp32);
  CHECK((fp32 > 1e-9 && fp32 < 1e-5));
  const double bf16 = error(Family::chain, Op::fma, Dtype::bf16);
  CAPTURE(bf16);
  CHECK((bf16 > 1e-4 && bf16 < 1));
  // Products of 16 bits are exact, and their sums are those of fp32: one of 32 products in 64
  // repeats rounds 2,048 times at most. Sums of bf16 would be off by more: it rounds by 0.2 %.
  const double tile = error(Family::tile, Op::mma, Dtype::bf16);
  CAPTURE(tile);
  CHECK(tile > 1e-9);
  CHECK(tile < 2048 * 0x1p-24);
  CHECK(error(Family::tile, Op::mma, Dtype::int8) == 0);
}

TEST_CASE("a peak on zeros computes with nothing but zeros") {
  const Isa isa = isa_baseline;
  static Row row;
  static PeakFunction right, watched;
  static std::atomic<bool> only_zeros;
  for (std::size_t i = 0; i < isa.count; ++i) {
    if (isa.rows[i].family != Family::peak) continue;
    row = isa.rows[i];
    right = watched = row.peak;
    row.peaks = {&watched, 1};
    watched.run = [](std::uint64_t repeat, double a, double b, PeakStart start) {
      only_zeros = a == 0 && b == 0 && start == PeakStart::zeros;
      const double sum = right.run(repeat, a, b, start);
      only_zeros = only_zeros && sum == 0;
      return sum;
    };
    CpuDevice device("/", {allowed_processors().front()}, no_amx,
                     Selection(no_amx, {{"test", &row, 1, isa.fused_multiply_add}}));
    for (const Data data : {Data::random, Data::zeros}) {
      const Case c{.family = Family::peak, .ops = row.op, .dtype = row.dtype, .data = data};
      CAPTURE(describe(c));
      const auto trial = device.prepare(c, {});
      CHECK(trial->verify({}).ok);
      trial->run({});
      CHECK(only_zeros == (data == Data::zeros));
    }
  }
}

TEST_CASE("what the CPU cannot do is refused with the reason") {
  CpuDevice device("/", cores(), no_amx, Selection(no_amx));
  CHECK(why_not(device, {.dtype = Dtype::fp8, .elements = 1}) ==
        "CPUs have no fp8 arithmetic: use fp16 or bf16");
  CHECK(why_not(device, {.family = Family::tile,
                         .ops = Op::mma,
                         .dtype = Dtype::bf16,
                         .units = Units::matrix,
                         .elements = 512}) == "this CPU has no AMX");
  CHECK(why_not(device, {.units = Units::matrix, .elements = 1}) ==
        "matrix units multiply tiles, not chains: use tile");
  CHECK(contains(why_not(device, {.family = Family::tile, .ops = Op::mma, .elements = 100}),
                 "choose a multiple of 256"));
  CHECK(contains(why_not(device, {.elements = 0}), "at least one element"));
  CHECK(contains(why_not(device, {.elements = 1, .repeat = 0}), "expected 1 to 4096"));
  CHECK(contains(why_not(device, {.elements = 1, .repeat = 4097}), "expected 1 to 4096"));
  CHECK(contains(why_not(device, {.ops = Op::triad, .elements = 1}), "no kernel for"));
}

TEST_CASE("a case larger than memory is refused with both sizes, and smaller ones run afterwards") {
  CpuDevice device("/", cores(), no_amx, Selection(no_amx));
  const std::string reason = why_not(device, {.elements = std::uint64_t{1} << 44});
  CHECK(contains(reason, "needs 128 TiB"));
  CHECK(contains(reason, "of memory are free: choose smaller sizes"));
  CHECK(contains(why_not(device, {.elements = std::uint64_t{1} << 62}), "do not fit any memory"));
  CHECK(device.prepare({.elements = 1000}, {})->verify({}).ok);
}

TEST_CASE("all buffers of a case together must fit into memory, before any is taken") {
  const std::filesystem::path root =
      std::filesystem::temp_directory_path() / ("ridgepoint_memory_" + std::to_string(getpid()));
  std::filesystem::create_directories(root / "proc");
  std::ofstream(root / "proc/meminfo") << "MemTotal: 1000000 kB\nMemAvailable: 24576 kB\n";
  CpuDevice device(root, cores(), no_amx, Selection(no_amx));
  const Case two{.fusion = Fusion::fused, .elements = 2 << 20, .repeat = 2};  // 2 x 8 MiB
  Case three = two;
  three.fusion = Fusion::unfused;
  three.elements = 3 << 20;  // 3 x 12 MiB: each of them alone fits
  CHECK(contains(why_not(device, three), "needs 36 MiB, and 24 MiB of memory are free"));
  CHECK(device.prepare(two, {})->verify({}).ok);
  // What is written already is ours.
  CHECK(device.free_bytes() >= (24 + 16) * 0x1p20);
  CHECK(why_not(device, three) == "it runs");
  std::filesystem::remove_all(root);
}

TEST_CASE("a run that is stopped in the middle ends at once and does not count") {
  for (const Fusion fusion : {Fusion::fused, Fusion::unfused}) {
    CpuDevice device = device_with(Dtype::fp32, stops_at_first_call);
    const auto trial =
        device.prepare({.fusion = fusion, .elements = 1 << 20, .repeat = max_repeat}, {});
    std::stop_source source;
    stopper = &source;
    calls = 0;
    CHECK_THROWS_AS(trial->run(source.get_token()), Cancelled);
    CHECK(calls >= 1);
    CHECK(calls <= device.info().threads);
  }
}

TEST_CASE("a long fused run is timed in parts, and all parts have their turn, trial by trial") {
  CpuDevice device = device_with(Dtype::fp32, takes_its_time);
  const auto threads = static_cast<std::uint64_t>(device.info().threads);
  // 40 ms, or longer where others run on these cores.
  const Case c{.elements = threads * (3 << 17), .repeat = 1};
  const auto all = static_cast<double>(c.elements);
  std::vector<Range> seen;
  for (int trials = 0; trials < 50 && covered(seen) < c.elements; ++trials) {
    const auto trial = device.prepare(c, {});
    for (int run = 0; run < 2; ++run) {
      ranges_run.take();
      const auto begin = std::chrono::steady_clock::now();
      const double whole = trial->run({}).seconds;
      const std::chrono::duration<double> wall = std::chrono::steady_clock::now() - begin;
      const std::vector<Range> now = ranges_run.take();
      seen.insert(seen.end(), now.begin(), now.end());
      if (run == 0) continue;  // the first one also finds out how many parts there are
      const double part = static_cast<double>(covered(now)) / all;
      CHECK(part < 1);
      // Nothing makes the kernel faster, and it has the time of the call at most.
      CHECK(whole >= 0.99 * least_per_element * all / static_cast<double>(threads));
      CHECK(whole * part <= wall.count());
    }
  }
  CHECK(covered(seen) == c.elements);
}

TEST_CASE("an unfused run is timed whole") {
  CpuDevice device = device_with(Dtype::fp32, takes_its_time);
  const Case c{.fusion = Fusion::unfused, .elements = 3 << 17, .repeat = 3};
  const auto trial = device.prepare(c, {});
  ranges_run.take();
  trial->run({});
  std::uint64_t elements = 0;
  for (const Range& range : ranges_run.take()) elements += range.count;
  CHECK(elements == 3 * c.elements);
}

TEST_CASE("nothing starts when the stop has already been asked for") {
  CpuDevice device("/", cores(), no_amx, Selection(no_amx));
  std::stop_source source;
  source.request_stop();
  CHECK_THROWS_AS(device.prepare({.elements = 1000}, source.get_token()), Cancelled);
  for (const Case& c :
       {Case{.elements = 1000}, Case{.family = Family::stream, .ops = Op::read, .elements = 1000},
        Case{.family = Family::tile, .ops = Op::mma, .elements = 512}, Case{.family = Family::peak},
        Case{.family = Family::launch, .ops = Op::none, .repeat = 10}}) {
    const auto trial = device.prepare(c, {});
    CHECK_THROWS_AS(trial->run(source.get_token()), Cancelled);
    CHECK_THROWS_AS(trial->verify(source.get_token()), Cancelled);
  }
}

TEST_CASE(
    "a run takes time, and the work is that of the case, with the shape of a peak filled in") {
  CpuDevice device("/", cores(), no_amx, Selection(no_amx));
  const Case c{.elements = 1000, .repeat = 3};
  const auto trial = device.prepare(c, {});
  CHECK(trial->run({}).seconds > 0);
  CHECK(trial->work().flops == work_of(c).flops);
  CHECK_FALSE(trial->cold());

  const auto peak = device.prepare({.family = Family::peak, .repeat = 1}, {});
  CHECK(peak->work().flops > 1e6);
  CHECK(peak->work().bytes == 0);
  CHECK(peak->run({}).seconds > 0);
}

TEST_CASE("an unfused chain keeps its input and can be verified again") {
  CpuDevice device("/", cores(), no_amx, Selection(no_amx));
  const auto trial =
      device.prepare({.fusion = Fusion::unfused, .elements = 10'000, .repeat = 4}, {});
  CHECK(trial->verify({}).ok);
  trial->run({});
  CHECK(trial->verify({}).ok);
}

TEST_CASE("the CPU opens with its facts") {
  const auto device = open_cpu();
  const DeviceInfo& info = device->info();
  CHECK(info.id == "cpu");
  CHECK(info.kind == "cpu");
  CHECK_FALSE(info.name.empty());
  CHECK(info.threads >= 1);
  CHECK(info.clock_hz > 1e8);
  CHECK(info.memory_bytes > 0);
  CHECK(device->free_bytes() > 0);
  CHECK(info.instruction_sets.front() == "baseline");
  CHECK(device->conditions().clock_hz.value_or(0) > 1e8);
  for (const Kernel& row : device->kernels()) CHECK(row.runs == row.why_not.empty());
}

TEST_CASE(
    "a sample with heavy contention at either end is contended, one with light contention is not") {
  // The pace of a core: alone, then whatever the test asks for.
  std::atomic<int> contention = 0;  // 0 none, 1 light, 2 heavy
  Machine machine("/", cores(), {}, [&]() -> OpsPerClock {
    return {contention == 0 ? 4.0 : 2.0, contention == 2 ? 1.0 : 2.0};
  });
  {
    const Pool::PinnedCaller pinned(machine.pool());
    for (int i = 0; i < 200; ++i) CHECK(machine.contention() == Contention::none);
  }
  Case launch;
  launch.family = Family::launch;
  launch.ops = Op::none;
  const Selection selection(no_amx);
  const std::unique_ptr<Trial> trial =
      on_cpu(Family::launch)->prepare({machine, selection, nullptr, launch, {}});
  const auto contended_with = [&](int before, int after) {
    contention = before;
    trial->settle({});
    contention = after;
    return trial->run({}).contended;
  };
  CHECK_FALSE(contended_with(0, 0));
  CHECK(contended_with(0, 2));
  CHECK(contended_with(2, 0));
  CHECK_FALSE(contended_with(1, 1));
  // Without settle() before it, a run looks itself.
  contention = 2;
  CHECK(trial->run({}).contended);
}

TEST_CASE("a stop ends the wait for others") {
  std::stop_source stop;
  std::atomic<int> looks = 0;
  Machine machine("/", cores(), {}, [&]() -> OpsPerClock {
    // Heavy contention from the 1000th look on; while that is waited for, somebody stops it.
    if (++looks > 2000) stop.request_stop();
    return {4.0, looks > 1000 ? 1.0 : 2.0};
  });
  const Pool::PinnedCaller pinned(machine.pool());
  while (looks < 1000) machine.contention();
  CHECK(machine.wait_for_cores(stop.get_token()) == Contention::heavy);
  CHECK(looks < 100'000);
}
