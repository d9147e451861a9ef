// Which roofs there are to measure on a device, and the case that measures each. Pure. Private to
// the engine.
#pragma once

#include <vector>

#include "engine/labs/lab.hpp"
#include "engine/measure/run_case.hpp"
#include "engine/roofs/levels.hpp"
#include "engine/session/session.hpp"

namespace engine {

/// What the roofs of a sweep must bound: "DRAM copy", the caches that hold `cases`, "launch", and
/// the compute roof of each dtype and units, without those that are in `have`.
std::vector<RoofTask> sweep_roofs(const kernels::Device&, const std::vector<kernels::Case>& cases,
                                  const std::vector<Roof>& have);

/// What the kernels of `cases` take at their smallest size: of those whose launches are so
/// brief that this may be most of it. `known`: the device with its roofs; what is in it is left
/// out.
std::vector<RoofTask> overheads(const kernels::Device&, const Session& known,
                                const std::vector<kernels::Case>& cases);

/// The measured roofs that bound a case, as they run beside it: that of memory or arithmetic, and
/// near the ridge both, because a device that drifts can move the ridge over the case; or the
/// overhead of its kernel. None where they were not measured here.
std::vector<ControlCase> controls_of(const kernels::Device&, const Session& known,
                                     const kernels::Case&);

/// Those of `measured` that our own kernels of the matrix units reach, as they run alone.
std::vector<ControlCase> matrix_roofs(const kernels::Device&, const std::vector<Roof>& measured);

/// Every roof of a device but those of its cache levels, from its list of kernels; all hold `data`.
std::vector<RoofTask> all_roofs(const Place&, kernels::Data data);

/// Reads over a working set: a point of the level curve, or the roof of a level (of a GPU's L2 and
/// its slices: past the L1, in which a block would find its part of a working set again).
kernels::Case read_over(const kernels::DeviceInfo&, double bytes, kernels::Data data);
/// The points of the level curve: reads over growing working sets, on GPUs also past the L1.
std::vector<kernels::Case> level_reads(const Place&, kernels::Data data);
RoofTask level_roof(const kernels::DeviceInfo&, const Plateau&, kernels::Data data);

/// The roofs of a level over the working set of its plateau: that of the level, and of a GPU's L2
/// also that of its slices.
std::vector<RoofTask> level_roofs(const kernels::DeviceInfo&, const Plateau&, kernels::Data data);

}  // namespace engine
