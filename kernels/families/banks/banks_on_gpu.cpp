#include "kernels/cuda/trials/trials.hpp"
#include "kernels/families/banks/banks.hpp"
#include "kernels/families/banks/banks_arguments.hpp"

namespace kernels::cuda {
namespace {

class BanksTrial final : public LaunchTrial {
 public:
  BanksTrial(Gpu& gpu, const Case& c) : LaunchTrial(gpu, c) {
    wave_ = gpu.resident_blocks(banks_function(), banks_threads);
    take(bank_table);
    fill(Contents::case_data, {});
    out_ = room_for(groups(), Dtype::int32);
  }

 private:
  std::uint64_t groups() const { return case_.elements / bank_group; }
  Dtype result_dtype() const override { return Dtype::int32; }
  std::uint64_t steps() const override { return case_.repeat; }
  std::uint64_t units() const override { return (groups() + banks_warps - 1) / banks_warps; }
  void enqueue(std::uint64_t, std::uint64_t first, std::uint64_t count,
               cudaStream_t stream) override {
    const BanksArguments arguments{.words = in<std::uint32_t>(0),
                                   .sums = out_.as<std::uint32_t>(),
                                   .groups = groups(),
                                   .first_group = first * banks_warps,
                                   .stride = static_cast<std::uint32_t>(bank_stride_of(case_))};
    launch(banks_function(), count, banks_threads, arguments, stream);
  }
};

}  // namespace

extern const FamilyOnGpu banks_on_gpu{
    .family = Family::banks,
    .note = "the threads of a warp read words of shared memory that lie a stride apart",
    .prepare = prepare_with<BanksTrial>};

}  // namespace kernels::cuda
