// Two fp16 or bf16 elements in one register: the arithmetic of the packed half instructions.
#pragma once

#include <cuda_bf16.h>
#include <cuda_fp16.h>

namespace kernels::cuda {

struct Fp16Pair {
  __half2 value;
};
__device__ inline Fp16Pair multiply(Fp16Pair x, Fp16Pair a) { return {__hmul2(x.value, a.value)}; }
__device__ inline Fp16Pair plus(Fp16Pair x, Fp16Pair b) { return {__hadd2(x.value, b.value)}; }
__device__ inline Fp16Pair multiply_add(Fp16Pair x, Fp16Pair a, Fp16Pair b) {
  return {__hfma2(x.value, a.value, b.value)};
}
__device__ inline Fp16Pair multiply_then_add(Fp16Pair x, Fp16Pair a, Fp16Pair b) {
  return {__hadd2_rn(__hmul2_rn(x.value, a.value), b.value)};
}

struct Bf16Pair {
  __nv_bfloat162 value;
};
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
__device__ inline Bf16Pair multiply(Bf16Pair x, Bf16Pair a) { return {__hmul2(x.value, a.value)}; }
__device__ inline Bf16Pair plus(Bf16Pair x, Bf16Pair b) { return {__hadd2(x.value, b.value)}; }
__device__ inline Bf16Pair multiply_add(Bf16Pair x, Bf16Pair a, Bf16Pair b) {
  return {__hfma2(x.value, a.value, b.value)};
}
__device__ inline Bf16Pair multiply_then_add(Bf16Pair x, Bf16Pair a, Bf16Pair b) {
  return {__hadd2_rn(__hmul2_rn(x.value, a.value), b.value)};
}
#endif

}  // namespace kernels::cuda
