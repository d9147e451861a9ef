// One element type with matrix units off and on. Of the lab `matmul`.
#pragma once

#include "engine/labs/lab.hpp"

namespace engine::both_units {

/// Adds products of the first element type that our kernels multiply on both units of the device,
/// in the sizes that a knob sets; nothing where no matrix units multiply matrices.
void ask(Plan&, const Place&, const Spec&, const LabKnob& size,
         const std::vector<std::uint64_t>& squares);

/// For every element type that was measured on both, how much faster matrix units are at the
/// largest size.
void add_rows(const Results&, LabVerdict&);

}  // namespace engine::both_units
