// Family `conv` by cuDNN: tensors as everybody has them, images before channels before rows and
// columns.
#include <fmt/format.h>

#include <algorithm>

#include "kernels/cuda/conv/conv.hpp"
#include "kernels/cuda/conv/convolution.hpp"
#include "kernels/cuda/runtime/inspect.hpp"
#include "kernels/cuda/trials/trials.hpp"
#include "kernels/families/conv.hpp"
#include "kernels/families/family.hpp"
#include "kernels/families/reference.hpp"

namespace kernels::cuda {
namespace {

/// As of every size that is chosen: the library loads kernels of its own, too. Its handle comes
/// first, because that takes memory.
double most_workspace(Gpu& gpu, Cudnn& library) {
  constexpr double most_of_free = 0.9;
  library.handle();
  return most_of_free * gpu.pool().free_bytes();
}

class ConvTrial final : public LaunchTrial {
 public:
  ConvTrial(Gpu& gpu, Cudnn& library, const Case& c)
      : LaunchTrial(gpu, c, LaunchMode::held),
        size_(conv_size(c)),
        seed_(gpu.next_seed()),
        weight_seed_(gpu.next_seed()),
        in_(take(inputs())),
        weights_(take(weight_count())),
        out_(take(outputs())),
        convolution_(library, size_, algorithm_of(c), most_workspace(gpu, library)) {
    workspace_ = gpu.pool().take(static_cast<double>(convolution_.workspace_bytes()));
    note_ = fmt::format("{}, {}", library.name(), convolution_.algorithm());
    fill(c.data);
  }

  /// On random data: zeros would hide what was left out.
  Check verify(std::stop_token stop) override {
    gpu_.activate();
    settle(stop);
    if (case_.data != Data::random) fill(Data::random);
    Check check = check_coverage(gpu_, out_, sizeof(float), [&] {
      poison(gpu_, workspace_, 0xff);  // what an earlier run left there is no result either
      once(stop);
    });
    if (check.ok) check = compare(stop);
    if (case_.data != Data::random) fill(case_.data);
    return check;
  }

 private:
  std::uint64_t inputs() const { return size_.batch * size_.channels * size_.size * size_.size; }
  std::uint64_t weight_count() const { return size_.filters * size_.channels * conv_taps; }
  std::uint64_t outputs() const { return size_.batch * size_.filters * size_.size * size_.size; }
  Buffer take(std::uint64_t floats) {
    return gpu_.pool().take(static_cast<double>(floats * sizeof(float)));
  }

  std::uint64_t steps() const override { return 1; }
  std::uint64_t units() const override { return 1; }
  std::uint64_t wave() const override { return 1; }
  void enqueue(std::uint64_t, std::uint64_t, std::uint64_t, cudaStream_t stream) override {
    convolution_.run(in_.data(), weights_.data(), out_.data(), workspace_.data(), stream);
  }

  void fill(Data data) {
    fill(in_, seed_, inputs(), data);
    fill(weights_, weight_seed_, weight_count(), data);
  }
  void fill(const Buffer& buffer, std::uint64_t seed, std::uint64_t elements, Data data) {
    if (data == Data::random) return gpu_.fill(buffer.data(), case_.dtype, elements, seed);
    check(cudaMemsetAsync(buffer.data(), 0, buffer.bytes(), gpu_.stream()),
          "filling device memory");
  }

  double tolerance_of(const ConvReference& expected) const {
    if (!convolution_.is_transformed()) return expected.tolerance;
    return std::max(expected.tolerance, winograd_tolerance(size_.channels, usual_winograd_growth));
  }

  Check compare(const std::stop_token& stop) {
    const auto random = [&](std::uint64_t seed) {
      return [&, seed](std::uint64_t i) { return random_element(case_.dtype, seed, i); };
    };
    const auto got = [&](std::uint64_t i) {
      float value = 0;
      gpu_.read(&value, out_.as<const float>() + i, sizeof(value));
      return static_cast<double>(value);
    };
    return compare_convolution(
        size_, seed_,
        {.input = random(seed_),
         .weight = random(weight_seed_),
         .output = got,
         .tolerance = [&](const ConvReference& one) { return tolerance_of(one); }},
        stop);
  }

  ConvSize size_;
  std::uint64_t seed_, weight_seed_;
  Buffer in_, weights_, out_;
  Convolution convolution_;
  Buffer workspace_;
};

}  // namespace

std::unique_ptr<Trial> make_conv(Gpu& gpu, Cudnn& library, const Case& c) {
  if (const std::string why = refusal_of(c); !why.empty()) throw Unsupported(why);
  return std::make_unique<ConvTrial>(gpu, library, c);
}

}  // namespace kernels::cuda
