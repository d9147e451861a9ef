// Convolutions by cuDNN on an emulated CUDA runtime: right, found wrong, refused.
#include "kernels/families/conv/conv.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>

#include "tests/cuda/fakes/emulated.hpp"
#include "tests/cuda/fakes/libraries/fake_cudnn.hpp"
#include "tests/cuda/refusal.hpp"
#include "tests/text.hpp"

using namespace kernels;
using tests::contains;
using tests::refusal;

namespace {

Case conv(std::string_view algorithm = "", ConvSize size = {2, 3, 4, 7}) {
  return conv_case(size, Data::random, algorithm, By::library);
}

}  // namespace

TEST_CASE("the library's first choice and all that it offers verify and are timed") {
  fake_cudnn::install();
  {
    Emulated emulated;
    Device& gpu = emulated.gpu();
    const Kernel* const row = find_kernel(gpu.kernels(), conv());
    REQUIRE(row != nullptr);
    CHECK(row->runs);
    CHECK(row->note == "cuDNN 9.19.0");
    CHECK(row->algorithms.size() == 7);
    check_case(gpu, conv());
    check_case(gpu, conv("", {1, 1, 1, 1}));
    for (const std::string& algorithm : row->algorithms) {
      if (algorithm != "FFT") check_case(gpu, conv(algorithm));
    }
    Case zeros = conv();
    zeros.data = Data::zeros;
    check_case(gpu, zeros);
    CHECK(fake_cudnn::state().open_handles == 1);
    CHECK(fake_cudnn::state().open_descriptors == 0);
    CHECK(fake_cuda::state().legacy_calls == 0);
  }
  CHECK(fake_cudnn::state().open_handles == 0);
}

TEST_CASE("a trial tells the algorithm that it runs, and runs that one alone") {
  fake_cudnn::install();
  Emulated emulated;
  const auto first = emulated.gpu().prepare(conv(), {});
  CHECK(first->run({}).note == "cuDNN 9.19.0, WINOGRAD");
  const auto named = emulated.gpu().prepare(conv("GEMM"), {});
  CHECK(named->work() == work_of(conv()));
  fake_cudnn::state().algorithms.clear();
  CHECK(named->run({}).note == "cuDNN 9.19.0, GEMM");
  REQUIRE(!fake_cudnn::state().algorithms.empty());
  for (const int algorithm : fake_cudnn::state().algorithms) CHECK(algorithm == 2);
}

TEST_CASE("a first choice whose workspace free memory does not hold is passed over") {
  fake_cudnn::install();
  Emulated emulated;
  fake_cudnn::state().workspace_bytes[6] = std::uint64_t{1} << 40;
  CHECK(emulated.gpu().prepare(conv(), {})->run({}).note == "cuDNN 9.19.0, IMPLICIT_PRECOMP_GEMM");
  CHECK(contains(refusal(emulated.gpu(), conv("WINOGRAD")), "WINOGRAD needs a workspace of"));
  fake_cudnn::state().choices = {6};
  CHECK(contains(refusal(emulated.gpu(), conv()), "offers no algorithm for this convolution"));
}

TEST_CASE("a verification finds sums without a channel, imprecise ones and unwritten results") {
  fake_cudnn::install();
  Emulated emulated;
  for (const char* const algorithm : {"IMPLICIT_GEMM", "WINOGRAD"}) {
    const auto trial = emulated.gpu().prepare(conv(algorithm), {});
    fake_cudnn::State& state = fake_cudnn::state();
    CHECK(trial->verify({}).ok);
    state.skips_last_channel = true;
    CHECK(contains(trial->verify({}).why, "of the convolution: expected"));
    state.skips_last_channel = false;
    // More than a plain sum may be off, and less than transforms may.
    state.error = 1e-3;
    CHECK(trial->verify({}).ok == (algorithm == std::string("WINOGRAD")));
    state.error = 0;
    state.unwritten = 3;
    CHECK(trial->verify({}).why == "the kernel left 3 of 392 elements unwritten");
    state.unwritten = 0;
  }
}

TEST_CASE("without cuDNN, with one that fails, and for what it does not offer there is a reason") {
  {
    Emulated emulated;
    const Kernel* const row = find_kernel(emulated.gpu().kernels(), conv());
    REQUIRE(row != nullptr);
    CHECK_FALSE(row->runs);
    CHECK(contains(row->why_not, "cuDNN 9 (libcudnn.so.9) was not found; install it from"));
    CHECK(refusal(emulated.gpu(), conv()) == row->why_not);
  }
  fake_library::installed()["libcudnn.so.9"] = {};
  {
    Emulated emulated;
    CHECK(refusal(emulated.gpu(), conv()) ==
          "libcudnn.so.9 lacks required functions; install cuDNN 9");
  }
  fake_cudnn::install();
  Emulated emulated;
  Device& gpu = emulated.gpu();
  fake_cudnn::State& state = fake_cudnn::state();
  state.create = 1;
  CHECK(refusal(gpu, conv()) == "cuDNN 9.19.0: starting failed: an emulated status (status 1)");
  state.create = 0;
  CHECK(contains(refusal(gpu, conv_case({1, 1, 1, 1}, Data::random)), "on a CPU alone"));
  CHECK(refusal(gpu, conv("FFT")) ==
        "cuDNN 9.19.0 does not offer FFT for this convolution: an emulated status");
  CHECK(refusal(gpu, conv("DIRECT")) != "");
  state.choose = 3000;
  CHECK(contains(refusal(gpu, conv()), "choosing an algorithm failed"));
  state.choose = 0;
  CHECK(refusal(gpu, conv()).empty());
  state.forward = 5000;
  const auto trial = gpu.prepare(conv(), {});
  CHECK_THROWS_WITH_AS(trial->run({}),
                       "cuDNN 9.19.0: computing a convolution failed: an emulated status (status "
                       "5000)",
                       Unsupported);
  state.forward = 0;
}
