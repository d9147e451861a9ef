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

bool find_all(const OneDnn& library, Calls& calls) {
  bool all = true;
  const auto find = [&]<class Call>(Call& call, const char* name) {
    call = reinterpret_cast<Call>(library.function(name));
    all = all && call != nullptr;
  };
  find(calls.engine_create, "dnnl_engine_create");
  find(calls.stream_create, "dnnl_stream_create");
  find(calls.stream_wait, "dnnl_stream_wait");
  find(calls.tensor_init, "dnnl_memory_desc_init_by_tag");
  find(calls.tensor_bytes, "dnnl_memory_desc_get_size");
  find(calls.tensors_equal, "dnnl_memory_desc_equal");
  find(calls.convolution_init, "dnnl_convolution_forward_desc_init");
  find(calls.iterator_create, "dnnl_primitive_desc_iterator_create");
  find(calls.iterator_next, "dnnl_primitive_desc_iterator_next");
  find(calls.iterator_fetch, "dnnl_primitive_desc_iterator_fetch");
  find(calls.iterator_destroy, "dnnl_primitive_desc_iterator_destroy");
  find(calls.query, "dnnl_primitive_desc_query");
  find(calls.query_tensor, "dnnl_primitive_desc_query_md");
  find(calls.reorder_create, "dnnl_reorder_primitive_desc_create");
  find(calls.description_destroy, "dnnl_primitive_desc_destroy");
  find(calls.primitive_create, "dnnl_primitive_create");
  find(calls.primitive_execute, "dnnl_primitive_execute");
  find(calls.primitive_destroy, "dnnl_primitive_destroy");
  find(calls.memory_create, "dnnl_memory_create");
  find(calls.memory_place, "dnnl_memory_set_data_handle");
  find(calls.memory_destroy, "dnnl_memory_destroy");
  return all;
}

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
void each_implementation(const Calls& calls, Handle engine, const ConvSize& size, Visit visit) {
  const Tensors any = tensors(calls, size, any_layout);
  constexpr std::array<Dim, 2> one{1, 1};  // steps of one pixel, one row of zeros around
  ConvolutionDesc wanted{};
  if (calls.convolution_init(&wanted, inference, algorithm_auto, &any[0], &any[1], nullptr, &any[2],
                             one.data(), one.data(), one.data()) != success)
    return;
  Handle made = nullptr;
  if (calls.iterator_create(&made, &wanted, nullptr, engine, nullptr) != success) return;
  const Owned iterator(made, {calls.iterator_destroy});
  do {
    Owned description(calls.iterator_fetch(iterator.get()), {calls.description_destroy});
    if (!description) continue;
    const std::string name = name_of_implementation(calls, description);
    if (is_candidate(name) && visit(name, description)) return;
  } while (calls.iterator_next(iterator.get()) == success);
}

}  // namespace

OneDnnConvolutions::OneDnnConvolutions() {
  const OneDnn& library = OneDnn::instance();
  why_not_ = library.why_not(Dtype::fp32, Units::vector);
  if (!why_not_.empty()) return;
  if (!find_all(library, calls_)) {
    why_not_ =
        fmt::format("convolutions go through oneDNN 2 alone, and {} was found", library.name());
    return;
  }
  const bool started = calls_.engine_create(&engine_, of_cpu, 0) == success &&
                       calls_.stream_create(&stream_, engine_, in_order) == success;
  if (!started) why_not_ = fmt::format("{} does not start on this CPU", library.name());
}

const OneDnnConvolutions& OneDnnConvolutions::instance() {
  static const OneDnnConvolutions convolutions;
  return convolutions;
}

std::vector<std::string> OneDnnConvolutions::algorithms(const ConvSize& size) const {
  std::vector<std::string> names;
  if (!why_not_.empty()) return names;
  each_implementation(calls_, engine_, size, [&](const std::string& name, const Owned&) {
    if (std::ranges::find(names, name) == names.end()) names.push_back(name);
    return false;
  });
  return names;
}

OneDnnConvolution::OneDnnConvolution(const ConvSize& size, std::string_view algorithm)
    : library_(OneDnnConvolutions::instance()), description_(find(size, algorithm)) {
  Handle made = nullptr;
  if (library_.calls_.primitive_create(&made, description_.get()) != success)
    throw Unsupported(fmt::format("{} makes no {} here", OneDnn::instance().name(), algorithm_));
  primitive_ = Owned(made, {library_.calls_.primitive_destroy});
  const Tensors plain = tensors(library_.calls_, size, nchw);
  in_ = tensor(plain[0], query_source, false);
  weights_ = tensor(plain[1], query_weights, false);
  out_ = tensor(plain[2], query_output, true);
}

OneDnnConvolution::Owned OneDnnConvolution::find(const ConvSize& size, std::string_view algorithm) {
  Owned found;
  if (!library_.why_not().empty()) throw Unsupported(library_.why_not());
  each_implementation(library_.calls_, library_.engine_, size,
                      [&](const std::string& name, Owned& description) {
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
  const Calls& calls = library_.calls_;
  const auto check = [&](Status status) {
    if (status != success)
      throw Unsupported(
          fmt::format("{} reorders nothing for {}", OneDnn::instance().name(), algorithm_));
  };
  const auto memory = [&](const TensorDesc* as) {
    Handle made = nullptr;
    constexpr void* placed_later = nullptr;
    check(calls.memory_create(&made, as, library_.engine_, placed_later));
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
  check(calls.reorder_create(&made, from, library_.engine_, to, library_.engine_, nullptr));
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
  library_.calls_.memory_place(tensor.outside.get(), at);
  if (tensor.inside) library_.calls_.memory_place(tensor.inside.get(), room);
  tensor.at = at;
  tensor.room_at = room;
}

void OneDnnConvolution::execute(const Owned& primitive, std::initializer_list<Argument> arguments) {
  const Calls& calls = library_.calls_;
  const bool done =
      calls.primitive_execute(primitive.get(), library_.stream_, static_cast<int>(arguments.size()),
                              arguments.begin()) == success &&
      calls.stream_wait(library_.stream_) == success;
  if (!done)
    throw std::runtime_error(fmt::format("{} failed in {}", OneDnn::instance().name(), algorithm_));
}

void OneDnnConvolution::reorder(const Tensor& tensor, const Owned& from, const Owned& to) {
  if (tensor.reorder) execute(tensor.reorder, {{source, from.get()}, {output, to.get()}});
}

void OneDnnConvolution::run(const float* in, const float* weights, float* out, char* room,
                            const std::stop_token& stop) {
  // The library's arguments are not const, and it reads the first two.
  place(in_, const_cast<float*>(in), room);
  place(weights_, const_cast<float*>(weights), room + in_.bytes);
  place(out_, out, room + in_.bytes + weights_.bytes);
  reorder(in_, in_.outside, in_.inside);
  reorder(weights_, weights_.outside, weights_.inside);
  if (stop.stop_requested()) return;
  execute(primitive_,
          {{source, in_.used()}, {onednn::weights, weights_.used()}, {output, out_.used()}});
  if (stop.stop_requested()) return;
  reorder(out_, out_.inside, out_.outside);
}

}  // namespace kernels::cpu
