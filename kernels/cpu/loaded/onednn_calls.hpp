// oneDNN's C interface, version 2, as far as primitives use it: declarations of our own, which a
// test compares with its header.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>

namespace kernels::cpu::onednn {

using Status = int;
inline constexpr Status success = 0;
/// Engines, streams, iterators, primitives, their descriptions and attributes, memory.
using Handle = void*;
using Dim = std::int64_t;

// The library writes these; the sizes are those of 2.6, and versions with the same soname keep
// them.

/// Of a tensor: dnnl_memory_desc_t.
struct TensorDesc {
  alignas(8) std::array<std::byte, 696> bytes;
};
/// Of a convolution: dnnl_convolution_desc_t.
struct ConvolutionDesc {
  alignas(8) std::array<std::byte, 5976> bytes;
};
/// Of a matrix product: dnnl_matmul_desc_t.
struct ProductDesc {
  alignas(8) std::array<std::byte, 2800> bytes;
};
/// dnnl_exec_arg_t
struct Argument {
  int which;
  Handle memory;
};

inline constexpr int of_cpu = 1, in_order = 1, fp32 = 3, any_layout = 1, nchw = 5, inference = 96,
                     algorithm_auto = 3, relu = 0x1f;
inline constexpr int query_name = 8, query_source = 129, query_weights = 131, query_output = 133;
// Of a reorder: source and output.
inline constexpr int source = 1, weights = 33, bias = 41, output = 17;

struct Calls {
  Status (*engine_create)(Handle*, int, std::size_t) = nullptr;
  Status (*stream_create)(Handle*, Handle, unsigned) = nullptr;
  Status (*stream_wait)(Handle) = nullptr;
  Status (*tensor_init)(TensorDesc*, int, const Dim*, int, int) = nullptr;
  Status (*tensor_init_apart)(TensorDesc*, int, const Dim*, int, const Dim*) = nullptr;
  std::size_t (*tensor_bytes)(const TensorDesc*) = nullptr;
  int (*tensors_equal)(const TensorDesc*, const TensorDesc*) = nullptr;
  Status (*convolution_init)(ConvolutionDesc*, int, int, const TensorDesc*, const TensorDesc*,
                             const TensorDesc*, const TensorDesc*, const Dim*, const Dim*,
                             const Dim*) = nullptr;
  Status (*product_init)(ProductDesc*, const TensorDesc*, const TensorDesc*, const TensorDesc*,
                         const TensorDesc*) = nullptr;
  Status (*after_create)(Handle*) = nullptr;
  Status (*after_destroy)(Handle) = nullptr;
  Status (*after_add)(Handle, float, int, float, float) = nullptr;
  Status (*attributes_create)(Handle*) = nullptr;
  Status (*attributes_destroy)(Handle) = nullptr;
  Status (*attributes_set_after)(Handle, const void*) = nullptr;
  Status (*iterator_create)(Handle*, const void*, const void*, Handle, const void*) = nullptr;
  Status (*iterator_next)(Handle) = nullptr;
  Handle (*iterator_fetch)(const void*) = nullptr;
  Status (*iterator_destroy)(Handle) = nullptr;
  Status (*query)(const void*, int, int, void*) = nullptr;
  const TensorDesc* (*query_tensor)(const void*, int, int) = nullptr;
  Status (*reorder_create)(Handle*, const TensorDesc*, Handle, const TensorDesc*, Handle,
                           const void*) = nullptr;
  Status (*description_create)(Handle*, const void*, const void*, Handle, const void*) = nullptr;
  Status (*description_destroy)(Handle) = nullptr;
  Status (*primitive_create)(Handle*, const void*) = nullptr;
  Status (*primitive_execute)(const void*, Handle, int, const Argument*) = nullptr;
  Status (*primitive_destroy)(Handle) = nullptr;
  Status (*memory_create)(Handle*, const TensorDesc*, Handle, void*) = nullptr;
  Status (*memory_place)(Handle, void*) = nullptr;
  Status (*memory_destroy)(Handle) = nullptr;
};

struct Destroy {
  Status (*how)(Handle) = nullptr;
  void operator()(Handle handle) const { how(handle); }
};
using Owned = std::unique_ptr<void, Destroy>;

/// What primitives are made by and run on, once for all of them.
struct Interface {
  Calls calls;
  bool found = false;  ///< all calls: it is of version 2
  Handle engine = nullptr, stream = nullptr;
  bool started = false;  ///< both, on this CPU
};

}  // namespace kernels::cpu::onednn
