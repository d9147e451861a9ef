#include "kernels/cpu/loaded/onednn_conv.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <stdexcept>
#include <utility>

#include "kernels/cpu/loaded/onednn.hpp"
#include "kernels/device.hpp"

namespace kernels::cpu {
namespace {

using namespace onednn;
using Tensors = std::array<TensorDesc, 3>;  // input, weights, output

constexpr int dimensions = 4;
constexpr std::uint64_t line = 64;
/// The one that is known to be at winograd_points.
constexpr std::string_view known_winograd = "jit_wino_4x3";

Tensors tensors(const Calls& calls, const ConvSize& size, int layout) {
  const auto dim = [](std::uint64_t length) { return static_cast<Dim>(length); };
  const Dim edge = dim(size.size), taps = dim(conv_edge);
  const std::array<std::array<Dim, dimensions>, 3> lengths{
      {{dim(size.batch), dim(size.channels), edge, edge},
       {dim(size.filters), dim(size.channels), taps, taps},
       {dim(size.batch), dim(size.filters), edge, edge}}};
  Tensors all{};
  for (std::size_t i = 0; i < all.size(); ++i)
    calls.tensor_init(&all[i], dimensions, lengths[i].data(), fp32, layout);
  return all;
}

std::string name_of_implementation(const Calls& calls, const Owned& description) {
  const char* name = nullptr;
  const bool told = calls.query(description.get(), query_name, 0, &name) == success;
  return told && name != nullptr ? name : "";
}

bool is_candidate(std::string_view name) {
  const bool winograd = name.find("wino") != std::string_view::npos;
  return !name.empty() && !name.starts_with("ref") &&
         (!winograd || name.starts_with(known_winograd));
}

/// visit(name, description) for every candidate, in the library's order, until it returns true.
template <class Visit>
void each_implementation(const Interface& library, const ConvSize& size, Visit visit) {
  const Calls& calls = library.calls;
  const Tensors any = tensors(calls, size, any_layout);
  constexpr std::array<Dim, 2> one{1, 1};  // steps of one pixel, one row of zeros around
  ConvolutionDesc wanted{};
  if (calls.convolution_init(&wanted, inference, algorithm_auto, &any[0], &any[1], nullptr, &any[2],
                             one.data(), one.data(), one.data()) != success)
    return;
  Handle made = nullptr;
  if (calls.iterator_create(&made, &wanted, nullptr, library.engine, nullptr) != success) return;
  const Owned iterator(made, {calls.iterator_destroy});
  do {
    Owned description(calls.iterator_fetch(iterator.get()), {calls.description_destroy});
    if (!description) continue;
    const std::string name = name_of_implementation(calls, description);
    if (is_candidate(name) && visit(name, description)) return;
  } while (calls.iterator_next(iterator.get()) == success);
}

}  // namespace

std::string OneDnnConvolution::why_not() {
  const OneDnn& library = OneDnn::instance();
  if (const std::string why = library.why_not(Dtype::fp32, Units::vector); !why.empty()) return why;
  if (!library.primitives().found)
    return fmt::format("convolutions go through oneDNN 2 alone, and {} was found", library.name());
  if (library.primitives().started) return "";
  return fmt::format("{} does not start on this CPU", library.name());
}

std::vector<std::string> OneDnnConvolution::algorithms(const ConvSize& size) {
  std::vector<std::string> names;
  if (!why_not().empty()) return names;
  each_implementation(OneDnn::instance().primitives(), size,
                      [&](const std::string& name, const Owned&) {
                        if (std::ranges::find(names, name) == names.end()) names.push_back(name);
                        return false;
                      });
  return names;
}

OneDnnConvolution::OneDnnConvolution(const ConvSize& size, std::string_view algorithm)
    : library_(OneDnn::instance().primitives()), description_(find(size, algorithm)) {
  Handle made = nullptr;
  if (library_.calls.primitive_create(&made, description_.get()) != success)
    throw Unsupported(fmt::format("{} makes no {} here", OneDnn::instance().name(), algorithm_));
  primitive_ = Owned(made, {library_.calls.primitive_destroy});
  const Tensors plain = tensors(library_.calls, size, nchw);
  in_ = tensor(plain[0], query_source, false);
  weights_ = tensor(plain[1], query_weights, false);
  out_ = tensor(plain[2], query_output, true);
}

OneDnnConvolution::Owned OneDnnConvolution::find(const ConvSize& size, std::string_view algorithm) {
  Owned found;
  if (const std::string why = why_not(); !why.empty()) throw Unsupported(why);
  each_implementation(library_, size, [&](const std::string& name, Owned& description) {
    if (!algorithm.empty() && name != algorithm) return false;
    algorithm_ = name;
    found = std::move(description);
    return true;
  });
  if (!found)
    throw Unsupported(fmt::format("{} has no {} for a convolution of this size",
                                  OneDnn::instance().name(),
                                  algorithm.empty() ? "fast algorithm" : algorithm));
  return found;
}

OneDnnConvolution::Tensor OneDnnConvolution::tensor(const TensorDesc& plain, int query,
                                                    bool is_output) {
  const Calls& calls = library_.calls;
  const auto check = [&](Status status) {
    if (status != success)
      throw Unsupported(
          fmt::format("{} reorders nothing for {}", OneDnn::instance().name(), algorithm_));
  };
  const auto memory = [&](const TensorDesc* as) {
    Handle made = nullptr;
    constexpr void* placed_later = nullptr;
    check(calls.memory_create(&made, as, library_.engine, placed_later));
    return Owned(made, {calls.memory_destroy});
  };
  const TensorDesc* wanted = calls.query_tensor(description_.get(), query, 0);
  Tensor tensor;
  tensor.outside = memory(&plain);
  if (calls.tensors_equal(&plain, wanted) != 0) return tensor;
  tensor.inside = memory(wanted);
  tensor.bytes = (calls.tensor_bytes(wanted) + line - 1) / line * line;
  const TensorDesc* from = is_output ? wanted : &plain;
  const TensorDesc* to = is_output ? &plain : wanted;
  Handle made = nullptr;
  check(calls.reorder_create(&made, from, library_.engine, to, library_.engine, nullptr));
  const Owned description(made, {calls.description_destroy});
  check(calls.primitive_create(&made, description.get()));
  tensor.reorder = Owned(made, {calls.primitive_destroy});
  return tensor;
}

bool OneDnnConvolution::by_winograd() const { return algorithm_.starts_with(known_winograd); }

std::uint64_t OneDnnConvolution::room_bytes() const {
  return in_.bytes + weights_.bytes + out_.bytes;
}

void OneDnnConvolution::place(Tensor& tensor, void* at, char* room) {
  if (tensor.at == at && tensor.room_at == room) return;
  library_.calls.memory_place(tensor.outside.get(), at);
  if (tensor.inside) library_.calls.memory_place(tensor.inside.get(), room);
  tensor.at = at;
  tensor.room_at = room;
}

void OneDnnConvolution::execute(const Owned& primitive, std::initializer_list<Argument> arguments) {
  const Calls& calls = library_.calls;
  const bool done =
      calls.primitive_execute(primitive.get(), library_.stream, static_cast<int>(arguments.size()),
                              arguments.begin()) == success &&
      calls.stream_wait(library_.stream) == success;
  if (!done)
    throw std::runtime_error(fmt::format("{} failed in {}", OneDnn::instance().name(), algorithm_));
}

void OneDnnConvolution::reorder(const Tensor& tensor, const Owned& from, const Owned& to) {
  if (tensor.reorder) execute(tensor.reorder, {{source, from.get()}, {output, to.get()}});
}

void OneDnnConvolution::run(const float* in, const float* filter, float* out, char* room,
                            const std::stop_token& stop) {
  // The library's arguments are not const, and it reads the first two.
  place(in_, const_cast<float*>(in), room);
  place(weights_, const_cast<float*>(filter), room + in_.bytes);
  place(out_, out, room + in_.bytes + weights_.bytes);
  reorder(in_, in_.outside, in_.inside);
  reorder(weights_, weights_.outside, weights_.inside);
  if (stop.stop_requested()) return;
  execute(primitive_, {{source, in_.used()}, {weights, weights_.used()}, {output, out_.used()}});
  if (stop.stop_requested()) return;
  reorder(out_, out_.inside, out_.outside);
}

}  // namespace kernels::cpu
