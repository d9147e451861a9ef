// Steps that depend on each other, and the ways in which a device is told to start one.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "kernels/case.hpp"
#include "kernels/device.hpp"

namespace kernels {

/// How the steps of a case of `steps` are started.
enum class Start : std::uint8_t {
  stream = 1,  ///< GPU: a kernel per step, queued in a stream
  wait,        ///< GPU: the same, with a wait after each
  graph,       ///< GPU: all kernels recorded in one CUDA graph
  dependent,   ///< GPU: in a stream, each kernel launched before the one before it has ended
  persistent,  ///< GPU: one kernel, whose blocks wait for each other between steps
  call,        ///< CPU: a function called by one thread
  loop,        ///< CPU: a parallel loop of threads that spin between steps
  wake,        ///< CPU: threads that sleep between steps
  queue,       ///< CPU: tasks queued for another thread
};

/// What a case asks for; none: what is usual on that kind of device, `stream` or `loop`.
Start start_of(const Case&, std::string_view kind);
/// Such a case of so many steps.
Case steps_case(Start, std::uint64_t elements, std::uint64_t steps);
/// "in a stream", "with woken threads".
std::string_view words_of(Start);

/// What a run tells beside its time where the host queues its steps and then waits: the value "time
/// to queue", s, and what the host did when.
void note_queue(double queued, double all, std::vector<Value>&, std::vector<Span>&);

}  // namespace kernels
