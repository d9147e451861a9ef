// The machine code that NVRTC makes of a generated forward and backward pass, where this machine
// has it: what it moves, computes and keeps.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <string>
#include <vector>

#include "kernels/cuda/bodies/arguments.hpp"
#include "kernels/cuda/libraries/nvrtc.hpp"
#include "kernels/cuda/operators/chain_source.hpp"
#include "kernels/families/family.hpp"
#include "kernels/families/pointwise/pointwise.hpp"
#include "kernels/operator_flops.hpp"
#include "tests/cuda/machine_code/paths.hpp"
#include "tests/cuda/operators/taken_branches.hpp"

using namespace kernels;

namespace {

/// Both passes of `length` operators.
struct Passes {
  cubin::Kernel forward, backward;

  Passes(const cuda::Nvrtc& nvrtc, Op op, std::uint64_t length, Activations how, int architecture,
         Dtype dtype = Dtype::fp32) {
    Case c{.family = Family::pointwise,
           .ops = op,
           .dtype = dtype,
           .elements = 64,
           .by = By::generated};
    c = with(with_activations(c, how), "length", length);
    const std::string file = sass::path_of("gradient", "generated");
    std::ofstream(file, std::ios::binary) << nvrtc.compile(cuda::gradient_source(c), "gradient.cu",
                                                           architecture, cuda::chain_options());
    for (cubin::Kernel& kernel : cubin::read(file, architecture)) {
      if (kernel.name == cuda::forward_symbol)
        forward = std::move(kernel);
      else if (kernel.name == cuda::backward_symbol)
        backward = std::move(kernel);
    }
    REQUIRE(!forward.code.empty());
    REQUIRE(!backward.code.empty());
    for (const cubin::Kernel* const kernel : {&forward, &backward}) {
      CHECK_FALSE(sass::traps(*kernel));
      CHECK(sass::stores(*kernel));
    }
  }
};

int count_of(const cubin::Kernel& kernel, unsigned operation) {
  return sass::count(kernel, sass::everything(kernel),
                     [&](const cubin::Instruction& i) { return i.operation() == operation; });
}

bool moves_whole_vectors(const cubin::Kernel& kernel) {
  return std::ranges::all_of(kernel.code, [](const cubin::Instruction& i) {
    const bool moves = i.operation() == sass::load_global || i.operation() == sass::store_global;
    return !moves || i.access_bytes == sizeof(cuda::Vector);
  });
}

}  // namespace

TEST_CASE("generated passes of mul have the loads, stores and FLOP of their formula") {
  const cuda::Nvrtc nvrtc(0);
  if (!nvrtc.why_not().empty()) {
    MESSAGE("skipped: " << nvrtc.why_not());
    return;
  }
  constexpr int each = cuda::gradient_vectors, lanes = each * 4;
  for (const int architecture : sass::architectures) {
    for (const int n : {1, 4, 16}) {
      CAPTURE(architecture);
      CAPTURE(n);
      const auto length = static_cast<std::uint64_t>(n);
      const Passes kept(nvrtc, Op::mul, length, Activations::kept, architecture);
      CHECK(count_of(kept.forward, sass::load_global) == each);
      CHECK(count_of(kept.forward, sass::store_global) == n * each);
      CHECK(count_of(kept.forward, sass::fmul) == n * lanes);
      CHECK(count_of(kept.backward, sass::load_global) == (n + 1) * each);
      CHECK(count_of(kept.backward, sass::store_global) == each);
      CHECK(count_of(kept.backward, sass::fmul) == n * lanes);
      const Passes again(nvrtc, Op::mul, length, Activations::recomputed, architecture);
      CHECK(count_of(again.forward, sass::load_global) == each);
      CHECK(count_of(again.forward, sass::store_global) == each);
      CHECK(count_of(again.forward, sass::fmul) == n * lanes);
      CHECK(count_of(again.backward, sass::load_global) == 2 * each);
      CHECK(count_of(again.backward, sass::store_global) == each);
      // A few more where ptxas computes a value twice rather than keeping it in a register.
      CHECK(count_of(again.backward, sass::fmul) >= (2 * n - 1) * lanes);
      CHECK(count_of(again.backward, sass::fmul) < 2 * n * lanes);
    }
  }
}

TEST_CASE("generated passes execute the FLOP of the table, and once what both need") {
  const cuda::Nvrtc nvrtc(0);
  if (!nvrtc.why_not().empty()) return;
  constexpr int architecture = 90, length = 4;  // the table's
  for (const Op op : Family::pointwise->ops) {
    for (const Dtype dtype : {Dtype::fp32, Dtype::fp64}) {
      CAPTURE(op->name);
      CAPTURE(name_of(dtype));
      const bool wide = dtype == Dtype::fp64;
      const double elements =
          static_cast<double>(cuda::gradient_vectors * sizeof(cuda::Vector) / size_of(dtype));
      const auto flops_of = [&](const cubin::Kernel& kernel) {
        const sass::Flops flops = sass::flops_between(kernel, sass::everything(kernel), wide);
        return sass::Flops{flops.least / elements, flops.most / elements};
      };
      const PointwiseFlops table = cuda_operator_flops.pointwise(op, dtype);
      const double taken = taken::flops(op, dtype);
      const Passes one(nvrtc, op, 1, Activations::kept, architecture, dtype);
      CHECK(flops_of(one.forward).least + taken == doctest::Approx(table.forward).epsilon(0.005));
      CHECK(flops_of(one.backward).least + taken::gradient_flops(op, dtype) ==
            doctest::Approx(table.gradient).epsilon(0.005));
      const Passes again(nvrtc, op, length, Activations::recomputed, architecture, dtype);
      const double both = length * table.gradient + (length - 1) * (table.forward - table.shared);
      // Which branches were joined is not to be seen.
      const sass::Flops counted = flops_of(again.backward);
      const double comparisons = op == Op::relu ? 2 * length - 1 : 0;
      CHECK(counted.least + comparisons <= 1.01 * both);
      CHECK(counted.most + comparisons >= 0.99 * both);
    }
  }
}

TEST_CASE(
    "generated passes move 16 bytes at a time, and keep nothing in local memory but for cos") {
  const cuda::Nvrtc nvrtc(0);
  if (!nvrtc.why_not().empty()) return;
  for (const Op op : Family::pointwise->ops) {
    for (const Activations how : {Activations::kept, Activations::recomputed}) {
      const int architecture = sass::architectures.back();
      const Passes passes(nvrtc, op, 4, how, architecture);
      for (const cubin::Kernel* kernel : {&passes.forward, &passes.backward}) {
        CAPTURE(op->name);
        CAPTURE(kernel->name);
        // CUDA's cosine reads a table and keeps an array where it reduces arguments beyond 105615.
        CHECK((op == Op::cos || moves_whole_vectors(*kernel)));
        CHECK(kernel->frame_bytes <= (op == Op::cos ? 48 : 0));
        const std::string name =
            fmt::format("{}, {}", op->name, how == Activations::kept ? "kept" : "recomputed");
        MESSAGE(name << ", " << kernel->name << ": " << kernel->registers << " registers");
      }
    }
  }
}
