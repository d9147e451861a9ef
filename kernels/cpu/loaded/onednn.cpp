#include "kernels/cpu/loaded/onednn.hpp"

#include <dlfcn.h>
#include <fmt/format.h>
#include <link.h>

#include <cstdlib>

#include "kernels/cpu/threads/pool.hpp"

namespace kernels::cpu {
namespace {

/// The threads of OpenMP wait for work as those of the pool do, 50 us or so at work and then
/// asleep: by default they take a core for some milliseconds, in which others are measured. OpenMP
/// reads this when it is loaded; before main(), because later other threads may read the
/// environment.
[[maybe_unused]] const bool told_openmp = [] {
  constexpr int keep_what_users_set = 0;
  setenv("GOMP_SPINCOUNT", "3000", keep_what_users_set);  // of some 15 ns each
  setenv("KMP_BLOCKTIME", "0", keep_what_users_set);      // LLVM's and Intel's
  return true;
}();

constexpr const char* how_to_get_it = "oneDNN was not found: install libdnnl2 (Debian 12)";

/// dnnl_version_t: the members that all versions begin with.
struct Version {
  int major, minor, patch;
};

template <class Function>
void find(void* library, const char* name, Function& function) {
  function = reinterpret_cast<Function>(dlsym(library, name));
}

/// Everything of version 2 that primitives use.
onednn::Interface interface_of(void* library) {
  onednn::Interface made;
  if (library == nullptr) return made;
  onednn::Calls& calls = made.calls;
  bool all = true;
  const auto add = [&](auto& call, const char* name) {
    find(library, name, call);
    all = all && call != nullptr;
  };
  add(calls.engine_create, "dnnl_engine_create");
  add(calls.stream_create, "dnnl_stream_create");
  add(calls.stream_wait, "dnnl_stream_wait");
  add(calls.tensor_init, "dnnl_memory_desc_init_by_tag");
  add(calls.tensor_init_apart, "dnnl_memory_desc_init_by_strides");
  add(calls.tensor_bytes, "dnnl_memory_desc_get_size");
  add(calls.tensors_equal, "dnnl_memory_desc_equal");
  add(calls.convolution_init, "dnnl_convolution_forward_desc_init");
  add(calls.product_init, "dnnl_matmul_desc_init");
  add(calls.after_create, "dnnl_post_ops_create");
  add(calls.after_destroy, "dnnl_post_ops_destroy");
  add(calls.after_add, "dnnl_post_ops_append_eltwise");
  add(calls.attributes_create, "dnnl_primitive_attr_create");
  add(calls.attributes_destroy, "dnnl_primitive_attr_destroy");
  add(calls.attributes_set_after, "dnnl_primitive_attr_set_post_ops");
  add(calls.iterator_create, "dnnl_primitive_desc_iterator_create");
  add(calls.iterator_next, "dnnl_primitive_desc_iterator_next");
  add(calls.iterator_fetch, "dnnl_primitive_desc_iterator_fetch");
  add(calls.iterator_destroy, "dnnl_primitive_desc_iterator_destroy");
  add(calls.query, "dnnl_primitive_desc_query");
  add(calls.query_tensor, "dnnl_primitive_desc_query_md");
  add(calls.reorder_create, "dnnl_reorder_primitive_desc_create");
  add(calls.description_create, "dnnl_primitive_desc_create");
  add(calls.description_destroy, "dnnl_primitive_desc_destroy");
  add(calls.primitive_create, "dnnl_primitive_create");
  add(calls.primitive_execute, "dnnl_primitive_execute");
  add(calls.primitive_destroy, "dnnl_primitive_destroy");
  add(calls.memory_create, "dnnl_memory_create");
  add(calls.memory_place, "dnnl_memory_set_data_handle");
  add(calls.memory_destroy, "dnnl_memory_destroy");
  made.found = all;
  made.started =
      all && calls.engine_create(&made.engine, onednn::of_cpu, 0) == onednn::success &&
      calls.stream_create(&made.stream, made.engine, onednn::in_order) == onednn::success;
  return made;
}

}  // namespace

OneDnn::OneDnn() : why_not_(how_to_get_it) {
  void* library = nullptr;
  for (const char* name : {"libdnnl.so.3", "libdnnl.so.2"}) {
    if (library == nullptr) library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
  }
  if (library == nullptr) return;
  const Version* (*version)() = nullptr;
  find(library, "dnnl_version", version);
  find(library, "dnnl_sgemm", sgemm_);
  find(library, "dnnl_gemm_s8s8s32", igemm_);
  // Those of OpenMP, which it is linked with; LLVM's OpenMP has them, too.
  find(library, "GOMP_parallel", parallel_);
  find(library, "omp_set_num_threads", set_threads_);
  find(library, "omp_get_thread_num", thread_number_);
  link_map* map = nullptr;
  if (dlinfo(library, RTLD_DI_LINKMAP, &map) == 0 && map != nullptr) file_ = map->l_name;
  const bool placed = parallel_ != nullptr && set_threads_ != nullptr && thread_number_ != nullptr;
  if (version == nullptr || sgemm_ == nullptr || igemm_ == nullptr || !placed) {
    why_not_ = fmt::format(
        "{} has no OpenMP, so its threads cannot be placed: install libdnnl2 (Debian 12)", file_);
    file_.clear();
    return;
  }
  const Version* is = version();
  name_ = fmt::format("oneDNN {}.{}.{}", is->major, is->minor, is->patch);
  why_not_.clear();
  library_ = library;
}

const OneDnn& OneDnn::instance() {
  static const OneDnn library;
  return library;
}

const onednn::Interface& OneDnn::primitives() const {
  static const onednn::Interface made = interface_of(library_);
  return made;
}

std::string OneDnn::why_not(Dtype dtype, Units units) const {
  if (units == Units::matrix) return "oneDNN chooses the units itself: see vector units";
  if (dtype != Dtype::fp32 && dtype != Dtype::int8)
    return "oneDNN is asked for fp32 and int8 alone: choose one of these";
  return why_not_;
}

void OneDnn::place_threads(const std::vector<int>& processors) const {
  struct Placing {
    const std::vector<int>& processors;
    ThreadNumber number;
  } placing{processors, thread_number_};
  set_threads_(static_cast<int>(processors.size()));
  parallel_(
      [](void* context) {
        const auto& all = *static_cast<const Placing*>(context);
        const auto mine = static_cast<std::size_t>(all.number());
        // The calling thread stays where its caller has put it.
        if (mine > 0 && mine < all.processors.size()) pin_to(all.processors[mine]);
      },
      &placing, static_cast<unsigned>(processors.size()), 0);
}

bool OneDnn::multiply(Dtype dtype, const MatmulSize& size, const void* a, const void* b,
                      void* c) const {
  const auto rows = static_cast<Size>(size.m), columns = static_cast<Size>(size.n),
             depth = static_cast<Size>(size.k);
  // From one row in memory to the next.
  const Size row_a = size.a_transposed() ? rows : depth;
  const Size row_b = size.b_transposed() ? depth : columns;
  const char as_a = size.a_transposed() ? 'T' : 'N', as_b = size.b_transposed() ? 'T' : 'N';
  constexpr int success = 0;
  if (dtype == Dtype::fp32) {
    return sgemm_(as_a, as_b, rows, columns, depth, 1, static_cast<const float*>(a), row_a,
                  static_cast<const float*>(b), row_b, 0, static_cast<float*>(c),
                  columns) == success;
  }
  constexpr std::int32_t no_offset = 0;
  return igemm_(as_a, as_b, 'F', rows, columns, depth, 1, static_cast<const std::int8_t*>(a), row_a,
                0, static_cast<const std::int8_t*>(b), row_b, 0, 0, static_cast<std::int32_t*>(c),
                columns, &no_offset) == success;
}

}  // namespace kernels::cpu
