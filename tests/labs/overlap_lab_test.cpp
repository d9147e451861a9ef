// The lab `overlap`: its verdict on devices that hide what a test decides.
#include <doctest/doctest.h>

#include <string>

#include "engine/session/session_file.hpp"
#include "kernels/families/overlap/overlap.hpp"
#include "tests/engine/made_results.hpp"
#include "tests/text.hpp"

using namespace engine;
using kernels::Family;
using kernels::Stage;
using test::Made;
using test::row;
using tests::contains;

namespace {

constexpr double copy_in = 1.2e-3, compute = 1.0e-3, copy_out = 1.1e-3;

/// `hidden`: the part of what could be hidden that is.
Made made(bool gpu, double hidden) {
  const std::vector<kernels::Kernel> kernels{{.family = Family::overlap, .op = kernels::Op::fma}};
  const double sum = copy_in + compute + copy_out;
  const double slowest = gpu ? copy_in : copy_in + copy_out;
  return Made(
      "overlap",
      [&](Point& point) {
        point.values = {{"copy in", copy_in}, {"compute", compute}, {"copy out", copy_out}};
        const auto many = static_cast<double>(kernels::chunks_of(point.what));
        return sum - hidden * (sum - slowest) * (1 - 1 / many);
      },
      gpu ? kernels : std::vector<kernels::Kernel>{});
}

}  // namespace

TEST_CASE("overlap: the claim holds where all but one chunk is hidden") {
  const LabVerdict verdict = made(true, 1).verdict();
  CHECK(verdict.says == Says::holds);
  const double possible = 3.3 / (1.2 + 2.1 / 16);
  CHECK(row(verdict, "speed-up in 16 chunks").claimed->median == doctest::Approx(possible));
  CHECK(row(verdict, "part of what hiding").here->median == doctest::Approx(1));
  CHECK(contains(verdict.headline,
                 "In 16 chunks it is 2.48x as fast as in sequence; hiding alone gives 2.48x."));
}

TEST_CASE("overlap: on a CPU one thread copies both ways, so that less can be hidden") {
  const LabVerdict verdict = made(false, 1).verdict();
  CHECK(verdict.says == Says::holds);
  CHECK(row(verdict, "speed-up in 16 chunks").claimed->median ==
        doctest::Approx(3.3 / (2.3 + 1.0 / 16)));
}

TEST_CASE("overlap: the claim does not hold where the copies wait") {
  const LabVerdict verdict = made(true, 0.2).verdict();
  CHECK(verdict.says == Says::differs);
  CHECK(row(verdict, "part of what hiding").here->median < 0.85);
}

TEST_CASE("overlap: a session reads as it was written, with its timeline") {
  Spec spec;
  spec.more = {{"ops", "7"}, {"chunks", "1,4"}};
  const std::vector<kernels::Kernel> kernels{{.family = Family::overlap, .op = kernels::Op::fma}};
  const Made made(
      "overlap",
      [](Point& point) {
        for (std::uint64_t chunk = 0; chunk < kernels::chunks_of(point.what); ++chunk)
          for (const Stage stage : {Stage::copy_in, Stage::compute, Stage::copy_out})
            point.spans.push_back(kernels::span_of(stage, chunk, 1e-3, 2e-3));
        point.values = kernels::values_of(point.spans);
        return 1e-3;
      },
      kernels, spec);
  const std::string text = to_json(made.session);
  const std::string again = to_json(from_json(text, "the session"));
  CHECK(again == text);
}

TEST_CASE("overlap: without a sequence, or without chunks, there is no verdict") {
  for (const char* chunks : {"1", "2,4"}) {
    Spec spec;
    spec.more["chunks"] = chunks;
    const Made one(
        "overlap", [](Point&) { return 1e-3; }, {}, spec);
    CHECK(one.verdict().says == Says::cannot_say);
    CHECK(one.verdict().headline == "Measure one chunk, and more than one.");
  }
}

TEST_CASE("overlap: a GPU is asked for more ops than a CPU, unless somebody chose them") {
  CHECK(made(true, 1).session.points.front().what.repeat == 2048);
  CHECK(made(false, 1).session.points.front().what.repeat == 32);
  Spec spec;
  spec.more["ops"] = "7";
  const std::vector<kernels::Kernel> kernels{{.family = Family::overlap, .op = kernels::Op::fma}};
  const Made chosen(
      "overlap", [](Point&) { return 1e-3; }, kernels, spec);
  CHECK(chosen.session.points.front().what.repeat == 7);
}
