// Our declarations of oneDNN against its header, version 2.
#include <dnnl.h>
#include <doctest/doctest.h>

#include <cstddef>

#include "kernels/cpu/loaded/onednn_calls.hpp"
#include "tests/cuda/fakes/same_call.hpp"

#if DNNL_VERSION_MAJOR == 2

namespace ours = kernels::cpu::onednn;
using Calls = ours::Calls;

static_assert(same_call<decltype(Calls::engine_create), decltype(&dnnl_engine_create)>);
static_assert(same_call<decltype(Calls::stream_create), decltype(&dnnl_stream_create)>);
static_assert(same_call<decltype(Calls::stream_wait), decltype(&dnnl_stream_wait)>);
static_assert(same_call<decltype(Calls::tensor_init), decltype(&dnnl_memory_desc_init_by_tag)>);
static_assert(
    same_call<decltype(Calls::tensor_init_apart), decltype(&dnnl_memory_desc_init_by_strides)>);
static_assert(same_call<decltype(Calls::product_init), decltype(&dnnl_matmul_desc_init)>);
static_assert(same_call<decltype(Calls::after_create), decltype(&dnnl_post_ops_create)>);
static_assert(same_call<decltype(Calls::after_destroy), decltype(&dnnl_post_ops_destroy)>);
static_assert(same_call<decltype(Calls::after_add), decltype(&dnnl_post_ops_append_eltwise)>);
static_assert(same_call<decltype(Calls::attributes_create), decltype(&dnnl_primitive_attr_create)>);
static_assert(
    same_call<decltype(Calls::attributes_destroy), decltype(&dnnl_primitive_attr_destroy)>);
static_assert(
    same_call<decltype(Calls::attributes_set_after), decltype(&dnnl_primitive_attr_set_post_ops)>);
static_assert(
    same_call<decltype(Calls::description_create), decltype(&dnnl_primitive_desc_create)>);
static_assert(same_call<decltype(Calls::tensor_bytes), decltype(&dnnl_memory_desc_get_size)>);
static_assert(same_call<decltype(Calls::tensors_equal), decltype(&dnnl_memory_desc_equal)>);
static_assert(
    same_call<decltype(Calls::convolution_init), decltype(&dnnl_convolution_forward_desc_init)>);
static_assert(
    same_call<decltype(Calls::iterator_create), decltype(&dnnl_primitive_desc_iterator_create)>);
static_assert(
    same_call<decltype(Calls::iterator_next), decltype(&dnnl_primitive_desc_iterator_next)>);
static_assert(
    same_call<decltype(Calls::iterator_fetch), decltype(&dnnl_primitive_desc_iterator_fetch)>);
static_assert(
    same_call<decltype(Calls::iterator_destroy), decltype(&dnnl_primitive_desc_iterator_destroy)>);
static_assert(same_call<decltype(Calls::query), decltype(&dnnl_primitive_desc_query)>);
static_assert(same_call<decltype(Calls::query_tensor), decltype(&dnnl_primitive_desc_query_md)>);
static_assert(
    same_call<decltype(Calls::reorder_create), decltype(&dnnl_reorder_primitive_desc_create)>);
static_assert(
    same_call<decltype(Calls::description_destroy), decltype(&dnnl_primitive_desc_destroy)>);
static_assert(same_call<decltype(Calls::primitive_create), decltype(&dnnl_primitive_create)>);
static_assert(same_call<decltype(Calls::primitive_execute), decltype(&dnnl_primitive_execute)>);
static_assert(same_call<decltype(Calls::primitive_destroy), decltype(&dnnl_primitive_destroy)>);
static_assert(same_call<decltype(Calls::memory_create), decltype(&dnnl_memory_create)>);
static_assert(same_call<decltype(Calls::memory_place), decltype(&dnnl_memory_set_data_handle)>);
static_assert(same_call<decltype(Calls::memory_destroy), decltype(&dnnl_memory_destroy)>);
// The comparison itself can fail.
static_assert(!same_call<decltype(Calls::engine_create), decltype(&dnnl_stream_wait)>);

static_assert(sizeof(ours::TensorDesc) >= sizeof(dnnl_memory_desc_t));
static_assert(sizeof(ours::ConvolutionDesc) >= sizeof(dnnl_convolution_desc_t));
static_assert(sizeof(ours::ProductDesc) >= sizeof(dnnl_matmul_desc_t));
static_assert(sizeof(ours::Argument) == sizeof(dnnl_exec_arg_t));
static_assert(offsetof(ours::Argument, memory) == offsetof(dnnl_exec_arg_t, memory));

template <class Theirs>
constexpr bool same(int a, Theirs b) {
  return a == static_cast<int>(b);
}
static_assert(same(ours::success, dnnl_success));
static_assert(same(ours::of_cpu, dnnl_cpu));
static_assert(same(ours::in_order, dnnl_stream_default_flags));
static_assert(same(ours::fp32, dnnl_f32));
static_assert(same(ours::any_layout, dnnl_format_tag_any) && same(ours::nchw, dnnl_nchw));
static_assert(same(ours::nchw, dnnl_oihw));  // of weights
static_assert(same(ours::inference, dnnl_forward_inference));
static_assert(same(ours::algorithm_auto, dnnl_convolution_auto));
static_assert(same(ours::relu, dnnl_eltwise_relu));
static_assert(same(ours::query_name, dnnl_query_impl_info_str));
static_assert(same(ours::query_source, dnnl_query_src_md));
static_assert(same(ours::query_weights, dnnl_query_weights_md));
static_assert(same(ours::query_output, dnnl_query_dst_md));
static_assert(same(ours::source, DNNL_ARG_SRC) && same(ours::source, DNNL_ARG_FROM));
static_assert(same(ours::weights, DNNL_ARG_WEIGHTS));
static_assert(same(ours::bias, DNNL_ARG_BIAS));
static_assert(same(ours::output, DNNL_ARG_DST) && same(ours::output, DNNL_ARG_TO));

TEST_CASE("our declarations of oneDNN are those of its header, which the compiler has compared") {
  CHECK(DNNL_VERSION_MAJOR == 2);
}

#else

TEST_CASE("our declarations of oneDNN are of version 2, and its header here is of another") {
  MESSAGE("skipped: convolutions use version 2 alone");
}

#endif
