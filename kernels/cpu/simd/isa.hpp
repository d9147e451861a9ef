// The plain tables through which kernels built once per instruction set reach the device. Included
// by files that are compiled for one instruction set: no library templates, and no inline
// functions that they call, so that nothing leaks to older CPUs.
#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/case.hpp"

namespace kernels::cpu {

/// A thread's share of a chain launch: out[i] = repeat ops on in[i]. Pointers are 64-byte aligned.
struct ChainSlice {
  const void* in;
  void* out;
  std::uint64_t elements;
  std::uint64_t repeat;
  double a, b;     ///< operands, representable in the arithmetic dtype
  bool streaming;  ///< working set beyond the caches: non-temporal stores, prefetch ahead
};
using ChainFunction = void (*)(const ChainSlice&);
/// How many bytes ahead of its loads a chain or an operator prefetches into the L1 while it
/// streams. Other distances that were tried: docs/lab-notes.md, "Memory roofs".
inline constexpr std::size_t chain_prefetch_distance = 6144;
/// Ops per trip of the innermost loop of a chain or peak kernel.
inline constexpr int ops_per_trip = 8;

/// Functions of registers from a library that is found at run time (SLEEF), one set for each
/// element type and width of registers. Null where there is none.
struct MathFunctions {
  void (*exp)() = nullptr;
  void (*cos)() = nullptr;
  void (*tanh)() = nullptr;
  void (*erf)() = nullptr;
};

/// A thread's share of a launch of pointwise operators: out[i] = f(in[i]). Kernels that are
/// generated declare the same.
struct PointwiseSlice {
  const void* in;
  void* out;  ///< can be `in`
  std::uint64_t elements;
  double a, b;     ///< mul and add: x * a, x + b
  bool streaming;  ///< non-temporal stores and prefetch; `out` is 64-byte aligned
  MathFunctions functions;
};
using PointwiseFunction = void (*)(const PointwiseSlice&);

/// A thread's share of a launch over a matrix: `rows` rows from `first` on; of an operator on
/// columns, so many columns. Pointers are those of whole tensors, 64-byte aligned; rows and columns
/// are multiples of 64.
struct RowwiseSlice {
  const void* in;
  const void* second;  ///< one row (bias), or a tensor (dropout and gradients)
  void* out;
  std::uint64_t first, rows;
  std::uint64_t all_rows, columns;
  MathFunctions functions;
};
using RowwiseFunction = void (*)(const RowwiseSlice&);

/// A thread's share of a stream launch, in bytes (a multiple of 4): read (sum of all 4-byte words),
/// write (scalar), copy, triad (out = a + s b), elements fp32; `passes` times over all of it.
struct StreamSlice {
  const void* a;
  const void* b;
  void* out;
  std::uint64_t bytes;
  std::uint64_t passes;
  std::uint64_t prefetch_distance;  ///< bytes; for variants that prefetch
  double scalar;
};
using StreamFunction = double (*)(const StreamSlice&);  ///< a value that depends on all data read

/// One shape of a stream kernel.
struct StreamVariant {
  StreamFunction run;
  int registers;      ///< loaded or stored per trip
  int pages;          ///< walked side by side
  bool non_temporal;  ///< stores
  bool prefetch;
};

/// What an element of an int8 or bf16 peak kernel is: `no`, a chain like any other; `pairs`, two of
/// them are multiplied by the halves of a and summed, b is added (x becomes x.a + b); `dots`, two
/// or four are summed into a 32-bit chain with the products of a and b (x becomes x + a.b).
enum class Summing : std::uint8_t { no, pairs, dots };

/// What the values of a peak kernel are before the first op: `zeros` draw less power; `integers`
/// have sums of products that nothing rounds (matrix units; elsewhere as `random`).
enum class PeakStart : std::uint8_t { random, zeros, integers };

/// `repeat` ops on each of `chains` independent elements that never leave registers; the result
/// depends on all.
struct PeakFunction {
  double (*run)(std::uint64_t repeat, double a, double b, PeakStart start);
  std::uint64_t chains;  ///< elements per call (units matrix: elements of all A tiles per call)
  int accumulators = 0;  ///< registers that hold them; 0: the shape is fixed
};

/// The shapes of a kernel, the best guess first.
template <class Variant>
struct Variants {
  const Variant* first = nullptr;
  std::size_t count = 0;

