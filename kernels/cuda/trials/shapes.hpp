// What can be chosen of a roof kernel's shape on an architecture, and what a case has chosen. Plain
// C++.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/cuda/trials/architecture.hpp"
#include "kernels/device.hpp"

namespace kernels::cuda {

/// Whether wgmma of a dtype runs: on Hopper alone, also where another GPU runs the PTX of 9.0.
bool runs_wgmma(Dtype, Architecture);
/// Whether a case runs by wgmma: the peak of Hopper's matrix units; all else there is mma.sync.
bool uses_wgmma(const Case&, Architecture);

/// Whether a stream passes over its tensors again and again, or reads a level that a single pass
/// would not show: ring_body.hpp.
bool walks_a_ring(const Case&);

/// The axes of a stream or peak case; empty for other families. An axis with one value is left out.
std::vector<ShapeAxis> shape_axes(const Case&, Architecture);

/// Throws Unsupported when the case's shape has an axis, or a value on one, that is not offered.
void refuse_unknown_shape(const Case&, std::span<const ShapeAxis> offered);

/// The shape of a case with the defaults filled in.
class ShapeValues {
 public:
  /// Throws Unsupported for an axis or a value that there isn't.
  ShapeValues(const Case&, Architecture);

  /// The value of an axis; empty where the case has no such axis.
  const std::string& operator[](std::string_view axis) const;
  bool is(std::string_view axis, std::string_view value) const { return (*this)[axis] == value; }
  /// A value that is a whole number; `fallback` for any other, and where there is no such axis.
  int number(std::string_view axis, int fallback) const;

 private:
  Shape values_;
};

}  // namespace kernels::cuda
