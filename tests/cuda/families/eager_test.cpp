// Layers of small operators on the emulated GPU, in each form.
#include "kernels/families/eager/eager.hpp"

#include <cuda_runtime.h>
#include <doctest/doctest.h>

#include <algorithm>

#include "kernels/cuda/trials/tables.hpp"
#include "kernels/families/eager/eager_arguments.hpp"
#include "kernels/families/eager/eager_body.hpp"
#include "tests/cuda/fakes/emulated.hpp"
#include "tests/text.hpp"

using namespace kernels;
using tests::contains;

namespace {

constexpr Form forms_of_gpu[] = {Form::single, Form::graph, Form::fused};

/// Kernels take this long, and so does each launch of an emulated GPU.
std::optional<double> brief(const void*, const void*, std::uint64_t) { return 2e-6; }

}  // namespace

TEST_CASE("a GPU runs layers in every form") {
  Emulated emulated;
  for (const Form form : forms_of_gpu) {
    for (const std::uint64_t rows : {1, 5}) {
      for (const std::uint64_t layers : {1, 2, 3})
        check_case(emulated.gpu(), eager_case(form, rows, 64, layers));
    }
  }
}

TEST_CASE("a GPU's layer that misses an operator, or reads other weights, is found") {
  Emulated emulated;
  for (const Form form : forms_of_gpu) {
    CAPTURE(words_of(form));
    const auto trial = emulated.gpu().prepare(eager_case(form, 4, 64, 2), {});
    CHECK(trial->verify({}).ok);
    fake_cuda::state().before_kernel = [](const void* function, void* arguments) {
      const cuda::LayerKernels kernels = cuda::layer_kernels();
      if (function == kernels.fused || function == kernels.ops.front())
        static_cast<cuda::LayerArguments*>(arguments)->weights += 1;
    };
    CHECK_FALSE(trial->verify({}).ok);
    for (std::size_t op = 0; op < ops_of_layer && form != Form::fused; ++op) {
      CAPTURE(op);
      fake_cuda::state().before_kernel = [op](const void* function, void* arguments) {
        if (function == cuda::layer_kernels().ops[op])
          static_cast<cuda::LayerArguments*>(arguments)->elements -= 64;  // a row
      };
      CHECK_FALSE(trial->verify({}).ok);
    }
    fake_cuda::state().before_kernel = {};
    CHECK(trial->verify({}).ok);
  }
}

TEST_CASE("a run on a GPU tells when the host launched and when each kernel ran") {
  Emulated emulated;
  fake_cuda::state().seconds_of = brief;
  for (const Form form : forms_of_gpu) {
    const Case c = eager_case(form, 4, 64, 3);
    CAPTURE(words_of(form));
    const Sample sample = emulated.gpu().prepare(c, {})->run({});
    CHECK(sample.launched == (form == Form::graph ? Launched::graph : Launched::stream));
    CHECK(sample.seconds > 0);
    const auto in_lane = [&](std::string_view lane) {
      return std::ranges::count(sample.spans, lane, &Span::lane);
    };
    CHECK(in_lane("device") == static_cast<std::ptrdiff_t>(launches_of(c)));
    CHECK(in_lane("host") >=
          (form == Form::graph ? 1 : static_cast<std::ptrdiff_t>(launches_of(c))));
    REQUIRE(sample.values.size() == 1);
    CHECK(sample.values.front().value > 0);
    CHECK(sample.values.front().value <= 1);
    double end = 0;
    for (const Span& span : sample.spans) end = std::max(end, span.end);
    for (const Span& span : sample.spans) {
      CHECK(span.begin >= 0);
      CHECK(span.end <= end);
    }
  }
}

TEST_CASE("a graph of layers that cannot be made is refused with the reason") {
  Emulated emulated;
  fake_cuda::state().fail_instantiate = cudaErrorNotSupported;
  std::string why;
  try {
    static_cast<void>(emulated.gpu().prepare(eager_case(Form::graph, 4, 64, 2), {}));
  } catch (const Unsupported& reason) {
    why = reason.what();
  }
  CHECK(contains(why, "instantiating a graph"));
  fake_cuda::state().fail_instantiate = 0;
}

TEST_CASE("layers on a GPU that hangs end with the device lost") {
  {
    Emulated emulated;
    const auto trial = emulated.gpu().prepare(eager_case(Form::single, 4, 64, 2), {});
    fake_cuda::state().hung_device = 0;
    CHECK_THROWS_AS(static_cast<void>(trial->run({})), DeviceLost);
  }
  fake_cuda::end_program();
}
