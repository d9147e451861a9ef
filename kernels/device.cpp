#include "kernels/device.hpp"

#include <algorithm>
#include <array>

#include "kernels/families/family.hpp"

namespace kernels {

constexpr double caches_over = 4;
constexpr double unknown_cache = 32.0 * 1024 * 1024;  // where the system tells none

double reachable_cache(double last_level_cache, bool virtual_machine, int cores) {
  constexpr double of_a_core = 48.0 * 1024 * 1024;
  const double most = std::max(surely_dram / caches_over, of_a_core * std::max(cores, 1));
  const double cache = last_level_cache > 0 ? last_level_cache : unknown_cache;
  return virtual_machine ? std::min(cache, most) : cache;
}

double dram_working_set(double last_level_cache, bool virtual_machine, int cores) {
  return caches_over * reachable_cache(last_level_cache, virtual_machine, cores);
}

Sample Trial::run_for(double seconds, std::stop_token stop) {
  Sample last;
  for (double passed = 0; passed < seconds; passed += last.seconds) last = run(stop);
  return last;
}

constexpr std::array<std::string_view, 4> launched_names{"", "threads", "stream", "graph"};

std::string_view name_of(Launched launched) {
  return launched_names[static_cast<std::size_t>(launched)];
}

std::optional<Launched> launched_named(std::string_view name) {
  const auto found = std::ranges::find(launched_names, name);
  if (found == launched_names.end() || name.empty()) return std::nullopt;
  return static_cast<Launched>(found - launched_names.begin());
}

Kernel answered(Kernel row, const std::string& why_not, const std::string& note) {
  row.runs = why_not.empty();
  row.why_not = why_not;
  if (row.runs) row.note = note;
  return row;
}

std::string_view chosen_on(std::string_view axis, const Case& c) {
  const auto choice = std::ranges::find(c.shape, axis, &ShapeChoice::axis);
  return choice == c.shape.end() ? std::string_view() : choice->value;
}

const Kernel* find_kernel(std::span<const Kernel> kernels, const Case& c) {
  const bool by_library = c.by == By::library;  // others are of our own, or generated
  const auto row_of = [&](Op op) {
    const auto row = std::ranges::find_if(kernels, [&](const Kernel& kernel) {
      if (kernel.family != c.family) return false;
      if (c.family->role == Role::overhead) return true;  // moves and computes nothing
      return kernel.op == op && kernel.dtype == c.dtype && kernel.units == c.units &&
             (kernel.by == By::library) == by_library;
    });
    return row == kernels.end() ? nullptr : &*row;
  };
  if (c.ops.count != 1 && !c.family->several_ops) return nullptr;
  const Kernel* found = nullptr;
  for (const Op op : c.ops) {
    const Kernel* row = row_of(op);
    if (row == nullptr || !row->runs) return row;
    if (found == nullptr) found = row;
  }
  return found;
}

}  // namespace kernels
