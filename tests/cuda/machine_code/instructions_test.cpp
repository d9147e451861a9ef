// The work formulas against machine code: how many arithmetic instructions each kernel executes per
// trip of its loop, for every architecture. Opcodes as nvdisasm of CUDA 13.0 names them.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstdio>
#include <iterator>
#include <map>
#include <numeric>
#include <sstream>
#include <string>
#include <vector>

#include "kernels/cuda/trials/rows.hpp"
#include "kernels/families/banks/banks_body.hpp"
#include "kernels/families/chain/chain_body.hpp"
#include "kernels/families/decode/decode.hpp"
#include "kernels/families/decode/decode_arguments.hpp"
#include "kernels/families/divergence/divergence.hpp"
#include "kernels/families/strided/strided_body.hpp"
#include "tests/cuda/machine_code/counters.hpp"
#include "tests/cuda/machine_code/sass.hpp"
#include "tests/text.hpp"

using namespace kernels;
using namespace kernels::cuda;
using namespace sass;
using tests::contains;

namespace {

// Accesses to local memory, and what the kernel says it needs of it.
bool spills(const cubin::Kernel& kernel) {
  return kernel.frame_bytes > 0 ||
         std::ranges::any_of(kernel.code, [](const cubin::Instruction& i) {
           return i.opcode == sass::load_local || i.opcode == sass::store_local ||
                  i.opcode == sass::store_local_uniform;
         });
}

// ptxas 13.0 holds these to 32 and 40 registers for 10.0, and keeps some of what comes before and
// after their loops in local memory.
bool may_spill(const std::string& path, const std::string& kernel) {
  return contains(path, "stream.sm_100.") &&
         (contains(kernel, "shared_kernel<") ||
          contains(kernel, "stream_kernel<(unsigned char)6, 4, 32>"));
}

bool spills_in_loops(const cubin::Kernel& kernel) {
  return std::ranges::any_of(cubin::innermost_loops(kernel), [&](const cubin::Loop& loop) {
    return sass::count(kernel, loop, [](const cubin::Instruction& i) {
             return i.opcode == sass::load_local || i.opcode == sass::store_local ||
                    i.opcode == sass::store_local_uniform;
           }) > 0;
  });
}

// What a chain or peak kernel may use for its op, and what else of that kind must not appear.
struct OpCodes {
  Operations wanted;
  Operations all;
  bool predicated_only = false;  // integer ops are, index arithmetic is not
};

OpCodes arithmetic_of(Dtype arithmetic, Op op, int architecture) {
  if (arithmetic == Dtype::int8) return {{sass::idp}, {sass::idp}};
  const Operations second_pipe = architecture < 120
                                     ? Operations{sass::hfma2, sass::hfma2_mma_or_iadd}
                                     : Operations{sass::hfma2};
  Operations halves = second_pipe;
  if (op == Op::mul_add && arithmetic != Dtype::int32) {
    const OpCodes product = arithmetic_of(arithmetic, Op::mul, architecture);
    Operations both = product.wanted;
    both.merge(arithmetic_of(arithmetic, Op::add, architecture).wanted);
    return {both, product.all};
  }
  // A root is looked up, then refined by products and sums.
  if (op == Op::sqrt) return {{sass::mufu}, {sass::mufu}};
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
      if (op == Op::mul || op == Op::fma)
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
                                {"kernels::cuda::Int8Quad", Dtype::int8},
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
  if (contains(name, "MulAdd")) return Op::mul_add;
  if (contains(name, "kernels::Mul")) return Op::mul;
  if (contains(name, "kernels::Add")) return Op::add;
  if (contains(name, "kernels::Sqrt")) return Op::sqrt;
  REQUIRE(contains(name, "kernels::Fma"));
  return Op::fma;
}

// Vectors of a thread of a chain kernel.
int vectors_of(const std::string& name) {
  return contains(name, ", 2>(") ? few_vectors : many_vectors;
}

// Chains of a thread: registers that its vectors become.
int chains_of(const std::string& name, Dtype dtype, Dtype arithmetic) {
  const int register_bytes =
      arithmetic != dtype ? 2 : std::max(4, static_cast<int>(size_of(dtype)));
  return vectors_of(name) * static_cast<int>(sizeof(Vector)) / register_bytes;
}

Family family_of(const std::string& name) {
  return contains(name, "peak_kernel<") ? Family::peak : Family::chain;
}

// What scripts/gpu-check-table.awk would compute from ncu's counters of these loops is the work
// that the case claims: the FLOP of `trips` ops on each element of a register.
void check_counters(const cubin::Kernel& kernel, const Case& c, int architecture,
                    const std::vector<int>& trips) {
  const std::string counters = tests::counters_of(c, architecture * 10);
  if (counters == "none") return;
  const Dtype arithmetic = chain_arithmetic(c.dtype, architecture * 10).dtype;
  const int each = static_cast<int>(c.op()->flops) * (size_of(arithmetic) == 2 ? 2 : 1);
  std::vector<int> expected;
  for (const int n : trips) expected.push_back(each * n);
  CHECK(counted_flops(kernel, counters, architecture) == expected);
  // Beside its loops a thread executes nothing that is counted but moves of constants.
  const auto weights = weights_of(counters);
  int all = 0, moved = 0, moves = 0;
  for (const cubin::Instruction& i : kernel.code) {
    const int flops = counted(weights, i, architecture);
    all += flops;
    if (i.constant) moved += flops;
    if (i.constant && flops > 0) ++moves;
  }
  CHECK(all == std::accumulate(expected.begin(), expected.end(), moved));
  CHECK(moves <= tests::constant_moves_of(counters, architecture * 10));
}

void check_chain(const cubin::Kernel& kernel, int architecture, int chains, int unroll) {
  CAPTURE(architecture);
  CAPTURE(kernel.name);
  const Dtype dtype = element_of(kernel.name).dtype;
  const Op op = op_of(kernel.name);
  // A sum of products of int8 is one instruction; that of bf16 may be those of fp32.
  const Dtype arithmetic =
      dtype == Dtype::int8 ? dtype : chain_arithmetic(dtype, architecture * 10).dtype;
  const OpCodes a = arithmetic_of(arithmetic, op, architecture);
  const int each = op == Op::mul_add ? 2 : 1;
  const std::vector<int> expected{each * chains, each * unroll};
  CHECK(loop_counts(kernel, a.wanted, a.predicated_only) == expected);
  CHECK(loop_counts(kernel, a.all, a.predicated_only) == expected);
  check_counters(kernel, {.family = family_of(kernel.name), .ops = op, .dtype = dtype},
                 architecture, {chains, unroll});
  // No op outside the two loops: nothing was peeled off or folded into it.
  if (!a.predicated_only) {
    CHECK(count(kernel, everything(kernel), [&](const cubin::Instruction& i) {
            return a.wanted.contains(i.operation());
          }) >= each * (chains + unroll));
  }
}

// The numbers at the end of a peak kernel's template arguments.
struct PeakNumbers {
  PeakForm form;
  int chains, unroll;
};
PeakNumbers peak_numbers(const std::string& name) {
  int form = 0, chains = 0, unroll = 0;
  const std::size_t at = name.find("PeakForm)");
  REQUIRE(at != std::string::npos);
  REQUIRE(std::sscanf(name.c_str() + at, "PeakForm)%d, %d, %d>", &form, &chains, &unroll) == 3);
  return {static_cast<PeakForm>(form), chains, unroll};
}

// The upper four bits of an opcode: where operands come from.
constexpr unsigned three_registers = 0x2, last_immediate = 0x4, middle_immediate = 0x8;

// An fma of fp32 has its operands where the form says, in every instruction.
void check_form(const cubin::Kernel& kernel, PeakForm form) {
  for (const cubin::Instruction& i : kernel.code) {
    if (i.operation() != sass::ffma) continue;
    const unsigned from = i.opcode >> 8;
    const bool immediate = from == last_immediate || from == middle_immediate;
    const PeakForm seen = from == three_registers ? PeakForm::registers
                          : immediate             ? PeakForm::immediate
                                                  : PeakForm::uniform;
    CHECK(seen == form);
  }
}

// Instructions of a loop that do arithmetic, and of them those that follow the last one of their
// own chain at a distance of less than four.
struct Waits {
  int arithmetic = 0, close = 0;
};
Waits waits_of(const cubin::Kernel& kernel, cubin::Loop loop, const Operations& operations) {
  Waits waits;
  std::map<unsigned, int> written;  // by register, when
  for (std::size_t at = loop.first; at <= loop.last; ++at) {
    const cubin::Instruction& i = kernel.code[at];
    if (!operations.contains(i.operation())) continue;
    const auto before = written.find(i.first);
    if (before != written.end() && waits.arithmetic - before->second < 4) ++waits.close;
    written[i.writes] = waits.arithmetic++;
  }
  return waits;
}

// Most instructions of an operation, without a predicate, between two branches.
int longest_run(const cubin::Kernel& kernel, unsigned operation) {
  int longest = 0, run = 0;
  for (const cubin::Instruction& i : kernel.code) {
    if (i.branches) run = 0;
    if (i.operation() == operation && !i.predicated) longest = std::max(longest, ++run);
  }
  return longest;
}

}  // namespace

