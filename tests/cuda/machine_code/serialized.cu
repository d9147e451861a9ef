// wgmma whose accumulators are read while it runs: what the check of ptxas's log must find.
#include "kernels/cuda/kernels/wgmma.cuh"

__global__ void serialized_kernel(float* out, unsigned long long a, unsigned long long b) {
  using namespace kernels::cuda;
  float d[16] = {};
  for (int i = 0; i < 4; ++i) {
    wgmma_fence();
    Wgmma<kernels::Dtype::bf16, 32>::run(d, a, b);
    wgmma_commit();
    d[0] += 1;
  }
  wgmma_wait<0>();
  out[threadIdx.x] = d[0] + d[15];
}
