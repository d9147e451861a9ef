// One element type with matrix units off and on. Of the lab `matmul`.
#pragma once

#include "engine/labs/lab.hpp"

namespace engine::both_units {

/// Adds the products of the first element type that our kernels multiply on both units of the
/// device; nothing where it has no matrix units that multiply matrices.
void ask(Plan&, const Place&, const std::vector<std::uint64_t>& squares, kernels::Data);

/// For every element type that was measured on both, how much faster matrix units are at the
/// largest size.
void add_rows(const Results&, LabVerdict&);

}  // namespace engine::both_units