TEST_CASE("a chain executes one instruction per op: 64 or 256 per trip, then one step at a time") {
  for (const int architecture : architectures) {
    int kernels = 0;
    for (const std::string file : {"chain", "chain_half"}) {
      for (const cubin::Kernel& kernel : kernels_of(file, architecture)) {
        const Dtype dtype = element_of(kernel.name).dtype;
        const Dtype arithmetic = chain_arithmetic(dtype, architecture * 10).dtype;
        const bool few = vectors_of(kernel.name) == few_vectors;
        check_chain(kernel, architecture, chains_of(kernel.name, dtype, arithmetic),
                    few ? ops_per_trip<few_vectors> : ops_per_trip<many_vectors>);
        ++kernels;
      }
    }
    CHECK(kernels == 3 * (3 * 5 + 2));  // roots are those of fp64 and fp32
  }
}

TEST_CASE("a peak kernel executes what its shape says: ops per trip, chains, operand form") {
  for (const int architecture : architectures) {
    for (const std::string name : {"fp32", "fp64", "fp16", "bf16", "int32", "int8"}) {
      const auto kernels = kernels_of("peak_" + name, architecture);
      for (const cubin::Kernel& kernel : kernels) {
        const PeakNumbers numbers = peak_numbers(kernel.name);
        check_chain(kernel, architecture, numbers.chains, numbers.unroll);
        CAPTURE(architecture);
        CAPTURE(kernel.name);
        if (name == "fp32") check_form(kernel, numbers.form);
      }
      CHECK(kernels.size() == (name == "int8" ? 4 : name == "int32" ? 4 + 4 + 8 : 8 + 8 + 8));
    }
  }
}

