// A kernel that needs local memory: what the check of frames must find.
__global__ void spilling_kernel(const int* in, int* out) {
  int values[64];
  for (int i = 0; i < 64; ++i) values[i] = in[i];
  for (int i = 0; i < 64; ++i) out[i] = values[in[i] & 63];
}
