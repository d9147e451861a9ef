// Marks what host and device both compile. A device has no other function to call: a `constexpr`
// one of the host would let it index an array of the host, which nvcc compiles to a trap without a
// word.
#pragma once

#if defined(__CUDACC__)
#define RIDGEPOINT_BOTH __host__ __device__
#else
#define RIDGEPOINT_BOTH
#endif
