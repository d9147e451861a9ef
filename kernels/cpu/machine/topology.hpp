// What the operating system says about this machine: cores that this process may use, caches,
// memory limits. Linux; every file is read below a root folder, so that tests can show it any
// machine.
#pragma once

#include <sched.h>

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace kernels::cpu {

/// What is in a folder; as far as it can be read.
std::vector<std::filesystem::path> entries_of(const std::filesystem::path& folder);

/// Empty where it cannot be read.
std::string first_line_of(const std::filesystem::path& file);

/// sched_getaffinity of the calling thread.
bool ask_affinity(std::size_t bytes, cpu_set_t*);

/// Data and unified caches. 0 = unknown.
struct Caches {
  double l1_bytes = 0;  ///< a core's share of all that the given processors reach
  double l2_bytes = 0;  ///< the same
  double l3_bytes = 0;  ///< all that the given processors reach
};

/// The affinity mask of the calling thread, as many processors as the system knows: `get` asks for
/// it (sched_getaffinity) and fails while there is too little room. Empty when it never succeeds.
std::vector<cpu_set_t> affinity_mask(
    const std::function<bool(std::size_t bytes, cpu_set_t*)>& get = ask_affinity);

/// Logical processors in the affinity mask of the calling thread, ascending.
std::vector<int> allowed_processors();

/// One logical processor of each physical core among `allowed`, the lowest.
std::vector<int> one_per_core(const std::filesystem::path& root, const std::vector<int>& allowed);

/// The other logical processors of the cores of `processors` (SMT), ascending.
std::vector<int> siblings_of(const std::filesystem::path& root, const std::vector<int>& processors);

/// "0-3,8" -> 0 1 2 3 8. Stops at what it cannot read.
std::vector<int> parse_cpu_list(const std::string& text);

/// Processors' worth of time that the control groups (v1 or v2) of this process grant, if they
/// limit it.
std::optional<double> cpu_quota(const std::filesystem::path& root);

/// Whether a battery of this machine is being discharged: many processors are slower then.
bool on_battery(const std::filesystem::path& root);

/// Seconds of all processors together that such limits have kept this process waiting, from an
/// arbitrary start; nothing without a limit.
std::optional<double> seconds_over_quota(const std::filesystem::path& root);

/// Bytes that can still be allocated: MemAvailable, or less where a control group (v1 or v2) or the
/// limits of this process (`ulimit -v` and `-d`) leave less.
double available_memory(const std::filesystem::path& root);

/// Bytes that limits on the address space and on the data of this process leave, given what it has
/// mapped (/proc/self/status); infinite without limits.
double unmapped_memory(const std::filesystem::path& root, double address_limit, double data_limit);

/// MemTotal, or the limit of the control group where that is lower.
double total_memory(const std::filesystem::path& root);

/// Memory nodes (NUMA) on which these processors lie, that of the first one first; node 0 where the
/// system tells none.
std::vector<int> memory_nodes(const std::filesystem::path& root,
                              const std::vector<int>& processors);

/// How many of these processors are clearly slower than the fastest of them (hybrid CPUs): below
/// 90 % of its capacity (Arm) or of its top clock. 0 where the system tells neither.
int slow_cores(const std::filesystem::path& root, const std::vector<int>& processors);

Caches caches_of(const std::filesystem::path& root, const std::vector<int>& processors);

/// The same as the C library asks the processor for them, which does not tell how many cores share
/// one: for a system that hides its files.
Caches caches_by_library();

/// "AMD EPYC 9654 96-Core Processor"; the machine type of the kernel where no name is given.
std::string processor_name(const std::filesystem::path& root);

/// "Linux 6.1.0".
std::string operating_system();

/// Temperature of the processor package in degree C where a sensor is readable.
std::optional<double> package_temperature(const std::filesystem::path& root);

}  // namespace kernels::cpu
