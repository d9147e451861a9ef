// What a bias and relu cost behind a matrix product: fused into its kernel, or as two more kernels.
// Of the lab `matmul`.
#pragma once

#include "engine/labs/lab.hpp"

namespace engine::epilogue {

/// The sizes at which it is measured: the largest, and a small one if it is another.
std::vector<std::uint64_t> sizes_for(const std::vector<std::uint64_t>& squares);

/// Adds the product with bias and relu, by our kernel and the library's, and both as kernels of
/// their own on C. Nothing where the element type has none.
void ask(Plan&, const Place&, const Spec&, const LabKnob& size, const kernels::Case& product);

/// Rows of C: of a product, and of what is computed on C.
std::uint64_t rows_of(const kernels::Case&);

/// For each size the time of both, over that of the product alone, in stacked bars.
Chart chart();

/// What it costs at each size, of our kernels.
void add_rows(const Results&, kernels::Dtype, kernels::Units, LabVerdict&);

}  // namespace engine::epilogue
