// Others on our cores: a neighbour on the second hardware thread of a core (SMT), of this system or
// another guest of the host, or two of our own processors that the host put onto one core, halve
// what our threads compute, and neither the clock nor the accounts of the system show it. What
// shows it is how many independent operations a core does in one clock. Measured on a shared Zen 4
// host, 150 us regions beside their looks: 3.75 additions and 3.76 products alone, then FMAs and
// reads of L1 at 118 GFLOP/s and 209 GB/s; with fewer additions alone 117 and 189; with products
// halved 59 and 87.
#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include "kernels/cpu/pool.hpp"
#include "kernels/cpu/processor.hpp"

namespace kernels::cpu {

/// Operations of one kind per clock of one core, and whether it is now as fast as when it is alone.
class CorePace {
 public:
  /// Takes in what was seen now; true when the core was alone, as far as everything seen so far
  /// tells. A core that has never been alone cannot tell.
  bool alone_at(double ops_per_clock);

 private:
  double alone_ = 0;  // what few samples of a core alone lie above
  double looks_ = 0;
};

/// What others take of our cores.
enum class Company {
  none,
  light,  ///< additions: memory is read some per cent slower, vectors compute as fast as ever
  heavy,  ///< products, too: everything is up to half as fast
};

class Neighbours {
 public:
  /// `ops_per_clock`: of the calling thread's core; called by all threads at once.
  Neighbours(int threads, std::function<OpsPerClock()> ops_per_clock);

  /// Looks with all threads of the pool, about 25 us; what the worst placed of them has. The
  /// calling thread is enlisted.
  Company look(Pool&);

 private:
  struct alignas(64) Core {  // a cache line each
    CorePace adds, products;
    Company company = Company::none;
  };
  std::function<OpsPerClock()> ops_per_clock_;
  std::vector<Core> cores_;
};

}  // namespace kernels::cpu