// ptxas (CUDA 13.0) computed one of eight chains behind the other seven, where one value was chosen
// of all at the end: 13 % of the peak of an H200.
TEST_CASE("no chain of a packed peak of Hopper waits for itself: all eight advance in turn") {
  if (std::ranges::count(architectures, 90) == 0) return;
  int loops = 0;
  for (const std::string name : {"fp16", "bf16"}) {
    for (const cubin::Kernel& kernel : kernels_of("peak_" + name, 90)) {
      const PeakNumbers numbers = peak_numbers(kernel.name);
      if (op_of(kernel.name) != Op::fma || numbers.chains != 8) continue;
      CAPTURE(kernel.name);
      for (const cubin::Loop& loop : cubin::innermost_loops(kernel)) {
        const Waits waits = waits_of(kernel, loop, {sass::hfma2, sass::hfma2_mma_or_iadd});
        if (waits.arithmetic != numbers.unroll) continue;
        CHECK(waits.close == 0);
        ++loops;
      }
    }
  }
  CHECK(loops == 2 * 2 * 2);  // types, forms, unrolls
}

TEST_CASE("each path of a branch is a loop of its own, of as many fma as the body says") {
  for (const int architecture : architectures) {
    const auto kernels = kernels_of("divergence", architecture);
    REQUIRE(kernels.size() == 1);
    CAPTURE(architecture);
    std::vector<int> expected(most_paths, 1);  // the rest of a path, one at a time
    expected.insert(expected.end(), most_paths, path_unroll);
    CHECK(loop_counts(kernels.front(), {sass::ffma}, false) == expected);
    CHECK(loop_counts(kernels.front(), {sass::ffma, sass::fmul, sass::fadd}, false) == expected);
  }
}

