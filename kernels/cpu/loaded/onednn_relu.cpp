#include "kernels/cpu/loaded/onednn_relu.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include <cstddef>
#include <cstdint>
#include <initializer_list>

#include "kernels/cpu/loaded/onednn.hpp"
#include "kernels/device.hpp"

namespace kernels::cpu {
namespace {

using Handle = void*;
using Lengths = std::int64_t[12];  // dnnl_dims_t

// Values of dnnl_types.h in version 2.
constexpr int success = 0, cpu = 1, in_order = 1, fp32 = 3, relu = 0x1f;
constexpr int argument_of_tensor[] = {1, 33, 41, 17};  // source, weights, bias, destination

/// dnnl_memory_desc_t and dnnl_matmul_desc_t, which the library writes: 696 and 2,800 bytes in 2.6.
struct TensorDescription {
  alignas(16) std::byte bytes[4096];
};
struct ProductDescription {
  alignas(16) std::byte bytes[16384];
};
/// dnnl_exec_arg_t.
struct Argument {
  int which;
  Handle tensor;
};

/// The functions of version 2, without their prefix dnnl_.
struct Calls {
  int (*engine_create)(Handle*, int kind, std::size_t index);
  int (*engine_destroy)(Handle);
  int (*stream_create)(Handle*, Handle engine, unsigned flags);
  int (*stream_destroy)(Handle);
  int (*stream_wait)(Handle);
  int (*memory_desc_init_by_strides)(TensorDescription*, int count, const Lengths, int type,
                                     const Lengths strides);
  int (*memory_create)(Handle*, const TensorDescription*, Handle engine, void* data);
  int (*memory_destroy)(Handle);
  int (*memory_set_data_handle)(Handle, void* data);
  int (*matmul_desc_init)(ProductDescription*, const TensorDescription* a,
                          const TensorDescription* b, const TensorDescription* bias,
                          const TensorDescription* c);
  int (*post_ops_create)(Handle*);
  int (*post_ops_destroy)(Handle);
  int (*post_ops_append_eltwise)(Handle, float scale, int kind, float alpha, float beta);
  int (*primitive_attr_create)(Handle*);
  int (*primitive_attr_destroy)(Handle);
  int (*primitive_attr_set_post_ops)(Handle, Handle);
  int (*primitive_desc_create)(Handle*, const ProductDescription*, Handle attributes, Handle engine,
                               Handle hint);
  int (*primitive_desc_destroy)(Handle);
  int (*primitive_create)(Handle*, Handle description);
  int (*primitive_destroy)(Handle);
  int (*primitive_execute)(Handle, Handle stream, int count, const Argument*);
};

/// Null where a function is missing.
const Calls* find_calls() {
  static Calls calls;
  const std::string& file = OneDnn::instance().file();
  void* library = file.empty() ? nullptr : dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) return nullptr;
  bool all = true;
  const auto find = [&](const char* name, auto& function) {
    function = reinterpret_cast<std::decay_t<decltype(function)>>(
        dlsym(library, fmt::format("dnnl_{}", name).c_str()));
    all = all && function != nullptr;
  };
#define RIDGEPOINT_FIND(name) find(#name, calls.name)
  RIDGEPOINT_FIND(engine_create);
  RIDGEPOINT_FIND(engine_destroy);
  RIDGEPOINT_FIND(stream_create);
  RIDGEPOINT_FIND(stream_destroy);
  RIDGEPOINT_FIND(stream_wait);
  RIDGEPOINT_FIND(memory_desc_init_by_strides);
  RIDGEPOINT_FIND(memory_create);
  RIDGEPOINT_FIND(memory_destroy);
  RIDGEPOINT_FIND(memory_set_data_handle);
  RIDGEPOINT_FIND(matmul_desc_init);
  RIDGEPOINT_FIND(post_ops_create);
  RIDGEPOINT_FIND(post_ops_destroy);
  RIDGEPOINT_FIND(post_ops_append_eltwise);
  RIDGEPOINT_FIND(primitive_attr_create);
  RIDGEPOINT_FIND(primitive_attr_destroy);
  RIDGEPOINT_FIND(primitive_attr_set_post_ops);
  RIDGEPOINT_FIND(primitive_desc_create);
  RIDGEPOINT_FIND(primitive_desc_destroy);
  RIDGEPOINT_FIND(primitive_create);
  RIDGEPOINT_FIND(primitive_destroy);
  RIDGEPOINT_FIND(primitive_execute);
#undef RIDGEPOINT_FIND
  return all ? &calls : nullptr;
}

const Calls* calls_of_library() {
  static const Calls* const calls = find_calls();
  return calls;
}

const Calls& calls() { return *calls_of_library(); }

void check(int status) {
  if (status == success) return;
  throw Unsupported(fmt::format("{} has no product of this size with bias and relu (status {})",
                                OneDnn::instance().name(), status));
}

TensorDescription matrix(std::uint64_t rows, std::uint64_t columns, bool transposed) {
  const auto high = static_cast<std::int64_t>(rows), wide = static_cast<std::int64_t>(columns);
  const Lengths lengths{high, wide}, apart{transposed ? 1 : wide, transposed ? high : 1};
  TensorDescription description;
  check(calls().memory_desc_init_by_strides(&description, 2, lengths, fp32, apart));
  return description;
}

}  // namespace

