// Device code that reads a table of the host, in one of several ways: none of them compiles. WAY 0
// asks for what device code may know.
#include "kernels/dtypes.hpp"
#include "kernels/ops.hpp"

using namespace kernels;

#if WAY == 2
RIDGEPOINT_BOTH inline std::size_t of_both(Dtype dtype) { return info_of(dtype).accumulator_size; }
#endif
template <class Unsigned>
RIDGEPOINT_BOTH Unsigned of_both_and_any(Dtype dtype) {
  return static_cast<Unsigned>(info_of(dtype).accumulator_size);
}
inline constexpr int plain[] = {1, 2};

__global__ void table_kernel(Dtype dtype, Op op, int index, std::size_t* out) {
#if WAY == 0
  *out = size_of(dtype);
#elif WAY == 1
  *out = info_of(dtype).accumulator_size;
#elif WAY == 2
  *out = of_both(dtype);
#elif WAY == 3
  *out = of_both_and_any<std::size_t>(dtype);
#elif WAY == 4
  *out = dtypes[static_cast<std::size_t>(index)].accumulator_size;
#elif WAY == 5
  *out = static_cast<std::size_t>(op_rows[op.row].tensors_read);
#elif WAY == 6
  *out = static_cast<std::size_t>(plain[index]);
#endif
}
