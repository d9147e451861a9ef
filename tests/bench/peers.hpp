// Programs and libraries that measure what a roof of ours measures: run as they are, on the same
// cores, their figures read from their output. Nothing of them is built into Ridgepoint.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "kernels/device.hpp"
#include "tests/bench/pairs.hpp"

namespace bench {

/// s that one side measures in one turn; two turns and their start make a pair.
inline constexpr double turn_seconds = 0.2;

/// One figure of a peer.
struct Peer {
  std::string roof;     ///< ours, as in a session: "DRAM copy", "fp32 FMA"
  std::string program;  ///< "likwid-bench"
  std::string variant;  ///< of the program: "copy_mem_avx512"
  /// What theirs does and counts, where that is not what ours does; and why its turns are longer
  /// than ours, where they are.
  std::string compared;
  Side turn;
};

/// A peer that is not here, and how to get it.
struct Missing {
  std::string name;
  std::string why;
};

/// A folder for programs that are compiled here; removed at the end.
class Scratch {
 public:
  Scratch();
  ~Scratch();
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

struct Peers {
  std::vector<Peer> found;
  std::vector<Missing> missing;
  Scratch scratch{};
  double working_set = 0;  ///< byte that the roofs of memory stream over, all tensors together
};

/// likwid-bench: load, store, copy, triad and peakflops, over the working set of ours.
void add_likwid(Peers&, const kernels::DeviceInfo&);
/// clpeak, through whatever OpenCL the machine has for this device.
void add_clpeak(Peers&, const kernels::DeviceInfo&);
/// mixbench, the version for CPUs.
void add_mixbench(Peers&, const kernels::DeviceInfo&);
/// STREAM where it is on PATH; else its four loops, compiled by the compiler of this machine.
void add_stream(Peers&, const kernels::DeviceInfo&);
/// OpenBLAS (found at run time): sgemm and dgemm.
void add_openblas(Peers&, const kernels::DeviceInfo&);
/// oneDNN (found when this was built): matrix products of fp32, bf16 and int8.
void add_onednn(Peers&, const kernels::DeviceInfo&);
/// The C library's memcpy, one thread per core, each its own part.
void add_memcpy(Peers&, const kernels::DeviceInfo&);
/// nvbandwidth, where it is on PATH.
void add_nvbandwidth(Peers&, const kernels::DeviceInfo&);
/// cudaMemcpy from device to device; where this was built with CUDA.
void add_cuda_memcpy(Peers&, const kernels::DeviceInfo&);

/// Runs `work`, which does `amount`, until a turn is over, at least once: amount per second.
Turn turn_of(double amount, const std::function<void()>& work);

}  // namespace bench
