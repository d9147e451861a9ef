// Counters of a GPU by NVIDIA's DCGM, for GPUs without those of gpm.hpp: what its tool prints.
#pragma once

#include <string>
#include <vector>

#include "kernels/device.hpp"
#include "kernels/host/child.hpp"

namespace kernels::cuda {

/// `dcgmi dmon` in the background; it needs DCGM's host engine, which may refuse this user.
class Dcgm {
 public:
  /// `gpu`: the index that NVML has for it. Waits for the first line, at most 3 s. Throws
  /// Unsupported with why there is none.
  explicit Dcgm(int gpu);

  /// Takes in what the tool has printed: to be called every second, of which it keeps 4 KiB. Throws
  /// Unsupported when it has ended.
  void look();
  /// The means of the lines since the last call, by the names of counted.hpp; empty where none
  /// came. Throws as look() does.
  std::vector<Value> read();

 private:
  /// Of one field.
  struct Told {
    double sum = 0;
    int lines = 0;
  };

  Child tool_;
  std::string gpu_;
  std::vector<Told> told_;
};

}  // namespace kernels::cuda
