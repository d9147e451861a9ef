#include "kernels/cpu/loaded/onednn_relu.hpp"

#include <fmt/format.h>

#include <array>

#include "kernels/cpu/loaded/onednn.hpp"
#include "kernels/device.hpp"

namespace kernels::cpu {
namespace {

using namespace onednn;

constexpr int argument_of_tensor[] = {source, weights, bias, output};

const Interface& library() { return OneDnn::instance().primitives(); }

void check(int status) {
  if (status == success) return;
  throw Unsupported(fmt::format("{} has no product of this size with bias and relu (status {})",
                                OneDnn::instance().name(), status));
}

TensorDesc matrix(std::uint64_t rows, std::uint64_t columns, bool transposed) {
  const auto high = static_cast<Dim>(rows), wide = static_cast<Dim>(columns);
  const std::array lengths{high, wide};
  const std::array<Dim, 2> apart{transposed ? 1 : wide, transposed ? high : 1};
  TensorDesc description;
  check(library().calls.tensor_init_apart(&description, 2, lengths.data(), fp32, apart.data()));
  return description;
}

}  // namespace

std::string OneDnnRelu::why_not() {
  const OneDnn& library = OneDnn::instance();
  if (const std::string why = library.why_not(Dtype::fp32, Units::vector); !why.empty()) return why;
  if (library.primitives().started) return "";
  if (library.primitives().found)
    return fmt::format("{} cannot make an engine and a stream of the CPU", library.name());
  return fmt::format("a bias and relu are fused by oneDNN 2 only, and this is {}: install libdnnl2",
                     library.name());
}

OneDnnRelu::OneDnnRelu(const MatmulSize& size) {
  if (const std::string why = why_not(); !why.empty()) throw Unsupported(why);
  const Calls& calls = library().calls;
  Handle handle = nullptr;
  check(calls.after_create(&handle));
  const Owned after(handle, {calls.after_destroy});
  check(calls.after_add(after.get(), 1, relu, 0, 0));
  check(calls.attributes_create(&handle));
  const Owned attributes(handle, {calls.attributes_destroy});
  check(calls.attributes_set_after(attributes.get(), after.get()));

  const std::array matrices{matrix(size.m, size.k, size.a_transposed()),
                            matrix(size.k, size.n, size.b_transposed()), matrix(1, size.n, false),
                            matrix(size.m, size.n, false)};
  ProductDesc product;
  check(calls.product_init(&product, &matrices[0], &matrices[1], &matrices[2], &matrices[3]));
  check(calls.description_create(&handle, &product, attributes.get(), library().engine, nullptr));
  const Owned description(handle, {calls.description_destroy});
  check(calls.primitive_create(&handle, description.get()));
  primitive_ = Owned(handle, {calls.primitive_destroy});
  for (std::size_t i = 0; i < tensors_.size(); ++i) {
    check(calls.memory_create(&handle, &matrices[i], library().engine, nullptr));
    tensors_[i] = Owned(handle, {calls.memory_destroy});
  }
}

bool OneDnnRelu::run(const void* a, const void* b, const void* biases, void* c) const {
  const Calls& calls = library().calls;
  void* const data[] = {const_cast<void*>(a), const_cast<void*>(b), const_cast<void*>(biases), c};
  std::array<Argument, 4> arguments{};
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    if (calls.memory_place(tensors_[i].get(), data[i]) != success) return false;
    arguments[i] = {argument_of_tensor[i], tensors_[i].get()};
  }
  return calls.primitive_execute(primitive_.get(), library().stream,
                                 static_cast<int>(arguments.size()), arguments.data()) == success &&
         calls.stream_wait(library().stream) == success;
}

}  // namespace kernels::cpu
