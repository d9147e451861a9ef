#include "tests/cuda/fakes/libraries/fake_cublaslt.hpp"

#include <algorithm>
#include <cstring>

#include "kernels/cuda/libraries/cublaslt_calls.hpp"
#include "kernels/dtypes.hpp"
#include "tests/cuda/fakes/fake_runtime.hpp"
#include "tests/cuda/fakes/libraries/fake_library.hpp"

namespace fake_cublaslt {
namespace {

using namespace kernels::cuda::cublaslt;
using kernels::Dtype;

constexpr Status invalid_value = 7;
constexpr Status not_supported = 15;

struct Operation {
  Compute compute;
  Type scale;
  bool a_transposed = false, b_transposed = false;
  std::uint32_t epilogue = 1;  // none
  const void* bias = nullptr;
};
struct Layout {
  Type type;
  std::uint64_t rows, columns, leading;
  std::int32_t batch = 1;
  std::int64_t step = 0;

  std::uint64_t bytes(std::uint64_t product) const;
};
/// A factor by its lines: rows of A or columns of B, and how far apart their elements are.
struct Lines {
  std::uint64_t lines, k;
  std::uint64_t line, along;

  Lines(const Layout& is, bool k_by_rows)
      : lines(k_by_rows ? is.columns : is.rows),
        k(k_by_rows ? is.rows : is.columns),
        line(k_by_rows ? is.leading : 1),
        along(k_by_rows ? 1 : is.leading) {}
};
struct Product {
  Operation operation;
  Layout a_is, b_is, d_is;
  const void* a;
  const void* b;
  void* d;
};

Dtype dtype_of(Type type) {
  switch (type) {
    case Type::fp64:
      return Dtype::fp64;
    case Type::fp16:
      return Dtype::fp16;
    case Type::bf16:
      return Dtype::bf16;
    case Type::fp8:
      return Dtype::fp8;
    case Type::int8:
      return Dtype::int8;
    case Type::int32:
      return Dtype::int32;
    case Type::fp32:
      break;
  }
  return Dtype::fp32;
}

/// From the first product to another one.
std::uint64_t Layout::bytes(std::uint64_t product) const {
  return product * static_cast<std::uint64_t>(step) * kernels::size_of(dtype_of(type));
}

/// By columns, with what lies between them.
std::vector<double> values_of(const void* data, Layout layout) {
  const Dtype dtype = dtype_of(layout.type);
  const std::size_t bytes = kernels::size_of(dtype);
  std::vector<double> values(layout.leading * layout.columns);
  for (std::size_t i = 0; i < values.size(); ++i) {
    std::uint64_t bits = 0;
    std::memcpy(&bits, static_cast<const unsigned char*>(data) + i * bytes, bytes);
    values[i] = kernels::decode(dtype, bits);
  }
  return values;
}

void multiply_one(const Product& product) {
  std::vector<double> a = values_of(product.a, product.a_is);
  std::ranges::transform(a, a.begin(), state().round_a);
  const std::vector<double> b = values_of(product.b, product.b_is);
  const Dtype out = dtype_of(product.d_is.type);
  const std::size_t bytes = kernels::size_of(out);
  const std::uint64_t rows = product.d_is.rows;
  auto* d = static_cast<unsigned char*>(product.d);
  const Lines of_a(product.a_is, product.operation.a_transposed);
  const Lines of_b(product.b_is, !product.operation.b_transposed);
  std::vector<double> bias;
  if (product.operation.epilogue == epilogue_bias_relu)
    bias = values_of(product.operation.bias, {product.d_is.type, rows, 1, rows});
  // `a` with k outermost, so that the inner loop runs along a column of `d`.
  const std::uint64_t first_term = state().skipped_terms;
  std::vector<double> a_by_k(of_a.k * rows);
  for (std::uint64_t l = first_term; l < of_a.k; ++l)
    for (std::uint64_t i = 0; i < rows; ++i)
      a_by_k[l * rows + i] = a[i * of_a.line + l * of_a.along];
  std::vector<double> sums(rows);
  for (std::uint64_t j = 0; j < product.d_is.columns; ++j) {
    std::ranges::fill(sums, 0);
    for (std::uint64_t l = first_term; l < of_a.k; ++l) {
      const double factor = b[j * of_b.line + l * of_b.along];
      for (std::uint64_t i = 0; i < rows; ++i) sums[i] += a_by_k[l * rows + i] * factor;
    }
    for (std::uint64_t i = 0; i < rows; ++i, d += bytes) {
      double sum = sums[i];
      if (!bias.empty()) sum += bias[state().first_bias_for_all ? 0 : i];
      if (!bias.empty() && !state().skips_relu) sum = std::max(sum, 0.0);
      const std::uint64_t bits = kernels::encode(out, sum);
      std::memcpy(d, &bits, bytes);
    }
  }
}

void multiply(const Product& all, std::uint64_t) {
  const auto batch = static_cast<std::uint64_t>(state().first_product_alone ? 1 : all.d_is.batch);
  for (std::uint64_t i = 0; i < batch; ++i) {
    Product one = all;
    one.a = static_cast<const unsigned char*>(all.a) + all.a_is.bytes(i);
    one.b = static_cast<const unsigned char*>(all.b) + all.b_is.bytes(i);
    one.d = static_cast<unsigned char*>(all.d) + all.d_is.bytes(i);
    multiply_one(one);
  }
}

Status create(Handle* handle) {
  *handle = &state();
  if (state().create == success) ++state().open_handles;
  return state().create;
}
Status destroy(Handle) {
  --state().open_handles;
  return success;
}
std::size_t get_version() { return 130100; }
const char* status_string(Status) { return "an emulated status"; }

Status operation_create(Handle* handle, Compute compute, Type scale) {
  *handle = new Operation{compute, scale};
  return success;
}
Status operation_destroy(Handle handle) {
  delete static_cast<Operation*>(handle);
  return success;
}
Status operation_set(Handle handle, int attribute, const void* value, std::size_t bytes) {
  const bool of_a = attribute == attribute_transpose_a;
  if ((of_a || attribute == attribute_transpose_b) && bytes == sizeof(transposed)) {
    auto& operation = *static_cast<Operation*>(handle);
    (of_a ? operation.a_transposed : operation.b_transposed) =
        std::memcmp(value, &transposed, sizeof(transposed)) == 0;
    return success;
  }
  if (attribute == attribute_epilogue && bytes == sizeof(std::uint32_t)) {
    std::memcpy(&static_cast<Operation*>(handle)->epilogue, value, bytes);
    return success;
  }
  if (attribute == attribute_bias && bytes == sizeof(void*)) {
    std::memcpy(&static_cast<Operation*>(handle)->bias, value, bytes);
    return success;
  }
  return attribute == attribute_fast_accumulation && bytes == 1 ? success : invalid_value;
}

Status layout_create(Handle* handle, Type type, std::uint64_t rows, std::uint64_t columns,
                     std::int64_t leading) {
  if (leading < static_cast<std::int64_t>(rows)) return invalid_value;
  *handle = new Layout{type, rows, columns, static_cast<std::uint64_t>(leading)};
  return success;
}
Status layout_set(Handle handle, int attribute, const void* value, std::size_t bytes) {
  auto& layout = *static_cast<Layout*>(handle);
  const bool count = attribute == layout_batch_count && bytes == sizeof(layout.batch);
  if (!count && (attribute != layout_batch_step || bytes != sizeof(layout.step)))
    return invalid_value;
  std::memcpy(count ? static_cast<void*>(&layout.batch) : &layout.step, value, bytes);
  return success;
}
Status layout_destroy(Handle handle) {
  delete static_cast<Layout*>(handle);
  return success;
}

Status preference_create(Handle* handle) {
  *handle = new std::uint64_t{0};
  return success;
}
Status preference_destroy(Handle handle) {
  delete static_cast<std::uint64_t*>(handle);
  return success;
}
Status preference_set(Handle handle, int attribute, const void* value, std::size_t bytes) {
  if (attribute != preference_workspace || bytes != sizeof(std::uint64_t)) return invalid_value;
  std::memcpy(handle, value, bytes);
  return success;
}

// What the documentation asks of the types, and of int8 and fp8 that k lies side by side.
bool supported(const Operation& operation, const Layout& a, const Layout& b, const Layout& d) {
  const Lines of_a(a, operation.a_transposed), of_b(b, !operation.b_transposed);
  if (a.type != b.type || of_a.k != of_b.k) return false;
  if (d.rows != of_a.lines || d.columns != of_b.lines || d.leading != d.rows) return false;
  if (a.batch != d.batch || b.batch != d.batch) return false;
  const bool side_by_side = operation.a_transposed && !operation.b_transposed;
  if ((a.type == Type::int8 || a.type == Type::fp8) && !side_by_side) return false;
  const bool plain = operation.epilogue == 1;
  if (!plain && (operation.epilogue != epilogue_bias_relu || operation.bias == nullptr))
    return false;
  if (!plain && (a.type == Type::int8 || a.type == Type::fp8)) return false;
  switch (a.type) {
    case Type::fp64:
      return operation.compute == Compute::fp64 && operation.scale == Type::fp64 &&
             d.type == Type::fp64;
    case Type::int8:
      return operation.compute == Compute::int32 && operation.scale == Type::int32 &&
             d.type == Type::int32;
    case Type::fp8:
      return operation.compute == Compute::fp32 && operation.scale == Type::fp32 &&
             (d.type == Type::bf16 || d.type == Type::fp32);
    default:
      return operation.scale == Type::fp32 && (d.type == a.type || d.type == Type::fp32);
  }
}

Status get_heuristic(Handle, Handle operation, Handle a, Handle b, Handle c, Handle d,
                     Handle preference, int wanted, Heuristic* results, int* count) {
  if (state().heuristic != success) return state().heuristic;
  if (c != d || *static_cast<std::uint64_t*>(preference) < state().workspace_bytes ||
      !supported(*static_cast<Operation*>(operation), *static_cast<Layout*>(a),
                 *static_cast<Layout*>(b), *static_cast<Layout*>(d))) {
    return not_supported;
  }
  *count = std::min(wanted, state().algorithms);
  for (int i = 0; i < *count; ++i) {
    results[i] = {};
    results[i].algorithm.data[0] = static_cast<std::uint64_t>(i);
    results[i].workspace_bytes = state().workspace_bytes;
  }
  return success;
}

Status matmul(Handle, Handle operation, const void* alpha, const void* a, Handle a_is,
              const void* b, Handle b_is, const void*, const void* c, Handle, void* d, Handle d_is,
              const Algorithm* algorithm, void* workspace, std::size_t bytes, cudaStream_t stream) {
  static const void* const kernel = fake_cuda::add<Product>(multiply);
  if (state().matmul != success) return state().matmul;
  const Product product{*static_cast<Operation*>(operation),
                        *static_cast<Layout*>(a_is),
                        *static_cast<Layout*>(b_is),
                        *static_cast<Layout*>(d_is),
                        a,
                        b,
                        d};
  const bool one = product.operation.scale == Type::fp64 ? *static_cast<const double*>(alpha) == 1
                   : product.operation.scale == Type::int32
                       ? *static_cast<const std::int32_t*>(alpha) == 1
                       : *static_cast<const float*>(alpha) == 1;
  if (!one || c != d || workspace == nullptr || bytes < state().workspace_bytes) {
    return invalid_value;
  }
  state().ranks.push_back(static_cast<int>(algorithm->data[0]));
  Product copy = product;
  void* arguments[] = {&copy};
  return cudaLaunchKernel(kernel, dim3(1), dim3(1), arguments, 0, stream);
}

}  // namespace

State& state() {
  static State instance;
  return instance;
}

void install(const char* name) {
  using fake_library::entry;
  state() = {};
  fake_library::installed()[name] = {
      {"cublasLtCreate", entry(create)},
      {"cublasLtDestroy", entry(destroy)},
      {"cublasLtGetVersion", entry(get_version)},
      {"cublasLtGetStatusString", entry(status_string)},
      {"cublasLtMatmulDescCreate", entry(operation_create)},
      {"cublasLtMatmulDescDestroy", entry(operation_destroy)},
      {"cublasLtMatmulDescSetAttribute", entry(operation_set)},
      {"cublasLtMatrixLayoutCreate", entry(layout_create)},
      {"cublasLtMatrixLayoutDestroy", entry(layout_destroy)},
      {"cublasLtMatrixLayoutSetAttribute", entry(layout_set)},
      {"cublasLtMatmulPreferenceCreate", entry(preference_create)},
      {"cublasLtMatmulPreferenceDestroy", entry(preference_destroy)},
      {"cublasLtMatmulPreferenceSetAttribute", entry(preference_set)},
      {"cublasLtMatmulAlgoGetHeuristic", entry(get_heuristic)},
      {"cublasLtMatmul", entry(matmul)}};
}

}  // namespace fake_cublaslt
