// See Pool::PinnedCaller.
#pragma once

#include <sched.h>

#include <vector>

#include "kernels/cpu/machine/processor.hpp"
#include "kernels/cpu/threads/pool.hpp"

namespace kernels::cpu {

class Pool::PinnedCaller {
 public:
  explicit PinnedCaller(Pool&);
  ~PinnedCaller();
  PinnedCaller(const PinnedCaller&) = delete;
  PinnedCaller& operator=(const PinnedCaller&) = delete;

 private:
  FlushToZero flush_;
  ScheduledTime& scheduled_;
  std::vector<cpu_set_t> old_;
  bool pinned_ = false;
};

}  // namespace kernels::cpu