TEST_CASE("packed weights take an fma for each row and vector, and four loads of them at once") {
  for (const int architecture : architectures) {
    int kernels = 0;
    for (const cubin::Kernel& kernel : kernels_of("decode", architecture)) {
      int bits = 0, batch = 0;
      const std::size_t at = kernel.name.find("decode_kernel<");
      REQUIRE(at != std::string::npos);
      REQUIRE(std::sscanf(kernel.name.c_str() + at, "decode_kernel<%d, %d>", &bits, &batch) == 2);
      CAPTURE(architecture);
      CAPTURE(kernel.name);
      // Of few vectors a trip takes all slots, and their sums are scaled; else it takes one slot.
      const bool few = batch < 4;
      const int words = warp_rows * static_cast<int>(sizeof(Vector)) / 4;
      const int weights = few ? words * slots_of(bits) : words;
      const int sums = few && bits < 16 ? warp_rows * batch : 0;
      CHECK(loop_counts(kernel, {sass::ffma}, false) == std::vector{weights * batch + sums});
      ++kernels;
    }
    CHECK(kernels == 3 * 5);
  }
}

TEST_CASE("a strided read has one loop of eight loads of a word each, all of them under way") {
  for (const int architecture : architectures) {
    const auto kernels = kernels_of("strided", architecture);
    REQUIRE(kernels.size() == 1);
    CAPTURE(architecture);
    const cubin::Kernel& kernel = kernels.front();
    CHECK(loop_counts(kernel, {sass::load_global}, false) == std::vector<int>{strided_in_flight});
    CHECK(longest_run(kernel, sass::load_global) == strided_in_flight);
    for (const cubin::Instruction& i : kernel.code)
      if (i.operation() == sass::load_global) CHECK(i.access_bytes == 4);
  }
}

TEST_CASE(
    "a read with bank conflicts has one loop of sixteen loads of a word each, and little else") {
  for (const int architecture : architectures) {
    const auto kernels = kernels_of("banks", architecture);
    REQUIRE(kernels.size() == 1);
    CAPTURE(architecture);
    const cubin::Kernel& kernel = kernels.front();
    CHECK(loop_counts(kernel, {sass::load_shared}, false) == std::vector<int>{banks_in_flight});
    CHECK(longest_run(kernel, sass::load_shared) == banks_in_flight);
    for (const cubin::Instruction& i : kernel.code)
      if (i.operation() == sass::load_shared) CHECK(i.access_bytes == 4);
    for (const cubin::Loop& loop : cubin::innermost_loops(kernel)) {
      const auto all = [](const cubin::Instruction&) { return true; };
      const auto loads = [](const cubin::Instruction& i) {
        return i.operation() == sass::load_shared;
      };
      // Fewer than the four that a multiprocessor issues while its shared memory serves one load.
      if (sass::count(kernel, loop, loads) > 0)
        CHECK(sass::count(kernel, loop, all) <= 3 * banks_in_flight);
    }
  }
}

TEST_CASE("a read has as many loads under way, of the width, as its shape says") {
  for (const int architecture : architectures) {
    int narrow = 0, wide = 0;
    for (const cubin::Kernel& kernel : kernels_of("stream", architecture)) {
      int in_flight = 0, width = 0;
      const std::size_t at = kernel.name.find("read_kernel<");
      if (at == std::string::npos) continue;
      REQUIRE(std::sscanf(kernel.name.c_str() + at, "read_kernel<%d, %d,", &in_flight, &width) ==
              2);
      CAPTURE(architecture);
      CAPTURE(kernel.name);
      const bool here = width == 16 || architecture >= 100;
      const unsigned load = width == 16 ? sass::load_global : sass::load_global_wide;
      CHECK(longest_run(kernel, load) == (here ? in_flight : 0));
      ++(width == 16 ? narrow : wide);
    }
    CHECK(narrow == 2);
    // Compilers before 12.9 have none.
    CHECK((wide == 2 || (wide == 0 && std::getenv("RIDGEPOINT_CUBINS") != nullptr)));
  }
}

