// Family `conv` by oneDNN: on the same cores, from the same layouts to the same.
#include <fmt/format.h>

#include <algorithm>

#include "kernels/cpu/loaded/onednn.hpp"
#include "kernels/cpu/loaded/onednn_conv.hpp"
#include "kernels/cpu/machine/pinned_caller.hpp"
#include "kernels/cpu/trials/conv_trial.hpp"

namespace kernels::cpu {
namespace {

class LibraryConvTrial final : public ConvTrial {
 public:
  LibraryConvTrial(Machine& machine, const Case& c, const std::stop_token& stop)
      : ConvTrial(machine, c, stop), run_(made_on(machine, c)) {
    note_ = fmt::format("{}, {}", OneDnn::instance().name(), run_.algorithm());
    reserve(run_.room_bytes());
  }

 protected:
  /// The library's threads run on the cores of ours.
  void before_timing() override { Pool::let_others_sleep(); }

  double tolerance_of(const ConvReference& expected) const override {
    if (!run_.by_winograd()) return expected.tolerance;
    return std::max(expected.tolerance, winograd_tolerance(size_.channels));
  }

  void run_once(const std::stop_token& stop) override {
    run_.run(in(), weights(), out(), reinterpret_cast<char*>(room()), stop);
  }

 private:
  /// The library divides the work among its threads when it makes a convolution.
  static OneDnnConvolution made_on(Machine& machine, const Case& c) {
    const Pool::PinnedCaller pinned(machine.pool());
    OneDnn::instance().place_threads(machine.pool().processors());
    return OneDnnConvolution(conv_size(c), algorithm_of(c));
  }

  OneDnnConvolution run_;
};

}  // namespace

std::unique_ptr<Trial> prepare_library_conv(Machine& machine, const Case& c, std::stop_token stop) {
  return std::make_unique<LibraryConvTrial>(machine, c, stop);
}

}  // namespace kernels::cpu
