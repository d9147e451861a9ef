// The kernel of reads of shared memory, on the emulated runtime.
#include "emulation.hpp"
#include "fake_runtime.hpp"
#include "kernels/cuda/trials/tables.hpp"
#include "kernels/families/banks/banks_arguments.hpp"
#include "kernels/families/banks/banks_body.hpp"

namespace kernels::cuda {

const void* banks_function() {
  static const void* const function =
      fake_cuda::add<BanksArguments>([](const BanksArguments& args, std::uint64_t blocks) {
        const std::vector<std::uint32_t> table(args.words, args.words + bank_table);
        launch_on_host(blocks, banks_threads, [&](Place place) {
          const std::uint64_t group =
              args.first_group + place.block * banks_warps + place.thread / 32;
          if (group >= args.groups) return;
          if (place.thread % 32 == 0) args.sums[group] = 0;
          args.sums[group] += banks_thread(table.data(), args, group, place.thread % 32);
        });
      });
  return function;
}

}  // namespace kernels::cuda