TEST_CASE("reads of the L2 load past the L1, and no other kernel does") {
  for (const int architecture : architectures) {
    int past = 0, ordinary = 0;
    for (const cubin::Kernel& kernel : kernels_of("stream", architecture)) {
      CAPTURE(architecture);
      CAPTURE(kernel.name);
      const bool wanted = contains(kernel.name, ", true>(");
      for (const cubin::Instruction& i : kernel.code) {
        if (i.operation() != sass::load_global || i.access_bytes != 16) continue;
        CHECK(i.past_l1 == wanted);
        ++(wanted ? past : ordinary);
      }
    }
    CHECK(past == 8 + 1 + 4 + 1);  // whole trips, and the accesses of the end
    CHECK(ordinary > 0);
  }
}

// Of a ring loop: accesses of 16 bytes without a predicate, and all instructions.
TEST_CASE(
    "a ring has four or eight accesses a trip, without a predicate, in few instructions each") {
  for (const int architecture : architectures) {
    int rings = 0;
    for (const cubin::Kernel& kernel : kernels_of("stream", architecture)) {
      const bool shared = contains(kernel.name, "shared_kernel<");
      if (!shared && !contains(kernel.name, "ring_kernel<")) continue;
      CAPTURE(architecture);
      CAPTURE(kernel.name);
      const int in_flight = contains(kernel.name, shared ? "<8>" : ", 8, ") ? 8 : 4;
      const bool reads =
          shared || contains(kernel.name, "char)4,") || contains(kernel.name, "char)13,");
      const unsigned access = shared                             ? sass::load_shared
                              : contains(kernel.name, "char)5,") ? sass::store_global
                                                                 : sass::load_global;
      int found = 0;
      for (const cubin::Loop& loop : cubin::innermost_loops(kernel)) {
        const int accesses = count(kernel, loop, [&](const cubin::Instruction& i) {
          return i.operation() == access && i.access_bytes == 16 && !i.predicated;
        });
        // The staging of shared memory reads the memory of the device.
        const bool stages = count(kernel, loop, [](const cubin::Instruction& i) {
                              return i.operation() == sass::store_shared;
                            }) > 0;
        if (stages || accesses < 4) continue;
        CHECK(accesses % in_flight == 0);
        const auto instructions = static_cast<int>(loop.last - loop.first + 1);
        // Of 16 that a multiprocessor issues while its L1 or shared memory serves one access.
        if (reads) CHECK(instructions <= 10 * accesses);
        ++found;
      }
      CHECK(found == 1);
      ++rings;
    }
    CHECK(rings == 2 + 2 + 2 + 3);
  }
}

// matmul/matmul_instructions_test.cpp, operators/operator_instructions_test.cpp.
bool has_its_own_test(const std::string& file) {
  return file.starts_with("matmul_") || file == "pointwise" || file == "rowwise";
}

TEST_CASE("no kernel of any architecture spills registers or keeps anything in local memory") {
  std::vector<std::string> paths{path_of("wgmma", "90a")};
  for (const int architecture : architectures) {
    std::istringstream files(RIDGEPOINT_KERNEL_NAMES);
    for (std::string file; files >> file;) {
      if (!has_its_own_test(file)) paths.push_back(path_of(file, std::to_string(architecture)));
    }
  }
  std::size_t kernels = 0;
  for (const std::string& path : paths) {
    for (const cubin::Kernel& kernel : cubin::read(path, 90)) {
      CAPTURE(path);
      CAPTURE(kernel.name);
      CHECK_FALSE((may_spill(path, kernel.name) ? spills_in_loops(kernel) : spills(kernel)));
      CHECK(kernel.registers > 0);
      ++kernels;
    }
  }
  CHECK(kernels > std::size(architectures) * 200);
}

TEST_CASE("a kernel that does need local memory is found") {
  for (const int architecture : architectures) {
    const auto kernels = kernels_of("spilling", architecture);
    REQUIRE(kernels.size() == 1);
    CHECK(kernels.front().frame_bytes >= 256);
    CHECK(spills(kernels.front()));
  }
}

TEST_CASE("a file that is no cubin is refused with a reason") {
  CHECK_THROWS_WITH_AS(cubin::read("/dev/null", 90), "/dev/null: no ELF file", std::runtime_error);
}
