// The lab `eager`: its verdict on devices that wait for the host as a test decides.
#include "kernels/families/eager/eager.hpp"

#include <doctest/doctest.h>

#include <array>
#include <string>

#include "engine/session/session_file.hpp"
#include "tests/engine/made_results.hpp"
#include "tests/text.hpp"

using namespace engine;
using kernels::Family;
using kernels::Form;
using test::Made;
using test::row;
using tests::contains;

namespace {

/// Seconds of the three forms, and the share of single launches in which the device works.
Made made(std::array<double, 3> seconds, double works, bool gpu = true, Spec asked = {}) {
  const std::vector<kernels::Kernel> kernels{{.family = Family::eager, .op = kernels::Op::fma}};
  return Made(
      "eager",
      [=](Point& point) {
        const Form form = kernels::form_of(point.what);
        point.values = {{std::string(kernels::device_works), form == Form::single ? works : 0.9}};
        return seconds[static_cast<std::size_t>(form) - 1];
      },
      gpu ? kernels : std::vector<kernels::Kernel>{}, std::move(asked));
}

}  // namespace

TEST_CASE("eager: the claim holds where a graph and fusion take the launches away") {
  const LabVerdict verdict = made({320e-6, 100e-6, 60e-6}, 0.3).verdict();
  CHECK(verdict.says == Says::holds);
  CHECK(row(verdict, "the device works, as single").here->median == doctest::Approx(0.3));
  CHECK(row(verdict, "a graph is faster by").here->median == doctest::Approx(3.2));
  CAPTURE(verdict.headline);
  CHECK(contains(verdict.headline,
                 "The device works 30 % of the time while operators are launched one by one; as a "
                 "graph they are 3.2x as fast, fused 5.33x."));
}

TEST_CASE("eager: the claim does not hold where the kernels take far longer than the launches") {
  CHECK(made({1000e-6, 990e-6, 900e-6}, 0.99).verdict().says == Says::differs);
}

TEST_CASE("eager: nothing is said of one form alone") {
  const LabVerdict verdict = made({320e-6, 0, 60e-6}, 0.3).verdict();
  CHECK(verdict.says == Says::cannot_say);
  CHECK(contains(verdict.headline, "as a graph"));
}

TEST_CASE("eager: a GPU gets larger layers than a CPU, and what is asked for is asked") {
  const auto asks = [](bool gpu, Spec spec) {
    return made({1, 1, 1}, 1, gpu, std::move(spec)).session.points;
  };
  CHECK(asks(true, {}).front().what == kernels::eager_case(Form::single, 256, 256, 20));
  CHECK(asks(false, {}).front().what == kernels::eager_case(Form::single, 16, 64, 20));
  Spec spec;
  spec.more = {{"rows", "3"}, {"columns", "128"}, {"layers", "2"}};
  CHECK(asks(true, spec).back().what == kernels::eager_case(Form::fused, 3, 128, 2));
  spec.more["columns"] = "100";
  CHECK_THROWS_WITH_AS(static_cast<void>(asks(true, spec)),
                       "--columns 100 is no multiple of 64: choose 64", BadInput);
}

TEST_CASE("eager: layers that a check cannot follow, or that run for long, are refused") {
  const auto why = [](const char* rows, const char* columns, const char* layers) -> std::string {
    Spec spec;
    spec.more = {{"rows", rows}, {"columns", columns}, {"layers", layers}};
    try {
      static_cast<void>(made({1, 1, 1}, 1, true, spec));
      return "";
    } catch (const BadInput& reason) {
      return reason.what();
    }
  };
  CHECK(why("1", "1024", "64") ==
        "--layers 64 of --columns 1024 are more than a check can follow: choose fewer");
  CHECK(why("1024", "1024", "8") ==
        "--rows 1024 are too many for 8 layers of 1024 columns: choose at most 128");
  CHECK(why("128", "1024", "8") == "");
}

TEST_CASE("eager: a session reads as it was written, with its timeline") {
  Made one = made({320e-6, 100e-6, 60e-6}, 0.3);
  for (Point& point : one.session.points) point.spans = {{"host", "launch", 1e-6, 2e-6}};
  const std::string text = to_json(one.session);
  CHECK(to_json(from_json(text, "the session")) == text);
}
