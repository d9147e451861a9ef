// The lab `conv` from end to end, on an emulated GPU on which Winograd's algorithm is the fastest.
#include <doctest/doctest.h>

#include <algorithm>
#include <optional>
#include <string>

#include "kernels/families/family.hpp"
#include "tests/cuda/fakes/libraries/fake_cudnn.hpp"
#include "tests/cuda/lab_run.hpp"

using namespace kernels;
using engine::Says;

namespace {

std::optional<double> seconds_of_convolution(const void* function, const void* arguments,
                                             std::uint64_t) {
  const int algorithm = fake_cudnn::algorithm_of(function, arguments);
  if (algorithm < 0) return std::nullopt;
  return algorithm == 6 ? 100e-6 : 170e-6;
}

}  // namespace

TEST_CASE("conv on a GPU tries the library's first choice and all of its algorithms") {
  fake_cudnn::install();
  tests::LabRun run("conv", "images", "2", seconds_of_convolution);
  run.spec.more["channels"] = "3";
  run.spec.more["filters"] = "4";
  run.spec.more["image-size"] = "8";
  for (const bool best_is_first : {true, false}) {
    fake_cudnn::state().choices = {best_is_first ? 6 : 0};
    const engine::Session session = run.session();
    int measured = 0, skipped = 0;
    for (const engine::Point& point : session.points) {
      if (point.what.family != Family::conv) continue;
      CHECK(point.what.by == By::library);
      point.status == engine::Status::ok ? ++measured : ++skipped;
    }
    CHECK(measured == 7);
    CHECK(skipped == 1);  // FFT
    const engine::LabVerdict verdict = run.verdict(session);
    CHECK(verdict.says == (best_is_first ? Says::differs : Says::holds));
    REQUIRE(verdict.rows.size() == 3);
    CHECK(verdict.rows[1].what == "cuDNN's best of 6: WINOGRAD");
    CHECK(verdict.rows[2].here->median == doctest::Approx(best_is_first ? 1 : 1.7));
  }
}
