// A device as text for people.
#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <tuple>
#include <vector>

#include "app/cli/commands.hpp"
#include "app/output/results.hpp"
#include "kernels/units.hpp"

namespace app {
namespace {

struct Fact {
  std::string text;
  bool known;
};

/// Those that are known, joined by commas.
std::string joined(const std::vector<Fact>& facts) {
  std::string text;
  for (const Fact& fact : facts)
    if (fact.known) text += (text.empty() ? "" : ", ") + fact.text;
  return text;
}

std::string facts_of(const kernels::DeviceInfo& info, double free_bytes) {
  const bool cpu = info.kind == "cpu";
  return joined(
      {{units::counted(info.multiprocessors, cpu ? "core" : "SM"), info.multiprocessors > 0},
       {fmt::format("{} of them slower", info.slow_cores), info.slow_cores > 0},
       {units::counted(info.threads, "thread"), info.threads > 0},
       {units::hertz(info.clock_hz), info.clock_hz > 0},
       {"memory clock " + units::hertz(info.memory_clock_hz), info.memory_clock_hz > 0},
       {"L1 " + units::bytes(info.l1_bytes) + (cpu ? " per core" : " per SM"), info.l1_bytes > 0},
       {"L2 " + units::bytes(info.l2_bytes) + (cpu ? " per core" : ""), info.l2_bytes > 0},
       {"L3 " + units::bytes(info.l3_bytes), info.l3_bytes > 0},
       {"cache sizes unknown", info.l1_bytes + info.l2_bytes + info.l3_bytes <= 0},
       {"memory " + units::bytes(info.memory_bytes), info.memory_bytes > 0},
       {"free " + units::bytes(free_bytes), free_bytes > 0},
       {fmt::format("{} memory nodes", info.memory_nodes), info.memory_nodes > 1},
       {fmt::format("PCIe link {} each way", units::bytes_per_second(info.link_rate)),
        info.link_rate > 0},
       {fmt::format("reaches {} directly", info.peer), !info.peer.empty()}});
}

std::string versions_of(const kernels::DeviceInfo& info) {
  const char* capability = info.kind == "cpu" ? "widest instruction set " : "compute capability ";
  return joined({{capability + info.compute_capability, !info.compute_capability.empty()},
                 {fmt::format("instruction sets {}", fmt::join(info.instruction_sets, " ")),
                  !info.instruction_sets.empty()},
                 {"driver " + info.driver, !info.driver.empty()},
                 {"drives a display", info.draws_screen}});
}

/// Lines for the part of the GPU that this is, and for each library that was found: "  NVML:
/// /usr/lib/libnvidia-ml.so.1".
std::string further_lines(const kernels::DeviceInfo& info) {
  std::string lines = info.partition.empty() ? "" : fmt::format("  {}\n", info.partition);
  for (const kernels::LoadedLibrary& library : info.libraries) {
    lines += fmt::format("  {}: {}\n", library.name, library.file);
  }
  return lines;
}

/// Sentences numbered in the order in which they are first used.
class Footnotes {
 public:
  std::string number_of(const std::string& sentence) {
    const auto found = std::ranges::find(sentences_, sentence);
    const auto place = found - sentences_.begin();
    if (found == sentences_.end()) sentences_.push_back(sentence);
    return std::to_string(place + 1);
  }
  std::string text() const {
    std::string lines;
    for (std::size_t i = 0; i < sentences_.size(); ++i) {
      lines += fmt::format("  {:>2}  {}\n", i + 1, sentences_[i]);
    }
    return lines;
  }

 private:
  std::vector<std::string> sentences_;
};

std::string cell_of(const kernels::Kernel* kernel, Footnotes& footnotes) {
  if (kernel == nullptr) return "";
  if (!kernel->runs) return "no " + footnotes.number_of(kernel->why_not);
  return kernel->note.empty() ? "yes" : "yes " + footnotes.number_of(kernel->note);
}

/// What the kernels of one row of the table have in common.
auto row_of(const kernels::Kernel& kernel) {
  return std::tuple(kernel.family, kernel.op, kernel.units, kernel.by);
}

/// What a library has is listed under its own name.
std::string name_of(const kernels::Kernel& kernel) {
  const bool own = kernel.by == kernels::By::own;
  return fmt::format("  {}{}{}", own ? "" : kernels::name_of(kernel.by), own ? "" : " ",
                     kernels::name_of(kernel.family));
}

const kernels::Kernel* kernel_at(std::span<const kernels::Kernel> kernels,
                                 const kernels::Kernel& row, kernels::Dtype dtype) {
  for (const kernels::Kernel& kernel : kernels) {
    if (row_of(kernel) == row_of(row) && kernel.dtype == dtype) return &kernel;
  }
  return nullptr;
}

std::string kernel_table(std::span<const kernels::Kernel> kernels) {
  Rows rows{{"  kernel", "op", "units"}};
  for (const kernels::DtypeInfo& dtype : kernels::dtypes) rows[0].emplace_back(dtype.name);
  Footnotes footnotes;
  for (const kernels::Kernel& row : kernels) {
    const auto first = std::ranges::find(kernels, row_of(row), row_of);
    if (&*first != &row) continue;
    std::vector<std::string> cells{name_of(row), std::string(kernels::name_of(row.op)),
                                   std::string(kernels::name_of(row.units))};
    for (const kernels::DtypeInfo& dtype : kernels::dtypes) {
      cells.push_back(cell_of(kernel_at(kernels, row, dtype.dtype), footnotes));
    }
    rows.push_back(std::move(cells));
  }
  std::vector<std::size_t> left(rows[0].size());
  std::iota(left.begin(), left.end(), std::size_t{0});
  return aligned(rows, left) + footnotes.text();
}

}  // namespace

std::string device_text(const kernels::DeviceInfo& info, std::span<const kernels::Kernel> kernels,
                        double free_bytes) {
  return fmt::format("{} ({}): {}\n  {}\n  {}\n{}\n{}", info.id, info.kind, info.name,
                     facts_of(info, free_bytes), versions_of(info), further_lines(info),
                     kernel_table(kernels));
}

}  // namespace app
