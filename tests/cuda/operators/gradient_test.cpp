// Chains with a backward pass, which are generated and compiled at run time, on an emulated CUDA
// runtime: right, found wrong, refused.
#include <doctest/doctest.h>

#include <algorithm>
#include <string>

#include "kernels/cuda/bodies/arguments.hpp"
#include "kernels/cuda/operators/chain_source.hpp"
#include "kernels/families/family.hpp"
#include "kernels/families/pointwise/pointwise.hpp"
#include "kernels/kept/kept_source.hpp"
#include "tests/cuda/fakes/emulated.hpp"
#include "tests/cuda/fakes/libraries/fake_nvrtc.hpp"
#include "tests/cuda/refusal.hpp"
#include "tests/text.hpp"

using namespace kernels;
using tests::contains;
using tests::refusal;

namespace {

struct Way {
  Fusion fusion;
  Activations activations;
};
constexpr Way ways[] = {{Fusion::unfused, Activations::kept},
                        {Fusion::fused, Activations::kept},
                        {Fusion::fused, Activations::recomputed}};

Case chain(Ops ops, const Way& way = ways[1], std::uint64_t elements = 64 * 101) {
  Case c{.family = Family::pointwise,
         .ops = ops,
         .fusion = way.fusion,
         .elements = elements,
         .by = By::generated};
  return with_activations(c, way.activations);
}

/// Changes a byte of a tensor, counted from the first result, behind each launch of a pass.
void spoil(std::uint64_t tensor, std::uint64_t byte) {
  static std::uint8_t* results = nullptr;
  results = nullptr;
  fake_cuda::state().before_kernel = [](const void*, void* arguments) {
    auto* const args = static_cast<cuda::GradientArguments*>(arguments);
    if (args->stride == 16) results = reinterpret_cast<std::uint8_t*>(args->results);
  };
  fake_cuda::state().on_launch = [=] {
    if (results != nullptr) results[tensor * 16 * sizeof(cuda::Vector) + byte] += 0x21;
    results = nullptr;
  };
}

}  // namespace

TEST_CASE("every operator is right forward and backward, in each way") {
  fake_nvrtc::install();
  Emulated emulated;
  for (const Op op : Family::pointwise->ops) {
    for (const Dtype dtype : {Dtype::fp32, Dtype::fp64}) {
      for (const Way& way : ways) {
        Case c = chain({op, Op::mul}, way, 64 * 9);
        c.dtype = dtype;
        check_case(emulated.gpu(), c);
      }
    }
  }
}

TEST_CASE("chains are right forward and backward, of any length and number of blocks") {
  fake_nvrtc::install();
  Emulated emulated;
  const Ops all{Op::gelu, Op::silu, Op::cos, Op::exp, Op::tanh, Op::gelu_tanh};
  for (const Way& way : ways) {
    check_case(emulated.gpu(), chain(all, way));
    for (const std::uint64_t length : {1, 2, 3, 16})
      check_case(emulated.gpu(), with(chain({Op::relu, Op::mul, Op::sqrt}, way), "length", length));
    for (const std::uint64_t elements : {64, 2048, 2048 + 64, 3 * 2048})
      check_case(emulated.gpu(), chain({Op::add, Op::mul}, way, elements));
    Case c = chain({Op::mul, Op::relu}, way);
    c.data = Data::zeros;
    c.repeat = 3;
    check_case(emulated.gpu(), c);
  }
}

TEST_CASE(
    "what a case with a backward pass allocates is what its formula says, and launches, too") {
  fake_nvrtc::install();
  Emulated emulated;
  for (const Way& way : ways) {
    const Case c = with(chain(Op::mul, way), "length", 4);
    const auto trial = emulated.gpu().prepare(c, {});
    const std::vector<Value> values = trial->run({}).values;
    REQUIRE(values.size() == 1);
    CHECK(values.front() == Value{"allocated", footprint_of(c)});
    CHECK(trial->verify({}).ok);  // is calibrated
    int launches = 0;
    fake_cuda::state().before_kernel = [&](const void*, void* arguments) {
      if (static_cast<cuda::GradientArguments*>(arguments)->stride == c.elements / 4) ++launches;
    };
    CHECK(trial->verify({}).ok);
    fake_cuda::state().before_kernel = {};
    CHECK(launches == work_of(c).launches);
  }
}

