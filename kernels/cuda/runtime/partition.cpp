#include "kernels/cuda/runtime/partition.hpp"

#include <fmt/format.h>

#include "kernels/units.hpp"

namespace kernels::cuda {

std::string partition_text(const Partition& part) {
  if (!part.slice && !part.shared) return "";
  std::string text = part.slice ? "MIG slice: " : "MPS: ";
  const bool fewer = part.all_multiprocessors > part.multiprocessors;
  const std::string of_all = fewer ? fmt::format("of {} ", part.all_multiprocessors) : "";
  text += fmt::format("{} {}SMs", part.multiprocessors, of_all);
  if (part.slice && part.memory_bytes > 0) {
    text += fmt::format(", {}", units::bytes(part.memory_bytes));
    if (part.all_memory_bytes > part.memory_bytes) {
      text += fmt::format(" of {}", units::bytes(part.all_memory_bytes));
    }
  }
  if (part.shared) text += ", shared with other processes";
  return text;
}

bool is_slice(const std::string& name) { return name.find(" MIG ") != std::string::npos; }

int cores_per_multiprocessor(int major, int minor) {
  if (major == 7) return 64;
  return major == 8 && minor == 0 ? 64 : 128;
}

}  // namespace kernels::cuda