std::string OneDnnRelu::why_not() {
  const OneDnn& library = OneDnn::instance();
  if (const std::string why = library.why_not(Dtype::fp32, Units::vector); !why.empty()) return why;
  if (calls_of_library() != nullptr) return "";
  return fmt::format("a bias and relu are fused by oneDNN 2 only, and this is {}: install libdnnl2",
                     library.name());
}

OneDnnRelu::OneDnnRelu(const MatmulSize& size) {
  if (const std::string why = why_not(); !why.empty()) throw Unsupported(why);
  const auto owned = [](Handle handle, int (*destroy)(Handle)) { return Owned(handle, {destroy}); };
  Handle handle = nullptr;
  check(calls().engine_create(&handle, cpu, 0));
  engine_ = owned(handle, calls().engine_destroy);
  check(calls().stream_create(&handle, engine_.get(), in_order));
  stream_ = owned(handle, calls().stream_destroy);

  check(calls().post_ops_create(&handle));
  const Owned after = owned(handle, calls().post_ops_destroy);
  check(calls().post_ops_append_eltwise(after.get(), 1, relu, 0, 0));
  check(calls().primitive_attr_create(&handle));
  const Owned attributes = owned(handle, calls().primitive_attr_destroy);
  check(calls().primitive_attr_set_post_ops(attributes.get(), after.get()));

  const std::array matrices{matrix(size.m, size.k, size.a_transposed()),
                            matrix(size.k, size.n, size.b_transposed()), matrix(1, size.n, false),
                            matrix(size.m, size.n, false)};
  ProductDescription product;
  check(calls().matmul_desc_init(&product, &matrices[0], &matrices[1], &matrices[2], &matrices[3]));
  check(calls().primitive_desc_create(&handle, &product, attributes.get(), engine_.get(), nullptr));
  const Owned description = owned(handle, calls().primitive_desc_destroy);
  check(calls().primitive_create(&handle, description.get()));
  primitive_ = owned(handle, calls().primitive_destroy);
  for (std::size_t i = 0; i < tensors_.size(); ++i) {
    check(calls().memory_create(&handle, &matrices[i], engine_.get(), nullptr));
    tensors_[i] = owned(handle, calls().memory_destroy);
  }
}

bool OneDnnRelu::run(const void* a, const void* b, const void* bias, void* c) const {
  void* const data[] = {const_cast<void*>(a), const_cast<void*>(b), const_cast<void*>(bias), c};
  std::array<Argument, 4> arguments{};
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    if (calls().memory_set_data_handle(tensors_[i].get(), data[i]) != success) return false;
    arguments[i] = {argument_of_tensor[i], tensors_[i].get()};
  }
  return calls().primitive_execute(primitive_.get(), stream_.get(),
                                   static_cast<int>(arguments.size()),
                                   arguments.data()) == success &&
         calls().stream_wait(stream_.get()) == success;
}

}  // namespace kernels::cpu
