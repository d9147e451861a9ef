// One kernel timed in every way of a CPU.
#include "kernels/families/timing/timing.hpp"

#include <doctest/doctest.h>

#include <cstring>
#include <thread>
#include <vector>

#include "kernels/cpu/machine/memory.hpp"
#include "kernels/cpu/machine/processor.hpp"
#include "kernels/families/family.hpp"
#include "tests/kernels/cpu_devices.hpp"
#include "tests/text.hpp"

using namespace kernels;
using namespace kernels::cpu;
using tests::contains;

namespace {

constexpr Way ways_of_cpu[] = {Way::proper, Way::unfinished, Way::new_memory, Way::after_rest,
                               Way::cold,   Way::zeros,      Way::sustained};

/// Right, but one fma short.
void too_short(const ChainSlice& slice) {
  const auto* const in = static_cast<const float*>(slice.in);
  auto* const out = static_cast<float*>(slice.out);
  const auto a = static_cast<float>(slice.a), b = static_cast<float>(slice.b);
  for (std::uint64_t i = 0; i < slice.elements; ++i) {
    float x = in[i];
    for (std::uint64_t n = 1; n < slice.repeat; ++n) x = x * a + b;
    out[i] = x;
  }
}

}  // namespace

TEST_CASE("a kernel is right and takes time, in whatever way it is timed") {
  CpuDevice cpu("/", cores(), no_amx, Selection(no_amx));
  for (const Way way : ways_of_cpu) {
    const Case c = timing_case(way, 4096, 8);
    CAPTURE(words_of(way));
    const auto trial = cpu.prepare(c, {});
    const Check before = trial->verify({});
    CHECK_MESSAGE(before.ok, before.why);
    for (int i = 0; i < 3; ++i) CHECK(trial->run({}).seconds > 0);
    CHECK(trial->verify({}).ok);
    CHECK(trial->run({}).seconds > 0);
  }
}

TEST_CASE("a kernel that takes an fma too few is found in every way") {
  Row row{.family = Family::chain,
          .op = Op::fma,
          .dtype = Dtype::fp32,
          .units = Units::vector,
          .arithmetic = Dtype::fp32,
          .chain = too_short};
  CpuDevice cpu("/", cores(), no_amx, Selection(no_amx, {{"short", &row, 1, false}}));
  for (const Way way : ways_of_cpu)
    CHECK_FALSE(cpu.prepare(timing_case(way, 4096, 8), {})->verify({}).ok);
}

TEST_CASE("every way looks for a stop that comes while it runs") {
  CpuDevice cpu("/", cores(), no_amx, Selection(no_amx));
  for (const Way way : ways_of_cpu) {
    CAPTURE(words_of(way));
    const auto trial = cpu.prepare(timing_case(way, 1 << 18, 4096), {});
    std::stop_source stop;
    std::jthread later([&] { stop.request_stop(); });
    while (!stop.stop_requested()) try {
        static_cast<void>(trial->run(stop.get_token()));
      } catch (const Cancelled&) {
      }
    CHECK_THROWS_AS(static_cast<void>(trial->run(stop.get_token())), Cancelled);
  }
}

TEST_CASE("ways of a GPU and other types than fp32 are refused") {
  CpuDevice cpu("/", cores(), no_amx, Selection(no_amx));
  CHECK_THROWS_WITH_AS(
      static_cast<void>(cpu.prepare(timing_case(Way::with_launch, 4096, 8), {})),
      "with-launch is measured on a GPU: threads of a CPU are always started and joined within the "
      "time",
      Unsupported);
  Case c = timing_case(Way::proper, 4096, 8);
  c.dtype = Dtype::fp64;
  CHECK(contains(refusal_of(c), "choose fp32"));
}

TEST_CASE("one processor cannot start work and go on") {
  CpuDevice cpu("/", {cores().front()}, no_amx, Selection(no_amx));
  CHECK_THROWS_WITH_AS(static_cast<void>(cpu.prepare(timing_case(Way::unfinished, 4096, 8), {})),
                       "a thread that is started and not waited for needs a second processor",
                       Unsupported);
}

TEST_CASE("zeros are a way of timing, and every way that waits does the same work") {
  for (const Way way : ways_of_cpu) {
    const Case c = timing_case(way, 4096, 8);
    CHECK(c.data == (way == Way::zeros ? Data::zeros : Data::random));
    if (way == Way::unfinished)
      CHECK(work_of(c) == Work{});
    else
      CHECK(work_of(c) == Work{.flops = 2.0 * 4096 * 8, .bytes = 8.0 * 4096, .launches = 1});
  }
}

TEST_CASE("flushed data keep their values, and new pages are zeros that can be written") {
  std::vector<char> data(100'000, 7);
  flush(data.data(), data.size());
  CHECK(data == std::vector<char>(100'000, 7));
  for (const PageSize size : {PageSize::usual, PageSize::small, PageSize::huge}) {
    Pages pages(3 << 20, size);
    const int node = memory_nodes("/", {cores().front()}).front();
    const bool chosen = pages.prefer(node);  // some containers refuse
    CHECK_FALSE(pages.prefer(1 << 20));
    CHECK(pages.data()[pages.bytes() - 1] == 0);
    std::memset(pages.data(), 1, pages.bytes());
    CHECK(pages.data()[pages.bytes() - 1] == 1);
    if (chosen) {
      CHECK(pages.lie_on(node));
      CHECK_FALSE(pages.lie_on(node + 1));
    }
    if (size == PageSize::huge)
      CHECK(reinterpret_cast<std::uintptr_t>(pages.data()) % (2 << 20) == 0);
  }
}