TEST_CASE("the source of both passes is kept, and shows the last derivative first") {
  fake_nvrtc::install();
  Emulated emulated;
  const auto trial = emulated.gpu().prepare(chain({Op::relu, Op::tanh}), {});
  const std::string note = trial->run({}).note;
  CHECK(contains(note, "16-byte accesses; functions of CUDA, within 2 ULP; generated"));
  const std::string text = read_source(source_named_in(note)).text;
  CHECK(contains(text, "// Forward and backward pass of 2 operators of relu,tanh in fp32\n"));
  CHECK(contains(text, "keep(x[2][j] = tanh_of(x[1][j], k));"));
  CHECK(text.find("tanh_gradient(x[1]") < text.find("relu_gradient(x[0]"));
  CHECK_FALSE(contains(text, "@"));
}

TEST_CASE("an operator that a chain has often is compiled once, a chain in both passes, too") {
  fake_nvrtc::install();
  Emulated emulated;
  emulated.gpu().prepare(with(chain({Op::add, Op::mul}, ways[0]), "length", 6), {});
  CHECK(fake_nvrtc::state().compilations == 2);
  emulated.gpu().prepare(chain({Op::add, Op::mul}, ways[2]), {});
  CHECK(fake_nvrtc::state().compilations == 3);
}

TEST_CASE("a verification finds a wrong result, kept or last, and a wrong gradient") {
  fake_nvrtc::install();
  Emulated emulated;
  const Case c = chain({Op::mul, Op::add, Op::mul}, ways[1], 64);
  const auto trial = emulated.gpu().prepare(c, {});
  CHECK(trial->verify({}).ok);
  const auto why = [&](std::uint64_t tensor) {
    spoil(tensor, 63 * sizeof(float) + 2);
    const std::string found = trial->verify({}).why;
    fake_cuda::state().before_kernel = {};
    fake_cuda::state().on_launch = {};
    return found;
  };
  CHECK(why(0).starts_with("kept result 1 of 3, element 63 of 64: expected"));
  CHECK(why(1).starts_with("kept result 2 of 3, element 63 of 64: expected"));
  CHECK(why(2).starts_with("element 63 of 64: expected"));
  CHECK(why(3).starts_with("gradient, element 63 of 64: expected"));
  CHECK(trial->verify({}).ok);
}

TEST_CASE("a verification finds elements that a pass leaves out") {
  fake_nvrtc::install();
  Emulated emulated;
  const auto trial = emulated.gpu().prepare(chain(Op::mul, ways[2], 64), {});
  fake_cuda::state().before_kernel = [](const void*, void* arguments) {
    auto* const args = static_cast<cuda::GradientArguments*>(arguments);
    if (args->stride == 16) --args->vectors;
  };
  CHECK(trial->verify({}).why == "the kernel left 8 of 128 elements unwritten");
  fake_cuda::state().before_kernel = {};
}

TEST_CASE("a long pass can be cut and stopped between its parts") {
  fake_nvrtc::install();
  Emulated emulated;
  fake_cuda::state().launch_seconds = 1e-6;
  fake_cuda::state().block_seconds = 20e-3;
  for (const Way& way : ways) {
    const auto trial = emulated.gpu().prepare(chain({Op::add, Op::mul}, way, 10 * 2048), {});
    const Check check = trial->verify({});
    CHECK_MESSAGE(check.ok, check.why);
    const Sample run = trial->run({});
    CHECK(run.seconds > 0.3);
    CHECK(contains(run.remark, "cut into slices"));
  }
}

TEST_CASE("what cannot run forward and backward says why") {
  const Case c = chain({Op::cos, Op::relu});
  {
    Emulated emulated;
    CHECK(contains(refusal(emulated.gpu(), c), "NVRTC (libnvrtc.so.13 or .12) was not found"));
  }
  fake_nvrtc::install();
  Emulated emulated;
  Device& gpu = emulated.gpu();
  CHECK(contains(refusal(gpu, chain(Op::mul, {Fusion::unfused, Activations::recomputed})),
                 "recomputed in a fused kernel"));
  CHECK(contains(refusal(gpu, chain(Op::mul, ways[1], 100)), "multiples of 64"));
  CHECK(contains(refusal(gpu, with(chain(Op::exp), "length", 12)),
                 "too large to verify enough results"));
  Case own = c;
  own.by = By::own;
  CHECK(contains(refusal(gpu, own), "are generated"));
  fake_nvrtc::State& state = fake_nvrtc::state();
  state.compile = 6;
  state.log = "gradient.cu(3): error: no such function\nmore";
  CHECK(refusal(gpu, c) == "NVRTC 13.0 failed: gradient.cu(3): error: no such function");
  state = {};
  state.get_function = 500;  // CUDA_ERROR_NOT_FOUND
  CHECK(contains(refusal(gpu, c), "finding a generated kernel failed"));
  CHECK(state.open_modules == 0);
  state = {};
  CHECK(refusal(gpu, c).empty());
}
