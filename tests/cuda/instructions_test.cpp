// The work formulas against machine code: how many arithmetic instructions each kernel executes per
// trip of its loop, for every architecture. Opcodes as nvdisasm of CUDA 13.0 names them.
#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "cubin.hpp"
#include "kernels/cuda/chain_body.hpp"
#include "kernels/cuda/mma_layout.hpp"
#include "kernels/cuda/rows.hpp"

using namespace kernels;
using namespace kernels::cuda;

namespace {

constexpr int architectures[] = {75, 80, 86, 89, 90, 100, 120};

namespace sass {
// Operations, low 8 bits of the opcode.
constexpr unsigned fmul = 0x20, fadd = 0x21, ffma = 0x23;
constexpr unsigned dmul = 0x28, dadd = 0x29, dfma = 0x2b;
constexpr unsigned hadd2 = 0x30, hfma2 = 0x31, hmul2 = 0x32;
constexpr unsigned iadd3 = 0x10, imad = 0x24, viadd = 0x36, idp = 0x26;
constexpr unsigned hmma = 0x3c, imma = 0x37, dmma = 0x3f, qmma = 0x7a;
// HFMA2 on the second pipe of compute capability 8.0 and 9.0; IADD on 12.0.
constexpr unsigned hfma2_mma_or_iadd = 0x35;
// Whole opcodes of accesses to local memory: registers that were spilled.
constexpr unsigned load_local = 0x983, store_local = 0x387, store_local_uniform = 0x987;
}  // namespace sass

using Operations = std::set<unsigned>;

std::vector<cubin::Kernel> kernels_of(const std::string& file, int architecture) {
  return cubin::read(std::string(RIDGEPOINT_CUBINS) + "/" + file + ".sm_" +
                         std::to_string(architecture) + ".cubin",
                     architecture);
}

bool contains(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

template <class Predicate>
int count(const cubin::Kernel& kernel, cubin::Loop loop, Predicate predicate) {
  return static_cast<int>(
      std::count_if(kernel.code.begin() + static_cast<std::ptrdiff_t>(loop.first),
                    kernel.code.begin() + static_cast<std::ptrdiff_t>(loop.last) + 1, predicate));
}

cubin::Loop everything(const cubin::Kernel& kernel) { return {0, kernel.code.size() - 1}; }

// Counts per innermost loop, without those that do none of it.
std::vector<int> loop_counts(const cubin::Kernel& kernel, const Operations& operations,
                             bool predicated_only) {
  std::vector<int> counts;
  for (const cubin::Loop& loop : cubin::innermost_loops(kernel)) {
    const int n = count(kernel, loop, [&](const cubin::Instruction& i) {
      return operations.contains(i.operation()) && (!predicated_only || i.predicated);
    });
    if (n > 0) counts.push_back(n);
  }
  std::ranges::sort(counts);
  return counts;
}

void check_no_spills(const cubin::Kernel& kernel) {
  CHECK(count(kernel, everything(kernel), [](const cubin::Instruction& i) {
          return i.opcode == sass::load_local || i.opcode == sass::store_local ||
                 i.opcode == sass::store_local_uniform;
        }) == 0);
}

// What a chain or peak kernel may use for its op, and what else of that kind must not appear.
struct OpCodes {
  Operations wanted;
  Operations all;
  bool predicated_only = false;  // integer ops are, index arithmetic is not
};

OpCodes arithmetic_of(Dtype arithmetic, Op op, int architecture) {
  const Operations second_pipe = architecture < 120
                                     ? Operations{sass::hfma2, sass::hfma2_mma_or_iadd}
                                     : Operations{sass::hfma2};
  Operations halves = second_pipe;
  switch (arithmetic) {
    case Dtype::fp32:
      return {{op == Op::mul   ? sass::fmul
               : op == Op::add ? sass::fadd
                               : sass::ffma},
              {sass::fmul, sass::fadd, sass::ffma}};
    case Dtype::fp64:
      return {{op == Op::mul   ? sass::dmul
               : op == Op::add ? sass::dadd
                               : sass::dfma},
              {sass::dmul, sass::dadd, sass::dfma}};
    case Dtype::int32:
      if (op != Op::add)
        return {
            {sass::imad}, {sass::imad, sass::iadd3, sass::viadd, sass::hfma2_mma_or_iadd}, true};
      return {{sass::imad, sass::iadd3, sass::viadd, sass::hfma2_mma_or_iadd},
              {sass::imad, sass::iadd3, sass::viadd, sass::hfma2_mma_or_iadd},
              true};
    default:
      // A product is also x * a - 0, and a sum x * 1 + b, where the second pipe helps.
      if (op == Op::mul) halves.insert(sass::hmul2);
      if (op == Op::add) halves.insert(sass::hadd2);
      return {halves,
              {sass::hfma2, sass::hadd2, sass::hmul2,
               architecture < 120 ? sass::hfma2_mma_or_iadd : sass::hfma2}};
  }
}

struct Element {
  std::string_view name;  // template argument
  Dtype dtype;
};
constexpr Element elements[] = {{"float", Dtype::fp32},
                                {"double", Dtype::fp64},
                                {"kernels::Wrapping", Dtype::int32},
                                {"kernels::cuda::Fp16Pair", Dtype::fp16},
                                {"kernels::cuda::Bf16Pair", Dtype::bf16}};

const Element& element_of(const std::string& name) {
  const auto found = std::ranges::find_if(elements, [&](const Element& e) {
    return contains(name, std::string("<").append(e.name).append(","));
  });
  REQUIRE(found != std::end(elements));
  return *found;
}

Op op_of(const std::string& name) {
  if (contains(name, "kernels::Mul")) return Op::mul;
  if (contains(name, "kernels::Add")) return Op::add;
  REQUIRE(contains(name, "kernels::Fma"));
  return Op::fma;
}

// Chains of a thread: registers that a thread's four vectors become.
int chains_of(Dtype dtype, Dtype arithmetic) {
  if (arithmetic != dtype) return ChainShape<WidenedBf16>::chains;
  return vectors_per_thread * static_cast<int>(sizeof(Vector)) /
         static_cast<int>(std::max<std::size_t>(4, size_of(dtype)));
}

void check_chain(const cubin::Kernel& kernel, int architecture, int chains) {
  CAPTURE(architecture);
  CAPTURE(kernel.name);
  const Dtype dtype = element_of(kernel.name).dtype;
  const OpCodes a = arithmetic_of(chain_arithmetic(dtype, architecture * 10).dtype,
                                  op_of(kernel.name), architecture);
  const std::vector<int> expected{chains, ops_per_trip};
  CHECK(loop_counts(kernel, a.wanted, a.predicated_only) == expected);
  CHECK(loop_counts(kernel, a.all, a.predicated_only) == expected);
  // No op outside the two loops: nothing was peeled off or folded into it.
  if (!a.predicated_only) {
    CHECK(count(kernel, everything(kernel), [&](const cubin::Instruction& i) {
            return a.wanted.contains(i.operation());
          }) >= chains + ops_per_trip);
  }
  check_no_spills(kernel);
}

int peak_chains(const std::string& name) { return contains(name, ", 4>") ? 4 : 8; }

Dtype dtype_argument(const std::string& name) {
  const std::size_t at = name.find("(kernels::Dtype)");
  REQUIRE(at != std::string::npos);
  return static_cast<Dtype>(std::stoi(name.substr(at + 16)));
}

unsigned mma_operation(Dtype dtype) {
  switch (dtype) {
    case Dtype::fp64:
      return sass::dmma;
    case Dtype::int8:
      return sass::imma;
    case Dtype::fp8:
      return sass::qmma;
    default:
      return sass::hmma;
  }
}

}  // namespace

TEST_CASE("a chain executes one instruction per op: 256 per trip, then one step at a time") {
  for (const int architecture : architectures) {
    int chain_kernels = 0, peak_kernels = 0;
    for (const std::string file : {"chain", "chain_half"}) {
      for (const cubin::Kernel& kernel : kernels_of(file, architecture)) {
        const Dtype dtype = element_of(kernel.name).dtype;
        if (contains(kernel.name, "chain_kernel<")) {
          check_chain(kernel, architecture,
                      chains_of(dtype, chain_arithmetic(dtype, architecture * 10).dtype));
          ++chain_kernels;
        } else {
          check_chain(kernel, architecture, peak_chains(kernel.name));
          ++peak_kernels;
        }
      }
    }
    CHECK(chain_kernels == 3 * 5);
    CHECK(peak_kernels == 8 * 5);
  }
}

TEST_CASE(
    "a matrix tile executes exactly the mma instructions of two tiles per repeat, where it is "
    "native") {
  for (const int architecture : architectures) {
    int native = 0;
    for (const cubin::Kernel& kernel : kernels_of("tile_matrix", architecture)) {
      CAPTURE(architecture);
      CAPTURE(kernel.name);
      const Dtype dtype = dtype_argument(kernel.name);
      const MmaShape shape = mma_shape(dtype, architecture * 10);
      const Operations every{sass::hmma, sass::imma, sass::dmma, sass::qmma};
      if (!shape.native()) {
        CHECK(loop_counts(kernel, every, false).empty());
        continue;
      }
      ++native;
      const std::vector<int> expected{warp_tiles * mma_instructions(shape)};
      CHECK(loop_counts(kernel, {mma_operation(dtype)}, false) == expected);
      // Once in the whole kernel, and nothing emulates it with another one or with FMAs.
      CHECK(count(kernel, everything(kernel), [&](const cubin::Instruction& i) {
              return every.contains(i.operation());
            }) == expected[0]);
      CHECK(loop_counts(kernel,
                        {sass::ffma, sass::fadd, sass::fmul, sass::dfma, sass::dadd, sass::hfma2,
                         sass::hadd2},
                        false)
                .empty());
      check_no_spills(kernel);
    }
    const bool has_fp8 = architecture == 89 || architecture == 120;
    CHECK(native == 2 * (architecture == 75 ? 2 : has_fp8 ? 6 : 5));
  }
}

TEST_CASE("a vector tile executes one FMA per product, and four products per dp4a") {
  for (const int architecture : architectures) {
    int kernels_seen = 0;
    for (const cubin::Kernel& kernel : kernels_of("tile_vector", architecture)) {
      CAPTURE(architecture);
      CAPTURE(kernel.name);
      const Dtype dtype = dtype_argument(kernel.name);
      const unsigned operation = dtype == Dtype::int8   ? sass::idp
                                 : dtype == Dtype::fp64 ? sass::dfma
                                                        : sass::ffma;
      // 16 accumulators per lane, times the depth of the tile.
      const int products =
          16 * static_cast<int>(tile_depth(dtype)) / (dtype == Dtype::int8 ? 4 : 1);
      CHECK(loop_counts(kernel, {operation}, false) == std::vector<int>{products});
      CHECK(loop_counts(kernel, {sass::fadd, sass::fmul, sass::dadd, sass::dmul}, false).empty());
      check_no_spills(kernel);
      ++kernels_seen;
    }
    CHECK(kernels_seen == 5);
  }
}

TEST_CASE("a file that is no cubin is refused with a reason") {
  CHECK_THROWS_WITH_AS(cubin::read("/dev/null", 90), "/dev/null: no ELF file", std::runtime_error);
}
