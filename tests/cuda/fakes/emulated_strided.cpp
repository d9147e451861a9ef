// The kernel of strided reads, on the emulated runtime.
#include "emulation.hpp"
#include "fake_runtime.hpp"
#include "kernels/cuda/trials/tables.hpp"
#include "kernels/families/strided/strided_arguments.hpp"
#include "kernels/families/strided/strided_body.hpp"

namespace kernels::cuda {

const void* strided_function() {
  static const void* const function =
      fake_cuda::add<StridedArguments>([](const StridedArguments& args, std::uint64_t blocks) {
        launch_on_host(blocks, strided_threads, [&](Place place) {
          const std::uint64_t group = strided_group_of(args, place);
          if (group >= args.groups) return;
          if (place.thread % 32 == 0) args.sums[group] = 0;
          args.sums[group] += strided_thread(args, place);
        });
      });
  return function;
}

}  // namespace kernels::cuda
