// What the labs of matrix products share: which kernels there are, whose they are, and the points
// of one of them.
#pragma once

#include <string>
#include <vector>

#include "engine/labs/lab.hpp"
#include "kernels/families/matmul/matmul.hpp"

namespace engine {

/// What a lab that runs on one sort of units runs on: matrix units where they are asked for.
kernels::Units units_of(const Spec&);

/// Throws BadInput where a spec asks for both sorts of units, or for several element types, of a
/// lab that runs on one.
void refuse_both_units(const Spec&);
void refuse_several_dtypes(const Spec&);

/// Adds the case with our own kernel, and with the library's where the device has heard of one. A
/// size that the knob has is refused where memory does not hold it, and one that is automatic is
/// left out.
void ask_both(Plan&, const Place&, const Spec&, const LabKnob& size, kernels::Case);

/// The largest power of two up to `usual` x (cores / 2)^(1 / root), `usual` at least: a size that
/// suits two cores, on a device with so many.
std::uint64_t grown(std::uint64_t usual, const kernels::DeviceInfo&, double root);

/// Lab::why_not of these labs: the device multiplies no matrices.
std::string why_no_products(const Place&);

/// "our kernel", "oneDNN 2.6.3", "library" where its name is not known.
std::string owner_of(const Point&);

/// What was measured of our own kernel or a library's, by ascending m: in the element type and on
/// the units of the run's spec, or of the first product where these were not measured.
Points products_of(const Results&, kernels::By);
/// The same in that element type on those units.
Points products_of(const Results&, kernels::By, kernels::Dtype, kernels::Units,
                   kernels::Epilogue = kernels::Epilogue::none);

/// A chart over m, with a line for each element type and kernel.
Chart over_sizes(std::string_view id, std::string_view title, std::string_view x_title,
                 const Metric& y);

}  // namespace engine
