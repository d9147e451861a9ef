// The kernels of small layers, on the emulated runtime.
#include <algorithm>

#include "emulation.hpp"
#include "fake_runtime.hpp"
#include "kernels/cuda/trials/tables.hpp"
#include "kernels/families/eager/eager_arguments.hpp"
#include "kernels/families/eager/eager_body.hpp"

namespace kernels::cuda {
namespace {

/// The timer of the emulated GPU stands still while a kernel computes: all of it takes this long.
constexpr unsigned long long nanoseconds = 400;

template <class Thread>
void run(const LayerArguments& args, std::uint64_t blocks, Thread thread) {
  launch_on_host(blocks, layer_threads, [&](Place place) { thread(args, place); });
  if (args.begin == nullptr) return;
  const auto now = static_cast<unsigned long long>(fake_cuda::now() * 1e9);
  *args.begin = std::min(*args.begin, now);
  *args.end = std::max(*args.end, now + nanoseconds);
}

template <LayerOp op>
const void* op_kernel() {
  return fake_cuda::add<LayerArguments>([](const LayerArguments& args, std::uint64_t blocks) {
    run(args, blocks, layer_op_thread<op>);
  });
}

}  // namespace

LayerKernels layer_kernels() {
  static const LayerKernels kernels{
      {op_kernel<LayerOp::matmul>(), op_kernel<LayerOp::bias>(), op_kernel<LayerOp::relu>(),
       op_kernel<LayerOp::scale>(), op_kernel<LayerOp::residual>()},
      fake_cuda::add<LayerArguments>([](const LayerArguments& args, std::uint64_t blocks) {
        run(args, blocks, layer_thread);
      })};
  return kernels;
}

}  // namespace kernels::cuda
