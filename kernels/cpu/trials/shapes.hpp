// What can be chosen of the shape of a stream, peak or conv kernel, and the kernel that a case
// chooses.
#pragma once

#include <string>
#include <vector>

#include "kernels/cpu/machine/machine.hpp"
#include "kernels/cpu/trials/tables.hpp"
#include "kernels/device.hpp"

namespace kernels::cpu {

/// Axes of a stream, peak or conv case on this processor, defaults first; empty for others.
std::vector<ShapeAxis> shape_axes_of(const Selection&, const Machine&, const Case&);

/// A stream kernel, and what it is told beside its data.
struct ChosenStream {
  StreamFunction run = nullptr;
  std::uint64_t prefetch_distance = 0;
  int threads = 0;
  Dealing dealing = Dealing::shares;
  std::string note{};  ///< as Trial::note()
};

/// Throw Unsupported for axes and values that do not exist, and for combinations that are not
/// built.
ChosenStream choose_stream(const Selection&, const Machine&, const Case&);

/// A peak kernel and the table it comes from.
struct ChosenPeak {
  PeakFunction function;
  Choice choice;
  Dealing dealing = Dealing::shares;
};
ChosenPeak choose_peak(const Selection&, const Machine&, const Case&);

/// How a convolution is computed, and the table it comes from.
struct ChosenConv {
  ConvVariant variant;
  Choice choice;
};
/// The algorithm that the case names; else the first choice, which nothing is measured for: of all
/// direct convolutions whose register block fits the registers the one with the most
/// multiplications for each load of its innermost loop, less what its blocks compute beyond the
/// edges of the output.
ChosenConv choose_conv(const Choice&, const Case&);

}  // namespace kernels::cpu
