// Every row is in docs/lab-notes.md, "Published results" and "Launches", with the same sources.
#include "app/output/published.hpp"

#include <algorithm>
#include <array>

namespace app {
namespace {

using Row = PublishedRow;
using Is = PublishedRow::Is;

constexpr std::string_view benches = "gpu-benches";
constexpr std::string_view both = "gpu-benches, gpu-roofline";
constexpr std::string_view launches = "launch overhead by clpeak";

constexpr std::array rows{
    Row{"H200", "", "DRAM copy", 4.26e12, 4.3e12, benches},
    Row{"H200", "", "DRAM read", 4.39e12, 4.46e12, benches},
    Row{"H200", "", "DRAM write", 4.66e12, 4.66e12, benches},
    Row{"H200", "", "fp32 FMA", 42.6e12, 59.5e12, both},
    Row{"H200", "", "bf16 matrix", 686e12, 798e12, "WMMA to cuBLAS, dense"},
    Row{"H200", "", "bf16 mma.sync", 623e12, 686e12, "63 to 65 % of dense, WMMA"},
    Row{"H200", "", "bf16 library", 769e12, 798e12, "cuBLAS, dense"},
    Row{"H200", "", "fp8 matrix", 1453e12, 1453e12, "dense, best shape"},
    Row{"H200", "", "L2", 9.6e12, 10.3e12, benches},
    Row{"H200", "", "L1", 126, 128, "gpu-benches, byte per clock and SM", Is::per_clock},
    Row{"H200", "", "shared", 126, 128, "gpu-benches, byte per clock and SM", Is::per_clock},
    Row{"H200", "", "launch", 2.5e-6, 2.5e-6, launches, Is::seconds},
    Row{"H200", "", "launch graph", 1.3e-6, 1.3e-6, launches, Is::seconds},
    Row{"H100", "HBM3", "bf16 matrix", 795e12, 808e12, "8192 cubed: cuBLAS, by hand"},
    Row{"H100", "HBM3", "bf16 library", 795e12, 795e12, "cuBLAS, 8192 cubed"},
    Row{"H100", "", "launch", 2.1e-6, 2.1e-6, launches, Is::seconds},
    Row{"H100", "", "launch graph", 1.3e-6, 1.3e-6, launches, Is::seconds},
    Row{"A100", "40GB", "DRAM copy", 1.37e12, 1.37e12, benches},
    Row{"A100", "40GB", "fp32 FMA", 19.2e12, 19.2e12, benches},
    Row{"A100", "SXM", "bf16 matrix", 271e12, 271e12, "matmul, dense"},
    Row{"B200", "", "bf16 library", 1745e12, 1745e12, "matmul, dense"},
    Row{"B200", "", "fp8 library", 3433e12, 3433e12, "matmul, dense"},
    Row{"B200", "", "launch", 3.8e-6, 3.8e-6, launches, Is::seconds},
    Row{"B200", "", "launch graph", 0.8e-6, 0.8e-6, launches, Is::seconds},
};

/// A slice of a GPU is another device, and so is GH200 where the row says H200.
bool describes(const Row& row, std::string_view name) {
  if (name.find(" MIG ") != std::string_view::npos) return false;
  const std::size_t at = name.find(row.gpu);
  const bool whole = at != std::string_view::npos && (at == 0 || name[at - 1] == ' ');
  return whole && name.find(row.other, at) != std::string_view::npos;
}

}  // namespace

std::span<const PublishedRow> published_rows() { return rows; }

std::optional<Published> published_for(const kernels::DeviceInfo& device,
                                       const engine::Roof& roof) {
  const auto row = std::ranges::find_if(rows, [&](const Row& one) {
    return one.roof == roof.name && describes(one, device.name);
  });
  if (row == rows.end()) return std::nullopt;
  if (row->is == Is::seconds) return Published{1 / row->high, 1 / row->low, row->source};
  if (row->is == Is::rate) return Published{row->low, row->high, row->source};
  const double clock = roof.conditions.clock_hz.value_or(device.clock_hz);
  const double per_clock = clock * device.multiprocessors;
  if (!(per_clock > 0)) return std::nullopt;
  return Published{row->low * per_clock, row->high * per_clock, row->source};
}

}  // namespace app
