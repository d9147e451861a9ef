// Others on our cores: a neighbour on the second hardware thread of a core (SMT), or two of our own
// processors that a host put onto one core, take up to half of what our threads compute. The clock
// does not show it, and of other guests of the host the accounts of the system do not, either. What
// shows it is how many independent operations a core does in one clock. Measured on a shared Zen 4
// host, 150 us regions beside their looks: 3.75 additions and 3.76 products alone, then FMAs and
// reads of L1 at 118 GFLOP/s and 209 GB/s; with fewer additions 117 and 189; with products halved
// 59 and 87.
#pragma once

#include <cstddef>
#include <functional>
#include <stop_token>
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
  light,  ///< additions: L1 is read up to a tenth slower, vectors compute as fast as ever
  heavy,  ///< products, too: everything is up to half as fast
};

class Neighbours {
 public:
  /// `ops_per_clock`: of the calling thread's core; called by all threads at once.
  Neighbours(int threads, std::function<OpsPerClock()> ops_per_clock);

  /// Looks with all threads of the pool, about 15 us; what the worst placed of them has, heavy
  /// company by two looks in a row. The calling thread is enlisted.
  Company look(Pool&);
  /// Looks until they have no company, or light company for 10 ms, or heavy company for 0.1 s; for
  /// half as long after each time in vain, so that company that never leaves costs little.
  Company wait(Pool&, const std::stop_token& stop);

 private:
  struct alignas(64) Core {  // a cache line each
    CorePace adds, products;
    Company company = Company::none;
  };
  Company look_once(Pool&);

  std::function<OpsPerClock()> ops_per_clock_;
  std::vector<Core> cores_;
  double hope_ = 1;  // share of the longest wait that is worth it
};

}  // namespace kernels::cpu
