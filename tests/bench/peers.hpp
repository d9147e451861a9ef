// Programs and libraries that measure what a roof of ours measures: run as they are, on the same
// cores, their figures read from their output. Nothing of them is built into Ridgepoint.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "kernels/device.hpp"

namespace bench {

/// One figure of a peer. `rate`: FLOP/s or byte/s of one run of it, nothing when it fails.
struct Peer {
  std::string roof;  ///< ours, as in a session: "DRAM copy", "fp32 FMA"
  std::string name;  ///< "likwid-bench copy_mem_avx512"
  std::function<std::optional<double>()> rate;
};

/// A peer that is not here, and how to get it.
struct Missing {
  std::string name;
  std::string why;
};

struct Peers {
  std::vector<Peer> found;
  std::vector<Missing> missing;
};

/// likwid-bench: every variant that this CPU runs of load, store, copy, triad and peakflops.
void add_likwid(Peers&, const kernels::DeviceInfo&);
/// byte/s, or FLOP/s, of one of its kernels on so many threads: memory in 1 GB, peakflops in 32 kB
/// per thread (the first cache), as its documentation does.
std::optional<double> likwid_rate(const std::string& kernel, int threads);
/// clpeak, through whatever OpenCL the machine has for this device.
void add_clpeak(Peers&, const kernels::DeviceInfo&);
/// OpenBLAS (found at run time): sgemm and dgemm.
void add_openblas(Peers&, const kernels::DeviceInfo&);
/// oneDNN (found when this was built): matrix products of fp32, bf16 and int8.
void add_onednn(Peers&, const kernels::DeviceInfo&);
/// The C library's memcpy, one thread per core, each its own part: a STREAM-like copy.
void add_memcpy(Peers&, const kernels::DeviceInfo&);
/// nvbandwidth, where it is on PATH.
void add_nvbandwidth(Peers&, const kernels::DeviceInfo&);
/// cudaMemcpy from device to device; where this was built with CUDA.
void add_cuda_memcpy(Peers&, const kernels::DeviceInfo&);

/// What a command prints on stdout; empty when it cannot be run or takes over a minute.
std::string output_of(const std::string& command);
/// True when a program is on PATH.
bool on_path(const std::string& program);
/// The first number behind a label; nothing when either is not there or the number is not positive.
std::optional<double> number_after(const std::string& text, const std::string& label);

/// Best of a few runs of `work`, in work per second: matrix products vary with what they find in
/// the caches.
std::optional<double> best_rate(double amount, const std::function<void()>& work);

}  // namespace bench
