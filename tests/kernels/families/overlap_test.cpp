// Chunks on a CPU: every division computes the same, and what is missing is found.
#include "kernels/families/overlap/overlap.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "kernels/cpu/machine/processor.hpp"
#include "kernels/families/family.hpp"
#include "tests/kernels/cpu_devices.hpp"
#include "tests/text.hpp"

using namespace kernels;
using namespace kernels::cpu;
using tests::contains;

namespace {

constexpr std::uint64_t elements = 40 * overlap_granule;

CpuDevice device() {
  const Abilities abilities{.features = processor_features(), .amx = false, .why_no_amx = "none"};
  return CpuDevice("/", cores(), abilities, Selection(abilities));
}

}  // namespace

TEST_CASE("every number of chunks computes every element, before and after it is timed") {
  CpuDevice cpu = device();
  for (const std::uint64_t chunks : {1, 2, 3, 16}) {
    for (const std::uint64_t ops : {1, 32}) {
      const Case c = overlap_case(chunks, elements, ops);
      CAPTURE(describe(c));
      const auto trial = cpu.prepare(c, {});
      const Check before = trial->verify({});
      CHECK_MESSAGE(before.ok, before.why);
      CHECK(trial->run({}).seconds > 0);
      CHECK(trial->verify({}).ok);
    }
  }
}

TEST_CASE("a run tells when each stage of each chunk ran, in its order") {
  CpuDevice cpu = device();
  const Sample sample = cpu.prepare(overlap_case(4, elements, 8), {})->run({});
  REQUIRE(sample.spans.size() == 3 * 4);
  for (std::size_t chunk = 0; chunk < 4; ++chunk) {
    for (std::size_t stage = 0; stage < 3; ++stage) {
      const Span& span = sample.spans[3 * chunk + stage];
      CHECK(span.lane == name_of(static_cast<Stage>(stage)));
      CHECK(span.name == "chunk " + std::to_string(chunk + 1));
      CHECK(span.begin <= span.end);
      if (stage > 0) CHECK(sample.spans[3 * chunk + stage - 1].end <= span.begin);
    }
  }
  REQUIRE(sample.values.size() == 3);
  CHECK(sample.values[0].name == "compute");
  CHECK(sample.values[0].value > 0);
}

TEST_CASE("chunks are whole granules that lie side by side and cover all elements") {
  for (const std::uint64_t chunks : {1, 3, 7, 16}) {
    const Case c = overlap_case(chunks, elements, 1);
    std::uint64_t next = 0;
    for (std::uint64_t chunk = 0; chunk < chunks; ++chunk) {
      const Chunk one = chunk_of(c, chunk);
      CHECK(one.first == next);
      CHECK(one.count > 0);
      CHECK(one.count % overlap_granule == 0);
      next += one.count;
    }
    CHECK(next == elements);
  }
}

TEST_CASE("an element that is not written, and one with an fma too few, are found") {
  const Case c = overlap_case(2, overlap_granule * 2, 32);
  std::vector<float> in(c.elements), out(c.elements);
  fill_overlap(in, 7);
  const Arithmetic arithmetic{Dtype::fp32, false};
  const Case chain{.ops = Op::fma, .elements = c.elements, .repeat = c.repeat};
  const auto result = [&](const Case& of, float x) {
    return static_cast<float>(
        reference_chain(of, arithmetic, overlap_operands(), static_cast<double>(x)));
  };
  std::ranges::transform(in, out.begin(), [&](float x) { return result(chain, x); });
  CHECK(check_overlap(c, arithmetic, in, out, {}).ok);
  Case few = chain;
  few.repeat -= 1;
  out.back() = result(few, in.back());
  CHECK(contains(check_overlap(c, arithmetic, in, out, {}).why, "element 767 of 768: expected"));
  poison_overlap({out.data() + 5, 1});
  CHECK(check_overlap(c, arithmetic, in, out, {}).why == "element 5 was not written");
}

TEST_CASE("the work of chunks is one fma for each op, and one trip each way") {
  const Work work = work_of(overlap_case(4, elements, 32));
  CHECK(work.flops == 2.0 * elements * 32);
  CHECK(work.bytes == 8.0 * elements);
  CHECK(work.launches == 4);
  Case c = overlap_case(16, overlap_granule, 1);
  CHECK(refusal_of(c) == "there are more chunks than granules");
  c.dtype = Dtype::fp64;
  CHECK(refusal_of(c) == "chunks are computed on in fp32: choose fp32");
}
