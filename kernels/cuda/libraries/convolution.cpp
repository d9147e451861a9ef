#include "kernels/cuda/libraries/convolution.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "kernels/device.hpp"
#include "kernels/units.hpp"

namespace kernels::cuda {
namespace {

constexpr auto names = cudnn::algorithms;

}  // namespace

Convolution::Convolution(Cudnn& library, const ConvSize& size, std::string_view algorithm,
                         double most_workspace)
    : library_(library) {
  describe(size);
  algorithm.empty() ? choose(most_workspace) : take(algorithm, most_workspace);
}

std::string_view Convolution::algorithm() const {
  return names[static_cast<std::size_t>(algorithm_)];
}

void Convolution::describe(const ConvSize& size) {
  const cudnn::Calls& calls = library_.calls();
  const auto set = [&](cudnn::Status status) {
    library_.check(status, "describing a convolution");
  };
  const auto owned = [&](auto create, auto destroy) -> OwnedHandle {
    cudnn::Handle handle = nullptr;
    set(create(&handle));
    return {handle, {destroy}};
  };
  in_ = owned(calls.create_tensor, calls.destroy_tensor);
  weights_ = owned(calls.create_filter, calls.destroy_filter);
  out_ = owned(calls.create_tensor, calls.destroy_tensor);
  convolution_ = owned(calls.create_convolution, calls.destroy_convolution);
  const int images = static_cast<int>(size.batch), edge = static_cast<int>(size.size);
  const int channels = static_cast<int>(size.channels), filters = static_cast<int>(size.filters);
  constexpr int taps = static_cast<int>(conv_edge);
  using namespace cudnn;
  set(calls.set_tensor(in_.get(), nchw, fp32, images, channels, edge, edge));
  set(calls.set_filter(weights_.get(), fp32, nchw, filters, channels, taps, taps));
  set(calls.set_tensor(out_.get(), nchw, fp32, images, filters, edge, edge));
  set(calls.set_convolution(convolution_.get(), 1, 1, 1, 1, 1, 1, cross_correlation, fp32));
  set(calls.set_math(convolution_.get(), fma_math));
}

void Convolution::choose(double most_workspace) {
  std::array<cudnn::Choice, names.size()> found{};
  int count = 0;
  library_.check(library_.calls().get_algorithm(
                     library_.handle(), in_.get(), weights_.get(), convolution_.get(), out_.get(),
                     static_cast<int>(found.size()), &count, found.data()),
                 "choosing an algorithm");
  const auto end = found.begin() + std::clamp<std::ptrdiff_t>(count, 0, found.size());
  // The workspace is asked for anew: a choice may be meant for another math type.
  const auto first = std::find_if(found.begin(), end, [&](const cudnn::Choice& one) {
    return one.status == cudnn::success && one.algorithm >= 0 &&
           static_cast<std::size_t>(one.algorithm) < names.size() &&
           workspace_of(one.algorithm) == cudnn::success &&
           static_cast<double>(workspace_bytes_) <= most_workspace;
  });
  if (first == end)
    throw Unsupported(
        fmt::format("{} offers no algorithm for this convolution whose workspace "
                    "fits into the {} that are free",
                    library_.name(), units::bytes(most_workspace)));
  algorithm_ = first->algorithm;
}

cudnn::Status Convolution::workspace_of(int algorithm) {
  return library_.calls().get_workspace(library_.handle(), in_.get(), weights_.get(),
                                        convolution_.get(), out_.get(), algorithm,
                                        &workspace_bytes_);
}

void Convolution::take(std::string_view algorithm, double most_workspace) {
  const auto named = std::ranges::find(names, algorithm);
  algorithm_ = static_cast<int>(named - names.begin());
  if (named == names.end())
    throw Unsupported(fmt::format("{} has no algorithm {}", library_.name(), algorithm));
  const cudnn::Status status = workspace_of(algorithm_);
  if (status != cudnn::success)
    throw Unsupported(fmt::format("{} does not offer {} for this convolution: {}", library_.name(),
                                  algorithm, library_.calls().words_of(status)));
  if (static_cast<double>(workspace_bytes_) > most_workspace)
    throw Unsupported(fmt::format("{} needs a workspace of {}, and {} are free", algorithm,
                                  units::bytes(static_cast<double>(workspace_bytes_)),
                                  units::bytes(most_workspace)));
}

void Convolution::run(const void* in, const void* weights, void* out, void* workspace,
                      cudaStream_t stream) const {
  const cudnn::Calls& calls = library_.calls();
  const float one = 1, zero = 0;
  library_.check(calls.set_stream(library_.handle(), stream), "selecting a stream");
  library_.check(calls.forward(library_.handle(), &one, in_.get(), in, weights_.get(), weights,
                               convolution_.get(), algorithm_, workspace, workspace_bytes_, &zero,
                               out_.get(), out),
                 "computing a convolution");
}

}  // namespace kernels::cuda
