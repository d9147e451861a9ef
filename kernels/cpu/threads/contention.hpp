// SMT contention: another program on the second hardware thread of a core, or two of our own
// virtual processors that the host put on one core, take up to half of the throughput. Neither the
// clock nor the system's accounts of other guests show it. The number of independent operations per
// clock does. Measured on a shared Zen 4 host, 150 us regions beside their looks: a core alone
// does 3.75 additions and 3.76 products, FMAs run at 118 GFLOP/s and L1 reads at 209 GB/s; with
// fewer additions 117 and 189; with half the products 59 and 87.
#pragma once

#include <functional>
#include <stop_token>
#include <vector>

#include "kernels/cpu/machine/processor.hpp"
#include "kernels/cpu/threads/pool.hpp"

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

/// How much of our cores others take.
enum class Contention {
  none,
  light,  ///< additions: L1 is read up to a tenth slower, vectors compute as fast as ever
  heavy,  ///< products, too: everything is up to half as fast
};

class ContentionProbe {
 public:
  /// `ops_per_clock`: of the calling thread's core; called by all threads at once.
  ContentionProbe(int threads, std::function<OpsPerClock()> ops_per_clock);

  /// Looks with all threads of the pool, which takes about 15 us. Returns the worst contention of
  /// any thread; heavy only if two looks in a row agree. The caller is pinned (Pool::PinnedCaller).
  Contention look(Pool&);
  /// Looks until there is no contention; at most 10 ms while it is light, 0.1 s while it is heavy,
  /// and half as long after each wait that failed, so that permanent contention costs little.
  Contention wait(Pool&, const std::stop_token& stop);

 private:
  struct alignas(64) Core {  // a cache line each
    CorePace adds, products;
    Contention contention = Contention::none;
  };
  Contention look_once(Pool&);

  std::function<OpsPerClock()> ops_per_clock_;
  std::vector<Core> cores_;
  double hope_ = 1;  // share of the longest wait that is worth it
};

}  // namespace kernels::cpu
