// wgmma by dtype and number of columns: d += a b on a warpgroup, for compute capability 9.0a.
#pragma once

#include <cstdint>

#include "kernels/cuda/bodies/wgmma_layout.hpp"

namespace kernels::cuda {

/// Writes of this thread to shared memory become visible to wgmma, after a barrier to those of all.
__device__ inline void wgmma_publish() { asm volatile("fence.proxy.async;" ::: "memory"); }
/// Registers are ready for the wgmma that follow.
__device__ inline void wgmma_fence() { asm volatile("wgmma.fence.sync.aligned;" ::: "memory"); }
/// Closes a group of instructions.
__device__ inline void wgmma_commit() {
  asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
}
/// Waits until at most `pending` groups are in flight.
template <int pending>
__device__ void wgmma_wait() {
  asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(pending) : "memory");
}

/// The instruction: accumulators d, A as a descriptor or as four registers, B as a descriptor.
template <Dtype dtype, int n>
struct Wgmma;

// An asm statement names each of its up to 133 operands. These lists do it by halves; they end with
// this file.
#define RIDGEPOINT_D4(c, i) c(d[i]), c(d[i + 1]), c(d[i + 2]), c(d[i + 3])
#define RIDGEPOINT_D16(c, i) \
  RIDGEPOINT_D4(c, i), RIDGEPOINT_D4(c, i + 4), RIDGEPOINT_D4(c, i + 8), RIDGEPOINT_D4(c, i + 12)
#define RIDGEPOINT_D32(c, i) RIDGEPOINT_D16(c, i), RIDGEPOINT_D16(c, i + 16)
#define RIDGEPOINT_D64(c, i) RIDGEPOINT_D32(c, i), RIDGEPOINT_D32(c, i + 32)
#define RIDGEPOINT_D128(c, i) RIDGEPOINT_D64(c, i), RIDGEPOINT_D64(c, i + 64)
#define RIDGEPOINT_TEXT16 "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15"
#define RIDGEPOINT_TEXT32 \
  RIDGEPOINT_TEXT16       \
  ", %16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31"
#define RIDGEPOINT_TEXT64                                                            \
  RIDGEPOINT_TEXT32                                                                  \
  ", %32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, "    \
  "%47, %48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, " \
  "%63"
#define RIDGEPOINT_TEXT128                                                           \
  RIDGEPOINT_TEXT64                                                                  \
  ", %64, %65, %66, %67, %68, %69, %70, %71, %72, %73, %74, %75, %76, %77, %78, "    \
  "%79, %80, %81, %82, %83, %84, %85, %86, %87, %88, %89, %90, %91, %92, %93, %94, " \
  "%95, %96, %97, %98, %99, %100, %101, %102, %103, %104, %105, %106, %107, %108, "  \
  "%109, %110, %111, %112, %113, %114, %115, %116, %117, %118, %119, %120, %121, "   \
  "%122, %123, %124, %125, %126, %127"

// `types`: k and the types of d, a and b. `ss`, `rs`: what follows B when A is a descriptor or in
// registers: d counts, nothing is negated or transposed. o0..o4: numbers of the operands after d.
#define RIDGEPOINT_WGMMA(dtype, Sum, c, types, ss, rs, n, count, o0, o1, o2, o3, o4)        \
  template <>                                                                               \
  struct Wgmma<dtype, n> {                                                                  \
    __device__ static void run(Sum (&d)[count], std::uint64_t a, std::uint64_t b) {         \
      asm volatile("wgmma.mma_async.sync.aligned.m64n" #n types " {" RIDGEPOINT_TEXT##count \
                   "}, " o0 ", " o1 ss                                                      \
                   : RIDGEPOINT_D##count(c, 0)                                              \
                   : "l"(a), "l"(b));                                                       \
    }                                                                                       \
    __device__ static void run(Sum (&d)[count], const std::uint32_t* a, std::uint64_t b) {  \
      asm volatile("wgmma.mma_async.sync.aligned.m64n" #n types " {" RIDGEPOINT_TEXT##count \
                   "}, {" o0 ", " o1 ", " o2 ", " o3 "}, " o4 rs                            \
                   : RIDGEPOINT_D##count(c, 0)                                              \
                   : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b));                   \
    }                                                                                       \
  };
#define RIDGEPOINT_WGMMAS(dtype, Sum, c, types, ss, rs)                                      \
  RIDGEPOINT_WGMMA(dtype, Sum, c, types, ss, rs, 32, 16, "%16", "%17", "%18", "%19", "%20")  \
  RIDGEPOINT_WGMMA(dtype, Sum, c, types, ss, rs, 64, 32, "%32", "%33", "%34", "%35", "%36")  \
  RIDGEPOINT_WGMMA(dtype, Sum, c, types, ss, rs, 128, 64, "%64", "%65", "%66", "%67", "%68") \
  RIDGEPOINT_WGMMA(dtype, Sum, c, types, ss, rs, 256, 128, "%128", "%129", "%130", "%131", "%132")

RIDGEPOINT_WGMMAS(Dtype::fp16, float, "+f", "k16.f32.f16.f16", ", 1, 1, 1, 0, 0;", ", 1, 1, 1, 0;")
RIDGEPOINT_WGMMAS(Dtype::bf16, float, "+f", "k16.f32.bf16.bf16", ", 1, 1, 1, 0, 0;",
                  ", 1, 1, 1, 0;")
RIDGEPOINT_WGMMAS(Dtype::tf32, float, "+f", "k8.f32.tf32.tf32", ", 1, 1, 1;", ", 1, 1, 1;")
RIDGEPOINT_WGMMAS(Dtype::fp8, float, "+f", "k32.f32.e4m3.e4m3", ", 1, 1, 1;", ", 1, 1, 1;")
RIDGEPOINT_WGMMAS(Dtype::int8, std::int32_t, "+r", "k32.s32.s8.s8", ", 1;", ", 1;")

#undef RIDGEPOINT_WGMMAS
#undef RIDGEPOINT_WGMMA
#undef RIDGEPOINT_TEXT128
#undef RIDGEPOINT_TEXT64
#undef RIDGEPOINT_TEXT32
#undef RIDGEPOINT_TEXT16
#undef RIDGEPOINT_D128
#undef RIDGEPOINT_D64
#undef RIDGEPOINT_D32
#undef RIDGEPOINT_D16
#undef RIDGEPOINT_D4

}  // namespace kernels::cuda
