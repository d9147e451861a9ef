// The lab `rematerialize` from end to end, on an emulated GPU whose kernels take the time of what
// they move.
#include <doctest/doctest.h>

#include <algorithm>
#include <optional>
#include <string>

#include "kernels/families/family.hpp"
#include "kernels/families/pointwise/pointwise.hpp"
#include "kernels/kept/kept_source.hpp"
#include "tests/cuda/fakes/libraries/fake_nvrtc.hpp"
#include "tests/cuda/lab_run.hpp"
#include "tests/text.hpp"

using namespace kernels;
using engine::Says;
using tests::contains;

namespace {

/// The tensors that a generated pass reads and writes, 1 us for each block.
std::optional<double> seconds_of_operators(const void* function, const void*,
                                           std::uint64_t blocks) {
  const fake_nvrtc::Source* source = fake_nvrtc::source_of(function);
  if (source == nullptr) return std::nullopt;
  constexpr std::string_view number = "operators = ";
  const double n = std::stod(source->text.substr(source->text.find(number) + number.size()));
  const bool kept = contains(source->text, "kept = true");
  const double tensors =
      source->kernel == "ridgepoint_forward" ? 1 + (kept ? n : 1) : 2 + (kept ? n : 1);
  return tensors * static_cast<double>(blocks) * 1e-6;
}

struct RematerializeRun : tests::LabRun {
  RematerializeRun()
      : tests::LabRun("rematerialize", "operators", "mul,silu", seconds_of_operators) {
    spec.elements = 1 << 16;
  }
};

}  // namespace

TEST_CASE("rematerialize on a GPU measures every chain in its three ways, and names the sources") {
  fake_nvrtc::install();
  const RematerializeRun run;
  const engine::Session session = run.session();
  int measured = 0;
  for (const engine::Point& point : session.points) {
    if (point.lab != "rematerialize") continue;
    CAPTURE(describe(point.what));
    CHECK(point.status == engine::Status::ok);
    CHECK(point.work == work_of(point.what, "cuda"));
    const auto allocated = std::ranges::find(point.values, "allocated", &Value::name);
    REQUIRE(allocated != point.values.end());
    CHECK(allocated->value == footprint_of(point.what));
    CHECK(contains(read_source(source_named_in(point.note)).text, "Forward and backward pass of"));
    ++measured;
  }
  CHECK(measured == 18);
  const engine::LabVerdict verdict = run.verdict(session);
  CHECK(verdict.says == Says::holds);
  REQUIRE(verdict.rows.size() == 5);
  CHECK(verdict.rows[0].here->median == doctest::Approx(7.0 / 4));
  CHECK(verdict.rows[1].here->median == doctest::Approx(11.0 / 5));
  CHECK(verdict.rows[2].here->median == doctest::Approx(20.0 / 5));
}

TEST_CASE("rematerialize on a GPU without NVRTC, or with one that fails, says why at each point") {
  for (const bool found : {false, true}) {
    if (found) fake_nvrtc::install();
    const RematerializeRun run;
    fake_nvrtc::state().compile = found ? 6 : 0;
    fake_nvrtc::state().log = "gradient.cu(3): error: no such function";
    const engine::Session session = run.session();
    int refused = 0;
    for (const engine::Point& point : session.points) {
      if (point.lab != "rematerialize") continue;
      CHECK(point.status == engine::Status::skipped);
      CHECK(contains(point.why, found ? "NVRTC 13.0 failed: gradient.cu(3): error: no such function"
                                      : "NVRTC (libnvrtc.so.13 or .12) was not found"));
      ++refused;
    }
    CHECK(refused == 18);
    const engine::LabVerdict verdict = run.verdict(session);
    CHECK(verdict.says == Says::cannot_say);
    CHECK(contains(verdict.headline, "on a GPU NVRTC"));
  }
}
