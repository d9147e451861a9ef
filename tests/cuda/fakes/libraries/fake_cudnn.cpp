#include "tests/cuda/fakes/libraries/fake_cudnn.hpp"

#include <algorithm>

#include "kernels/cuda/libraries/cudnn_calls.hpp"
#include "tests/cuda/fakes/fake_runtime.hpp"
#include "tests/cuda/fakes/libraries/fake_library.hpp"

namespace fake_cudnn {
namespace {

using namespace kernels::cuda::cudnn;

constexpr Status bad_parameter = 2000, not_supported = 3000;

/// Of a tensor, a filter or a convolution.
struct Descriptor {
  int count = 0, channels = 0, rows = 0, columns = 0;
  bool pads_by_one = false;
  int math = -1;
};
Descriptor& at(Handle handle) { return *static_cast<Descriptor*>(handle); }

struct Work {
  Descriptor in_is, weights_is;
  const float *in, *weights;
  float* out;
  int algorithm;
};

/// One element, as the definition of a convolution has it.
double sum_at(const Work& w, int image, int filter, int row, int column) {
  const int edge = w.in_is.rows, channels = w.in_is.channels;
  double sum = 0;
  for (int c = 0; c < channels - (state().skips_last_channel ? 1 : 0); ++c) {
    for (int tap = 0; tap < 9; ++tap) {
      const int y = row + tap / 3 - 1, x = column + tap % 3 - 1;
      if (y < 0 || y >= edge || x < 0 || x >= edge) continue;
      sum += static_cast<double>(w.in[((image * channels + c) * edge + y) * edge + x]) *
             static_cast<double>(w.weights[(filter * channels + c) * 9 + tap]);
    }
  }
  return sum;
}

void convolve(const Work& w, std::uint64_t) {
  const int edge = w.in_is.rows, filters = w.weights_is.count;
  const auto written =
      static_cast<std::uint64_t>(w.in_is.count * filters * edge * edge) - state().unwritten;
  for (std::uint64_t i = 0; i < written; ++i) {
    const int at = static_cast<int>(i), pixel = at % (edge * edge), plane = at / (edge * edge);
    w.out[i] = static_cast<float>(
        sum_at(w, plane / filters, plane % filters, pixel / edge, pixel % edge) + state().error);
  }
}

const void* kernel() {
  static const void* const one = fake_cuda::add<Work>(convolve);
  return one;
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
std::size_t get_version() { return 91900; }
const char* error_string(Status) { return "an emulated status"; }
Status set_stream(Handle, cudaStream_t stream) {
  state().stream = stream;
  return success;
}

Status create_descriptor(Handle* handle) {
  ++state().open_descriptors;
  *handle = new Descriptor;
  return success;
}
Status destroy_descriptor(Handle handle) {
  --state().open_descriptors;
  delete &at(handle);
  return success;
}
Status set_tensor(Handle handle, int layout, int type, int images, int channels, int rows,
                  int columns) {
  at(handle) = {images, channels, rows, columns};
  return layout == nchw && type == fp32 ? success : not_supported;
}
Status set_filter(Handle handle, int type, int layout, int filters, int channels, int rows,
                  int columns) {
  return set_tensor(handle, layout, type, filters, channels, rows, columns);
}
Status set_convolution(Handle handle, int pad_rows, int pad_columns, int stride_rows,
                       int stride_columns, int dilation_rows, int dilation_columns, int mode,
                       int type) {
  at(handle).pads_by_one = pad_rows == 1 && pad_columns == 1;
  const bool plain =
      stride_rows == 1 && stride_columns == 1 && dilation_rows == 1 && dilation_columns == 1;
  return plain && mode == cross_correlation && type == fp32 ? success : not_supported;
}
Status set_math(Handle handle, int math) {
  at(handle).math = math;
  return success;
}

bool is_whole(Handle in, Handle weights, Handle convolution, Handle out) {
  const Descriptor &i = at(in), &w = at(weights), &o = at(out), &c = at(convolution);
  return i.count == o.count && i.channels == w.channels && w.count == o.channels && w.rows == 3 &&
         w.columns == 3 && i.rows == i.columns && i.rows == o.rows && o.rows == o.columns &&
         c.pads_by_one && c.math == fma_math;
}

std::uint64_t workspace_of(int algorithm) {
  const auto found = state().workspace_bytes.find(algorithm);
  return found == state().workspace_bytes.end() ? 0 : found->second;
}

Status get_algorithm(Handle, Handle in, Handle weights, Handle convolution, Handle out, int wanted,
                     int* count, Choice* choices) {
  if (state().choose != success) return state().choose;
  if (!is_whole(in, weights, convolution, out)) return bad_parameter;
  *count = std::min(wanted, static_cast<int>(state().choices.size()));
  for (int i = 0; i < *count; ++i) {
    choices[i] = {};
    choices[i].algorithm = state().choices[static_cast<std::size_t>(i)];
    choices[i].workspace_bytes = workspace_of(choices[i].algorithm);
  }
  return success;
}
Status get_workspace(Handle, Handle in, Handle weights, Handle convolution, Handle out,
                     int algorithm, std::size_t* bytes) {
  if (!is_whole(in, weights, convolution, out)) return bad_parameter;
  *bytes = workspace_of(algorithm);
  return std::ranges::find(state().refused, algorithm) == state().refused.end() ? success
                                                                                : not_supported;
}
Status forward(Handle, const void* alpha, Handle in_is, const void* in, Handle weights_is,
               const void* weights, Handle convolution, int algorithm, void*, std::size_t bytes,
               const void* beta, Handle out_is, void* out) {
  if (state().forward != success) return state().forward;
  const bool replaces =
      *static_cast<const float*>(alpha) == 1 && *static_cast<const float*>(beta) == 0;
  if (!replaces || !is_whole(in_is, weights_is, convolution, out_is)) return bad_parameter;
  if (bytes < workspace_of(algorithm)) return bad_parameter;
  state().algorithms.push_back(algorithm);
  Work work{at(in_is),
            at(weights_is),
            static_cast<const float*>(in),
            static_cast<const float*>(weights),
            static_cast<float*>(out),
            algorithm};
  void* arguments[] = {&work};
  return cudaLaunchKernel(kernel(), dim3(1), dim3(1), arguments, 0, state().stream);
}

}  // namespace

State& state() {
  static State instance;
  return instance;
}

int algorithm_of(const void* function, const void* arguments) {
  return function == kernel() ? static_cast<const Work*>(arguments)->algorithm : -1;
}

void install(const char* name) {
  using fake_library::entry;
  state() = {};
  fake_library::installed()[name] = {
      {"cudnnGetVersion", entry(get_version)},
      {"cudnnGetErrorString", entry(error_string)},
      {"cudnnCreate", entry(create)},
      {"cudnnDestroy", entry(destroy)},
      {"cudnnSetStream", entry(set_stream)},
      {"cudnnCreateTensorDescriptor", entry(create_descriptor)},
      {"cudnnSetTensor4dDescriptor", entry(set_tensor)},
      {"cudnnDestroyTensorDescriptor", entry(destroy_descriptor)},
      {"cudnnCreateFilterDescriptor", entry(create_descriptor)},
      {"cudnnSetFilter4dDescriptor", entry(set_filter)},
      {"cudnnDestroyFilterDescriptor", entry(destroy_descriptor)},
      {"cudnnCreateConvolutionDescriptor", entry(create_descriptor)},
      {"cudnnSetConvolution2dDescriptor", entry(set_convolution)},
      {"cudnnSetConvolutionMathType", entry(set_math)},
      {"cudnnDestroyConvolutionDescriptor", entry(destroy_descriptor)},
      {"cudnnGetConvolutionForwardAlgorithm_v7", entry(get_algorithm)},
      {"cudnnGetConvolutionForwardWorkspaceSize", entry(get_workspace)},
      {"cudnnConvolutionForward", entry(forward)}};
}

}  // namespace fake_cudnn
