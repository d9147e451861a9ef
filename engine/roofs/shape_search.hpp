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

/// Tries shapes from the defaults on: along each axis both ways until two in a row are clearly
/// slower, on from the best, until a round brings nothing. Each shape is tried once; the fastest
/// comes first, those that do not run last. Without axes it is the empty shape alone.
std::vector<TriedShape> search_shapes(const std::vector<kernels::ShapeAxis>&, const ShapeProbe&);

/// Every combination, the default first; none without axes.
std::vector<kernels::Shape> all_shapes(const std::vector<kernels::ShapeAxis>&);

/// What a search starts from: the first value of every axis, as the device lists it.
kernels::Shape default_shape(const std::vector<kernels::ShapeAxis>&);

/// Those that may be the fastest: at most `most`, not far slower than the first. They were tried
/// one after the other, so the machine may have drifted between them.
std::vector<kernels::Shape> finalists(const std::vector<TriedShape>&, std::size_t most = 8);

/// Finalists from the fastest to the slowest, by successive halving (Jamieson and Talwalkar 2016):
/// all are measured in turn, there and back, then the faster half, and so on. A drift of the
/// machine meets all alike. Those whose rate is 0 come last.
std::vector<kernels::Shape> halved(std::vector<kernels::Shape>,
                                   const std::function<double(const kernels::Shape&)>& rate);

}  // namespace engine
