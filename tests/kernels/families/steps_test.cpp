// Steps on a CPU, started in each of its ways.
#include "kernels/families/steps/steps.hpp"

#include <doctest/doctest.h>

#include <atomic>
#include <memory>
#include <string>

#include "kernels/cpu/threads/workers.hpp"
#include "kernels/families/family.hpp"
#include "tests/kernels/cpu_devices.hpp"
#include "tests/text.hpp"

using namespace kernels;
using namespace kernels::cpu;
using tests::contains;

namespace {

CpuDevice device() { return CpuDevice("/", cores(), no_amx, Selection(no_amx)); }

}  // namespace

TEST_CASE("each way of a CPU takes all steps, one after the other") {
  CpuDevice cpu = device();
  for (const Start start : {Start::call, Start::loop, Start::wake, Start::queue}) {
    for (const std::uint64_t steps : {1, 2, 33}) {
      for (const std::uint64_t elements : {1, 7, 64}) {
        const Case c = steps_case(start, elements, steps);
        CAPTURE(describe(c));
        const auto trial = cpu.prepare(c, {});
        const Check before = trial->verify({});
        CHECK_MESSAGE(before.ok, before.why);
        CHECK(trial->run({}).seconds > 0);
        CHECK(trial->verify({}).ok);
      }
    }
  }
}

TEST_CASE("a queue tells when the host had filled it, a call does not") {
  CpuDevice cpu = device();
  const Sample queued = cpu.prepare(steps_case(Start::queue, 32, 256), {})->run({});
  REQUIRE(queued.values.size() == 1);
  CHECK(queued.values.front().name == "time to queue");
  CHECK(queued.values.front().value > 0);
  REQUIRE(queued.spans.size() == 2);
  CHECK(queued.spans.front().end == queued.values.front().value);
  CHECK(queued.spans.front().end <= queued.spans.back().end);
  CHECK(cpu.prepare(steps_case(Start::call, 32, 256), {})->run({}).values.empty());
}

TEST_CASE("ways of a GPU are refused on a CPU, and other types than fp32") {
  CpuDevice cpu = device();
  CHECK_THROWS_WITH_AS(static_cast<void>(cpu.prepare(steps_case(Start::graph, 32, 2), {})),
                       "graph starts steps on a GPU", Unsupported);
  Case c = steps_case(Start::loop, 32, 2);
  c.dtype = Dtype::fp64;
  CHECK(refusal_of(c) == "steps run in fp32: choose fp32");
}

TEST_CASE("the work of steps is their additions, and one kernel is one launch") {
  const Work in_stream = work_of(steps_case(Start::stream, 64, 10)),
             in_one = work_of(steps_case(Start::persistent, 64, 10));
  CHECK(in_stream == Work{.flops = 640, .bytes = 2 * 4 * 640, .launches = 10});
  CHECK(in_one.launches == 1);
}

TEST_CASE("workers do every task in its order, and are joined with tasks left") {
  std::atomic<int> done = 0;
  auto workers = std::make_unique<Workers>(std::vector<int>{cores().front()});
  bool in_order = true;
  for (int i = 0; i < 1000; ++i) workers->give(0, [&, i] { in_order = in_order && done++ == i; });
  workers->wait();
  CHECK(done == 1000);
  CHECK(in_order);
  for (int i = 0; i < 1000; ++i) workers->give(0, [&] { ++done; });
  workers.reset();
  CHECK(done <= 2000);
}
