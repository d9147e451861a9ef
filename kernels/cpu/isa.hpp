// The plain tables through which kernels built once per instruction set reach the device. Included
// by files that are compiled for one instruction set: no library templates, no inline functions, so
// that nothing leaks to older CPUs.
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

/// A thread's share of a stream launch, in bytes (a multiple of 4): read (xor of all 4-byte words),
/// write (scalar), copy, triad (out = a + s b), elements fp32.
struct StreamSlice {
  const void* a;
  const void* b;
  void* out;
  std::uint64_t bytes;
  double scalar;
  bool streaming;
};
using StreamFunction = double (*)(const StreamSlice&);  ///< a value that depends on all data read

/// `repeat` ops on each of `chains` independent elements that never leave registers; the result
/// depends on all.
struct PeakFunction {
  double (*run)(std::uint64_t repeat, double a, double b);
  std::uint64_t chains;  ///< elements per call (units matrix: elements of all A tiles per call)
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

/// One kernel of one instruction set. Exactly one function is set.
struct Row {
  Family family;
  Op op;
  Dtype dtype;
  Units units;
  Dtype arithmetic;  ///< what each op rounds to (fp32 for an fp16 that is only storage)
  ChainFunction chain;
  StreamFunction stream;
  PeakFunction peak;
  TileFunction tile;
};

/// All kernels compiled for one instruction set. Later tables are preferred where the CPU supports
/// them.
struct Isa {
  const char* name;  ///< "baseline", "AVX2+FMA", "AVX-512", "AVX512-FP16", "AMX"
  const Row* rows;
  std::size_t count;
  bool fused_multiply_add = true;  ///< fma rounds once; false: it is a multiply and an add
};

/// Chain and stream rows (chain_*.cpp), tile and peak rows (tile_*.cpp), per instruction set. A
/// table that was not compiled for this architecture has no rows.
Isa chain_baseline();
Isa chain_avx2();
Isa chain_avx512();
Isa chain_avx512fp16();
Isa tile_baseline();
Isa tile_avx2();
Isa tile_avx512();
Isa tile_avx512fp16();
Isa tile_amx();

}  // namespace kernels::cpu
