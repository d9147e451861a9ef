// Which shape of a kernel is fastest: a walk along one axis after the other. Pure: knows neither
// devices nor time.
#pragma once

#include <functional>
#include <vector>

#include "kernels/device.hpp"

namespace engine {

/// What the search asks for.
struct ShapeProbe {
  /// Rate of one shape from a short measurement; 0 when it cannot be built or run.
  std::function<double(const kernels::Shape&)> quick;
  /// False when the time for searching is over. Asked before each shape but the first.
  std::function<bool()> go_on;
};

struct TriedShape {
  kernels::Shape shape;  ///< every axis named, by name
  double rate = 0;       ///< 0: it does not run
};

/// Tries shapes from the defaults on: along each axis both ways as long as it does not get clearly
/// slower, on from the best, until a round brings nothing. Each shape is tried once; the fastest
/// comes first, those that do not run last. Without axes it is the empty shape alone.
std::vector<TriedShape> search_shapes(const std::vector<kernels::ShapeAxis>&, const ShapeProbe&);

/// What a search starts from: the first value of every axis, as the device lists it.
kernels::Shape default_shape(const std::vector<kernels::ShapeAxis>&);

/// Those worth a proper measurement: at most `most`, not clearly slower than the first.
std::vector<kernels::Shape> finalists(const std::vector<TriedShape>&, std::size_t most = 3);

}  // namespace engine
