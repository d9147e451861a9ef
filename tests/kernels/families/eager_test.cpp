// Layers of small operators at every instruction set that runs here, in each form.
#include "kernels/families/eager/eager.hpp"

#include <doctest/doctest.h>

#include <string>

#include "kernels/cpu/machine/processor.hpp"
#include "kernels/families/family.hpp"
#include "tests/kernels/cpu_devices.hpp"
#include "tests/text.hpp"

using namespace kernels;
using namespace kernels::cpu;
using tests::contains;

namespace {

constexpr Form all_forms[] = {Form::single, Form::graph, Form::fused};

CpuDevice device_of(const Isa& isa, const Row* rows, std::size_t count) {
  return CpuDevice("/", cores(), no_amx,
                   Selection(no_amx, {{isa.name, rows, count, isa.fused_multiply_add}}));
}

/// Forgets what one operator does to the last row of a slice.
LayerFunction right = nullptr;
void one_row_short(const LayerSlice& slice) {
  LayerSlice shorter = slice;
  if (shorter.rows > 0) --shorter.rows;
  right(shorter);
}
void nothing(const LayerSlice&) {}

}  // namespace

TEST_CASE("layers are right in every form, at every instruction set") {
  for (const Isa& isa : usable_tables(no_amx)) {
    CAPTURE(std::string(isa.name));
    CpuDevice cpu = device_of(isa, isa.rows, isa.count);
    for (const Form form : all_forms) {
      for (const std::uint64_t rows : {1, 5}) {
        for (const std::uint64_t width : {64, 192}) {
          for (const std::uint64_t layers : {1, 4}) {
            const Case c = eager_case(form, rows, width, layers);
            CAPTURE(describe(c));
            if (Selection(no_amx, {isa}).find(c) == nullptr) continue;
            const auto trial = cpu.prepare(c, {});
            const Check before = trial->verify({});
            CHECK_MESSAGE(before.ok, before.why);
            CHECK(trial->run({}).seconds > 0);
            CHECK(trial->verify({}).ok);
          }
        }
      }
    }
  }
}

TEST_CASE("an operator that is left out, or forgets a row, is found") {
  for (const Isa& isa : usable_tables(no_amx)) {
    for (std::size_t i = 0; i < isa.count; ++i) {
      if (isa.rows[i].family != Family::eager) continue;
      CAPTURE(std::string(isa.name));
      for (std::size_t op = 0; op < ops_of_layer; ++op) {
        CAPTURE(op);
        for (const LayerFunction wrong : {nothing, one_row_short}) {
          Row row = isa.rows[i];
          LayerFunctions functions = row.as<LayerFunctions>();
          right = functions.ops[op];
          functions.ops[op] = wrong;
          row.own = &functions;
          CpuDevice cpu = device_of(isa, &row, 1);
          for (const Form form : {Form::single, Form::graph})
            CHECK_FALSE(cpu.prepare(eager_case(form, 5, 64, 2), {})->verify({}).ok);
        }
      }
      Row row = isa.rows[i];
      LayerFunctions functions = row.as<LayerFunctions>();
      right = functions.fused;
      functions.fused = one_row_short;
      row.own = &functions;
      CpuDevice cpu = device_of(isa, &row, 1);
      CHECK_FALSE(cpu.prepare(eager_case(Form::fused, 5, 64, 2), {})->verify({}).ok);
    }
  }
}

TEST_CASE("a run tells what the host and the threads did, and how much of the time these worked") {
  CpuDevice cpu = CpuDevice("/", cores(), no_amx, Selection(no_amx));
  for (const Form form : all_forms) {
    const Case c = eager_case(form, 8, 64, 3);
    CAPTURE(words_of(form));
    const Sample sample = cpu.prepare(c, {})->run({});
    std::uint64_t host = 0, device = 0;
    double last = 0;
    for (const Span& span : sample.spans) {
      CHECK(span.begin <= span.end);
      if (span.lane == "host") ++host;
      if (span.lane != "device") continue;
      CHECK(span.begin >= last);
      last = span.end;
      ++device;
    }
    CHECK(device == launches_of(c));
    CHECK(host == (form == Form::graph ? 1 : launches_of(c)) + 1);
    REQUIRE(sample.values.size() == 1);
    CHECK(sample.values.front().name == device_works);
    CHECK(sample.values.front().value > 0);
    CHECK(sample.values.front().value <= 1);
  }
}

TEST_CASE("layers end when a stop is asked for, in every form") {
  CpuDevice cpu = CpuDevice("/", cores(), no_amx, Selection(no_amx));
  for (const Form form : all_forms) {
    const auto trial = cpu.prepare(eager_case(form, 16, 64, 4), {});
    std::stop_source stop;
    stop.request_stop();
    CHECK_THROWS_AS(static_cast<void>(trial->run(stop.get_token())), Cancelled);
    CHECK(trial->verify({}).ok);
  }
}

TEST_CASE("the work of layers is that of their operators; fused, fewer bytes move") {
  const Work single = work_of(eager_case(Form::single, 16, 64, 20)),
             fused = work_of(eager_case(Form::fused, 16, 64, 20));
  CHECK(single.flops == 20.0 * (2.0 * 16 * 64 * 64 + 4.0 * 16 * 64));
  CHECK(fused.flops == single.flops);
  CHECK(single.launches == 100);
  CHECK(fused.launches == 20);
  CHECK(single.bytes == 20.0 * 4 * (11 * 16 * 64 + 64 * 64 + 64));
  CHECK(fused.bytes == 20.0 * 4 * (2 * 16 * 64 + 64 * 64 + 64));
}

TEST_CASE("layers of other widths and types are refused") {
  Case c = eager_case(Form::single, 16, 96, 2);
  CHECK(refusal_of(c) == "columns come in multiples of 64");
  c = eager_case(Form::single, 16, 64, 2);
  ++c.elements;
  CHECK(refusal_of(c) == "elements are whole rows");
  c.dtype = Dtype::fp64;
  CHECK(refusal_of(c) == "layers run in fp32: choose fp32");
}

TEST_CASE("time in which parts run side by side counts once") {
  const std::vector<Stretch> device{{1, 3}, {2, 4}, {6, 7}};
  CHECK(share_of_work(device, 10) == doctest::Approx(0.4));
  CHECK(share_of_work(device, 1) == 1);
  const std::vector<Stretch> host{{0, 1}};
  const auto spans = spans_of(eager_case(Form::graph, 1, 64, 1), host, device, 10);
  REQUIRE(spans.size() == 2 + 3);
  CHECK(spans[0].name == "launch");
  CHECK(spans[1].name == "wait");
  CHECK(spans[1].begin == 1);
  CHECK(spans[2].name == "matmul");
  CHECK(spans[4].name == "relu");
}
