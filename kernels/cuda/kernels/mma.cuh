// mma.sync by dtype, for the architecture being compiled: d += a b, operands as registers in the
// order of the PTX ISA.
#pragma once

#include <cstdint>

#include "kernels/case.hpp"
#include "kernels/cuda/bodies/mma_layout.hpp"

namespace kernels::cuda {

#if defined(__CUDA_ARCH__)
inline constexpr int this_architecture = __CUDA_ARCH__;
#else
inline constexpr int this_architecture = 0;
#endif

/// The instruction on registers of MmaTypes. Only instructions that the
/// architecture has are declared: mma_shape(dtype, this_architecture).native().
template <Dtype dtype>
struct Mma;

template <>
struct Mma<Dtype::fp16> {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  __device__ static void run(float* d, const std::uint32_t* a, const std::uint32_t* b) {
    asm volatile(
        "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32"
        " {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
        : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
  }
#elif defined(__CUDA_ARCH__)
  __device__ static void run(float* d, const std::uint32_t* a, const std::uint32_t* b) {
    asm volatile(
        "mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32"
        " {%0, %1, %2, %3}, {%4, %5}, {%6}, {%0, %1, %2, %3};"
        : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
        : "r"(a[0]), "r"(a[1]), "r"(b[0]));
  }
#endif
};

template <>
struct Mma<Dtype::bf16> {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  __device__ static void run(float* d, const std::uint32_t* a, const std::uint32_t* b) {
    asm volatile(
        "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32"
        " {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
        : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
  }
#endif
};

template <>
struct Mma<Dtype::tf32> {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  __device__ static void run(float* d, const std::uint32_t* a, const std::uint32_t* b) {
    asm volatile(
        "mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32"
        " {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
        : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
  }
#endif
};

template <>
struct Mma<Dtype::fp8> {
#if defined(__CUDA_ARCH__) && (__CUDA_ARCH__ == 890 || __CUDA_ARCH__ >= 1200)
  __device__ static void run(float* d, const std::uint32_t* a, const std::uint32_t* b) {
    asm volatile(
        "mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e4m3.f32"
        " {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
        : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
  }
#endif
};

template <>
struct Mma<Dtype::int8> {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  __device__ static void run(std::int32_t* d, const std::uint32_t* a, const std::uint32_t* b) {
    asm volatile(
        "mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32"
        " {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
        : "+r"(d[0]), "+r"(d[1]), "+r"(d[2]), "+r"(d[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
  }
#elif defined(__CUDA_ARCH__)
  __device__ static void run(std::int32_t* d, const std::uint32_t* a, const std::uint32_t* b) {
    asm volatile("mma.sync.aligned.m8n8k16.row.col.s32.s8.s8.s32 {%0, %1}, {%2}, {%3}, {%0, %1};"
                 : "+r"(d[0]), "+r"(d[1])
                 : "r"(a[0]), "r"(b[0]));
  }
#endif
};

template <>
struct Mma<Dtype::fp64> {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900 && __CUDA_ARCH__ < 1000
  __device__ static void run(double* d, const double* a, const double* b) {
    asm volatile(
        "mma.sync.aligned.m16n8k8.row.col.f64.f64.f64.f64.rn"
        " {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
        : "+d"(d[0]), "+d"(d[1]), "+d"(d[2]), "+d"(d[3])
        : "d"(a[0]), "d"(a[1]), "d"(a[2]), "d"(a[3]), "d"(b[0]), "d"(b[1]));
  }
#elif defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  __device__ static void run(double* d, const double* a, const double* b) {
    asm volatile(
        "mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64.rn {%0, %1}, {%2}, {%3}, {%0, %1};"
        : "+d"(d[0]), "+d"(d[1])
        : "d"(a[0]), "d"(b[0]));
  }
#endif
};

}  // namespace kernels::cuda
