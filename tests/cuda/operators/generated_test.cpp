// Fused chains that are generated and compiled at run time, on an emulated CUDA runtime: found,
// missing, refused by the compiler, refused by the driver.
#include <doctest/doctest.h>

#include <algorithm>
#include <string>

#include "kernels/cuda/bodies/arguments.hpp"
#include "kernels/families/pointwise/pointwise.hpp"
#include "tests/cuda/fakes/emulated.hpp"
#include "tests/cuda/fakes/libraries/fake_nvrtc.hpp"
#include "tests/cuda/refusal.hpp"
#include "tests/files.hpp"
#include "tests/text.hpp"

using namespace kernels;
using tests::contains;
using tests::refusal;

namespace {

Case generated(Ops ops, std::uint64_t elements = 5001, Dtype dtype = Dtype::fp32) {
  return {.family = Family::pointwise,
          .ops = ops,
          .dtype = dtype,
          .elements = elements,
          .by = By::generated};
}

}  // namespace

TEST_CASE("a generated chain verifies with every operator, at odd sizes and any length") {
  fake_nvrtc::install();
  Emulated emulated;
  for (const Dtype dtype : {Dtype::fp32, Dtype::fp64}) {
    const Ops all{Op::mul,  Op::add,  Op::relu, Op::cos,       Op::exp, Op::reciprocal,
                  Op::tanh, Op::silu, Op::gelu, Op::gelu_tanh, Op::sqrt};
    for (const std::uint64_t elements : {1, 4095, 4096, 9001})
      check_case(emulated.gpu(), generated(all, elements, dtype));
  }
  check_case(emulated.gpu(), with(generated({Op::cos, Op::relu}), "length", 16));
  CHECK(fake_nvrtc::state().open_programs == 0);
}

TEST_CASE(
    "a chain is compiled once for the GPU that it runs on, its text kept, and unloaded at last") {
  fake_nvrtc::install();
  {
    Emulated emulated;
    const auto trial = emulated.gpu().prepare(generated({Op::cos, Op::cos}), {});
    emulated.gpu().prepare(generated({Op::cos, Op::cos}, 77), {});
    const fake_nvrtc::State& state = fake_nvrtc::state();
    CHECK(state.compilations == 1);
    CHECK(state.open_modules == 1);
    CHECK(state.options.front() == "--gpu-architecture=sm_90");
    CHECK_FALSE(state.as_ptx);
    const std::string note = trial->run({}).note;
    CHECK(contains(note, "generated and compiled by NVRTC 13.0: /"));
    const std::string text = tests::read_file(note.substr(note.find(": /") + 2));
    CHECK(contains(text, "// 2 operators of cos,cos in fp32\n"));
    CHECK(contains(text, "keep(x[i] = cos_of(x[i], k));"));
    const auto& libraries = emulated.gpu().info().libraries;
    CHECK(std::ranges::any_of(libraries, [](const auto& one) { return one.name == "NVRTC"; }));
  }
  CHECK(fake_nvrtc::state().open_modules == 0);
}

TEST_CASE("a compiler that does not know the GPU makes PTX of the newest that it knows") {
  fake_nvrtc::install("libnvrtc.so.12");
  Emulated emulated;
  fake_nvrtc::state().architectures = {75, 80, 86};
  check_case(emulated.gpu(), generated({Op::relu, Op::mul}));
  CHECK(fake_nvrtc::state().options.front() == "--gpu-architecture=compute_86");
  CHECK(fake_nvrtc::state().as_ptx);
  fake_nvrtc::state().architectures = {100};
  CHECK(refusal(emulated.gpu(), generated({Op::relu, Op::add})) ==
        "NVRTC 13.0 does not compile for compute capability 9.0");
}

