// Layers of a small model as a list of operators: each one a launch of its own, all recorded as one
// graph, or those of a layer fused into one launch.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/case.hpp"
#include "kernels/device.hpp"
#include "kernels/families/eager/layer_ops.hpp"

namespace kernels {

/// How the operators of a case of `eager` are started.
enum class Form : std::uint8_t {
  single = 1,  ///< a launch for each operator
  graph,       ///< the same kernels, recorded as one graph; on a CPU in one parallel region
  fused,       ///< a launch for each layer, whose operators are one kernel
};

/// Layers (`repeat`) on a matrix x of rows x width in fp32.
Case eager_case(Form, std::uint64_t rows, std::uint64_t width, std::uint64_t layers);
Form form_of(const Case&);
std::uint64_t layer_width(const Case&);
std::uint64_t layer_rows(const Case&);
/// Launches, or what takes their place: a fused layer is one, else each operator is.
std::uint64_t launches_of(const Case&);
/// "as single launches", "as a graph", "fused".
std::string_view words_of(Form);

/// When the host or the device did something.
struct Stretch {
  double begin = 0, end = 0;  ///< s
};
/// The lanes "host" and "device" of a run. `host` has the launches, one for each part or one for
/// all; `device` what ran of each part; `end`, when the host saw the end of all.
std::vector<Span> spans_of(const Case&, std::span<const Stretch> host,
                           std::span<const Stretch> device, double end);
/// The share of the time of such a run in which any part ran, from 0 to 1; and its name as a value.
double share_of_work(std::span<const Stretch> device, double end);
inline constexpr std::string_view device_works = "device works";

}  // namespace kernels
