// Convolutions of oneDNN, by its own first choice or by one of the implementations that it offers.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/cpu/loaded/onednn_calls.hpp"
#include "kernels/families/conv/conv.hpp"

namespace kernels::cpu {

/// One of its implementations, ready to run. Input, weights and output lie as ConvSize says; what
/// the implementation wants in another layout is reordered in every run.
class OneDnnConvolution {
 public:
  /// Why there are none, in one sentence; empty: there are.
  static std::string why_not();
  /// The implementations that it offers for this size, by its own names ("jit:avx2"), the one that
  /// it chooses first. Left out are its references, plain loops that take seconds, and Winograd's
  /// algorithm in forms whose rounding is not known here (winograd_tolerance).
  static std::vector<std::string> algorithms(const ConvSize&);

  /// Without an algorithm the library's first choice. Throws Unsupported where it does not offer
  /// that. Afterwards it runs on as many threads as OneDnn::place_threads() has placed.
  OneDnnConvolution(const ConvSize&, std::string_view algorithm);

  const std::string& algorithm() const { return algorithm_; }
  bool by_winograd() const;
  /// Room for reordered tensors.
  std::uint64_t room_bytes() const;
  /// Pointers to whole cache lines. Returns early when `stop` fires; throws runtime_error where the
  /// library refuses.
  void run(const float* in, const float* filter, float* out, char* room,
           const std::stop_token& stop);

 private:
  using Owned = onednn::Owned;
  /// A tensor as it comes and as the implementation wants it.
  struct Tensor {
    Owned outside, inside;    ///< inside null: the same
    Owned reorder;            ///< between both; null: none
    std::uint64_t bytes = 0;  ///< of room
    void* at = nullptr;       ///< where both were placed last
    void* room_at = nullptr;

    onednn::Handle used() const { return inside ? inside.get() : outside.get(); }
  };

  Owned find(const ConvSize&, std::string_view algorithm);
  Tensor tensor(const onednn::TensorDesc& plain, int query, bool is_output);
  void place(Tensor&, void* at, char* room);
  void execute(const Owned& primitive, std::initializer_list<onednn::Argument>);
  void reorder(const Tensor&, const Owned& from, const Owned& to);

  const onednn::Interface& library_;
  std::string algorithm_;
  Owned description_, primitive_;
  Tensor in_, weights_, out_;
};

}  // namespace kernels::cpu