TEST_CASE("a verification finds a generated kernel that leaves out elements or gets one wrong") {
  fake_nvrtc::install();
  Emulated emulated;
  const auto trial = emulated.gpu().prepare(generated({Op::exp, Op::tanh}), {});
  CHECK(trial->verify({}).ok);
  // Of the kernels that a verification runs only this one has so many elements to write.
  fake_cuda::state().before_kernel = [](const void*, void* arguments) {
    auto* const args = static_cast<cuda::PointwiseArguments*>(arguments);
    if (args->elements == 5001) args->elements -= 2;
  };
  CHECK(trial->verify({}).why == "the kernel left 2 of 5001 elements unwritten");
}

TEST_CASE("without NVRTC, with one that fails, and where the driver refuses, there is a reason") {
  const Case c = generated({Op::cos, Op::relu});
  {
    Emulated emulated;
    CHECK(contains(refusal(emulated.gpu(), c), "NVRTC (libnvrtc.so.13 or .12) was not found"));
    Case list = c;
    list.by = By::own;
    check_case(emulated.gpu(), list);
  }
  fake_library::installed()["libnvrtc.so.13"] = {};
  {
    Emulated emulated;
    CHECK(refusal(emulated.gpu(), c) ==
          "libnvrtc.so.13 lacks required functions; install NVRTC 12.4 or newer");
  }
  fake_nvrtc::install("libnvrtc.so.13", false);
  {
    Emulated emulated;
    CHECK(contains(refusal(emulated.gpu(), c), "the CUDA driver (libcuda.so.1) lacks functions"));
  }
  fake_nvrtc::install();
  Emulated emulated;
  fake_nvrtc::State& state = fake_nvrtc::state();
  state.compile = 6;
  state.log = "note: x\nchain.cu(3): error: no such function\nmore";
  CHECK(refusal(emulated.gpu(), c) == "NVRTC 13.0 failed: chain.cu(3): error: no such function");
  state.log = "";
  CHECK(refusal(emulated.gpu(), c) == "NVRTC 13.0 failed: NVRTC_ERROR_EMULATED");
  state = {};
  state.create = 1;
  CHECK(refusal(emulated.gpu(), c) == "NVRTC 13.0 failed: NVRTC_ERROR_EMULATED");
  state = {};
  state.empty_code = true;
  CHECK(contains(refusal(emulated.gpu(), c), "NVRTC 13.0 generated no code for kernel-"));
  state = {};
  state.load = 218;  // CUDA_ERROR_INVALID_PTX
  CHECK(contains(refusal(emulated.gpu(), c), "loading a generated kernel failed"));
  state = {};
  state.get_function = 500;  // CUDA_ERROR_NOT_FOUND
  CHECK(contains(refusal(emulated.gpu(), c), "finding a generated kernel failed"));
  CHECK(state.open_modules == 0);
  CHECK(state.open_programs == 0);
  state = {};
  CHECK(refusal(emulated.gpu(), c).empty());
}

TEST_CASE("the time of a compilation counts as compiling, whether it succeeds or fails") {
  fake_nvrtc::install();
  Emulated emulated;
  const auto grows = [&](const Case& c, bool fails) {
    const double before = emulated.gpu().seconds_compiling();
    CHECK(refusal(emulated.gpu(), c).empty() != fails);
    return emulated.gpu().seconds_compiling() > before;
  };
  const Case c = generated({Op::cos, Op::mul});
  fake_nvrtc::state().compile = 6;
  CHECK(grows(c, true));
  CHECK(grows(c, true));
  fake_nvrtc::state() = {};
  fake_nvrtc::state().load = 218;
  CHECK(grows(c, true));
  fake_nvrtc::state() = {};
  CHECK(grows(c, false));
  CHECK_FALSE(grows(c, false));  // it is there
}

TEST_CASE("a generated kernel is fused, and of a length that one kernel can hold") {
  fake_nvrtc::install();
  Emulated emulated;
  Case c = generated({Op::cos, Op::cos});
  c.fusion = Fusion::unfused;
  CHECK(contains(refusal(emulated.gpu(), c), "choose fused"));
  c = with(generated(Op::cos), "length", 16);
  c.repeat = 5;
  CHECK(contains(refusal(emulated.gpu(), c), "at most 64 operators"));
}
