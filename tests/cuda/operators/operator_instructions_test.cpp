// The machine code of the operators of neural networks: what they access, and what they keep in
// local memory. Their FLOP: operator_flops_test.cpp.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <string>
#include <vector>

#include "kernels/families/pointwise/pointwise_body.hpp"
#include "kernels/families/rowwise/rowwise_body.hpp"
#include "kernels/ops.hpp"
#include "tests/cuda/machine_code/sass.hpp"
#include "tests/text.hpp"

using namespace kernels;
using namespace kernels::cuda;
using tests::contains;

namespace {

constexpr unsigned fmnmx = 0x09, dsetp = 0x2a;
constexpr unsigned mufu_opcode = 0x308;  // its low bits are those of FSEL, too

/// Bytes of an element that a kernel reads, by its first template argument.
int element_bytes(const std::string& name) {
  if (contains(name, "<kernels::cuda::WidenedBf16") || contains(name, "<unsigned short")) return 2;
  return contains(name, "<double") ? 8 : 4;
}

int elements_of(const std::string& name, int vectors) {
  return vectors * static_cast<int>(sizeof(Vector)) / element_bytes(name);
}

/// Vectors of a row that a thread holds.
int row_vectors_in(const std::string& name) {
  return row_vectors_for(static_cast<std::size_t>(element_bytes(name)));
}

int count_of(const cubin::Kernel& kernel, unsigned operation) {
  return sass::count(kernel, sass::everything(kernel),
                     [&](const cubin::Instruction& i) { return i.operation() == operation; });
}

Op row_op(const std::string& name) {
  int row = 0;
  const std::size_t at = name.find("(unsigned char)");
  REQUIRE(at != std::string::npos);
  REQUIRE(std::sscanf(name.c_str() + at, "(unsigned char)%d,", &row) == 1);
  return {static_cast<std::uint8_t>(row)};
}

struct One {
  const char* name;  // of the template argument
  unsigned single, wide;
};
constexpr One ones[] = {{"pointwise::mul>", sass::fmul, sass::dmul},
                        {"pointwise::add>", sass::fadd, sass::dadd},
                        {"pointwise::relu>", fmnmx, dsetp}};

}  // namespace

TEST_CASE("an operator of one FLOP is one instruction for each element, a function at least one") {
  for (const int architecture : sass::architectures) {
    int exact = 0, functions = 0;
    for (const cubin::Kernel& kernel : sass::kernels_of("pointwise", architecture)) {
      CAPTURE(architecture);
      CAPTURE(kernel.name);
      const bool wide = contains(kernel.name, "<double");
      const int elements = elements_of(kernel.name, vectors_per_thread);
      for (const One& one : ones) {
        if (!contains(kernel.name, one.name)) continue;
        CHECK(count_of(kernel, one.single) == (wide ? 0 : elements));
        CHECK(count_of(kernel, one.wide) == (wide ? elements : 0));
        ++exact;
      }
      for (const char* name : {"exp>", "tanh>", "silu>", "sqrt>", "reciprocal>", "gelu_tanh>"}) {
        if (wide || !contains(kernel.name, std::string("pointwise::") + name)) continue;
        CHECK(sass::count(kernel, sass::everything(kernel), [](const cubin::Instruction& i) {
                return i.opcode == mufu_opcode;
              }) >= elements);
        ++functions;
      }
    }
    CHECK(exact == 3 * 3);
    CHECK(functions == 2 * 6);
  }
}

TEST_CASE("operators on rows move 16 bytes at a time, and read what they hold once in a pass") {
  for (const int architecture : sass::architectures) {
    int kernels = 0;
    for (const cubin::Kernel& kernel : sass::kernels_of("rowwise", architecture)) {
      CAPTURE(architecture);
      CAPTURE(kernel.name);
      const bool transposes = contains(kernel.name, "transpose_kernel<");
      const bool sums_columns = contains(kernel.name, "column_sum_kernel<");
      const bool sums = !transposes && !sums_columns && row_op(kernel.name) == Op::sum;
      const bool rounds =
          contains(kernel.name, "column_sum_kernel<float, kernels::cuda::WidenedBf16");
      const int row_vectors = row_vectors_in(kernel.name);
      int loads = 0;
      for (const cubin::Instruction& i : kernel.code) {
        if (i.operation() == sass::store_global && !sums)
          CHECK(i.access_bytes == (rounds ? 8 : 16));
        if (i.operation() != sass::load_global) continue;
        CHECK(i.access_bytes == 16);
        ++loads;
      }
      if (transposes) {
        CHECK(loads ==
              transpose_side * transpose_side / row_block_threads / elements_of(kernel.name, 1));
      } else if (sums_columns) {
        CHECK(loads == row_vectors);
      } else {
        const Op op = row_op(kernel.name);
        const int passes = reductions_of(op) + (sums ? 0 : 1);
        CHECK(loads == row_vectors * passes * (reads_second(op) ? 2 : 1));
      }
      ++kernels;
    }
    CHECK(kernels == 14 * 2 * 3 + 3 + 4);
  }
}

TEST_CASE("no register of an operator spills, says ptxas") {
  for (const int architecture : sass::architectures) {
    for (const char* const file : {"pointwise", "rowwise"}) {
      std::ifstream log(sass::path_of(file, std::to_string(architecture)) + ".log");
      REQUIRE(log.good());
      int kernels = 0;
      for (std::string line; std::getline(log, line);) {
        if (!contains(line, "bytes spill stores")) continue;
        CAPTURE(architecture);
        CHECK(contains(line, " 0 bytes spill stores, 0 bytes spill loads"));
        ++kernels;
      }
      CHECK(kernels >= 24);
    }
  }
}

TEST_CASE("operators keep nothing in local memory but the slow path of CUDA's cosine") {
  for (const int architecture : sass::architectures) {
    for (const char* const file : {"pointwise", "rowwise"}) {
      for (const cubin::Kernel& kernel : sass::kernels_of(file, architecture)) {
        CAPTURE(architecture);
        CAPTURE(kernel.name);
        const bool cosine = contains(kernel.name, "pointwise::cos>") ||
                            contains(kernel.name, "pointwise_list_kernel<");
        // It reduces arguments beyond 105615 with 28 bytes of fp32, or in a function with 40 of
        // fp64.
        CHECK(kernel.frame_bytes <= (cosine ? 48 : 0));
        CHECK(kernel.registers > 0);
      }
    }
  }
}