  const Variant* begin() const { return first; }
  const Variant* end() const { return first + count; }
};

/// A thread's share of a tile launch: D[t] (+)= repeat x (A[t] B), row major A (16 x k), D (16 x
/// 32), accumulator dtype.
struct TileSlice {
  const void* a;
  const void* b;  ///< k x 32, row major, same dtype as A
  void* d;
  std::uint64_t tiles;
  std::uint64_t repeat;
  bool accumulate;  ///< D is read first (a later step of an unfused case)
  bool streaming;
};
using TileFunction = void (*)(const TileSlice&);

/// Rows of A to be packed for a matrix product: those of `tiles` tiles from `first` on.
struct MatmulRows {
  const void* a;  ///< m x k, row major
  void* packed;   ///< of the whole matrix
  std::uint64_t m, k;
  std::uint64_t first, tiles;
  bool transposed = false;  ///< A lies there as k x m
};
/// A thread's share of C = A B: `tiles` tiles of C from `first` on, in the order of matmul_spot().
struct MatmulSlice {
  const void* packed;  ///< A, see MatmulFunction::pack
  const void* b;       ///< k x n, row major
  void* c;             ///< m x n, row major, accumulator dtype
  void* room;          ///< of this thread, MatmulFunction::room_bytes
  std::uint64_t m, n, k;
  std::uint64_t first, tiles;
  bool whole;  ///< tiles at the edges are computed whole; what lies outside of C is thrown away
  bool transposed = false;  ///< B lies there as n x k
  /// Numbers in the accumulator dtype that are added to each row of C before relu, n of them and
  /// zeros to whole tiles; null: C is the product.
  const void* bias = nullptr;
};
/// A matrix product in two launches: A is packed, then C computed tile by tile.
struct MatmulFunction {
  void (*pack)(const MatmulRows&) = nullptr;
  void (*multiply)(const MatmulSlice&) = nullptr;
  std::uint64_t block_depth = 0;  ///< k is cut into blocks of so many elements
  std::uint64_t block_bytes = 0;  ///< of packed A: a tile's rows of one block
  std::uint64_t room_bytes = 0;
  int block_rows = 0;  ///< of C that are summed in registers at once
};

/// One kernel of one instruction set. Exactly one kind of function is set: a member of the
/// families that were there first, `own` of the others.
struct Row {
  Family family;
  Op op;
  Dtype dtype = Dtype::fp32;
  Units units = Units::vector;
  Dtype arithmetic =
      Dtype::fp32;  ///< what each op rounds to (fp32 for an fp16 that is only storage)
  ChainFunction chain = nullptr;
  Variants<StreamVariant> streams = {};
  PeakFunction peak = {};  ///< the first of `peaks`
  TileFunction tile = nullptr;
  Variants<PeakFunction> peaks = {};
  Summing summing = Summing::no;  ///< of tile, peak and matmul kernels
  PointwiseFunction pointwise = nullptr;
  RowwiseFunction rowwise = nullptr;
  MatmulFunction matmul = {};
  /// A constant of the family's own type: a pointer to a function, or a table of them.
  const void* own = nullptr;

  /// `own`, of that type.
  template <class Kernels>
  const Kernels& as() const {
    return *static_cast<const Kernels*>(own);
  }
};

/// All kernels compiled for one instruction set. Later tables are preferred where the CPU supports
/// them.
struct Isa {
  const char* name;  ///< "baseline", "NEON", "AVX2+FMA", "AVX-512", "AVX512-FP16", "AVX512-BF16",
                     ///< "AVX512-VNNI", "AVX-VNNI", "AMX"
  const Row* rows;
  std::size_t count;
  bool fused_multiply_add = true;  ///< fma rounds once; false: it is a multiply and an add
  int register_bytes = 16;         ///< of its vectors
};

/// Copies by one string instruction of the processor; nullptr where there is none.
StreamFunction string_copy();

/// The table of one instruction set; those that were not compiled for this architecture have no
/// rows. Constants, because code of these files must not run before the processor was asked.
extern const Isa isa_baseline;
extern const Isa isa_avx2;
extern const Isa isa_avxvnni;
extern const Isa isa_avx512;
extern const Isa isa_avx512fp16;
extern const Isa isa_avx512bf16;
extern const Isa isa_avx512vnni;
extern const Isa isa_amx;

}  // namespace kernels::cpu
