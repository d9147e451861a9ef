// See Pool::Enlisted.
#pragma once

#include <sched.h>

#include <vector>

#include "kernels/cpu/pool.hpp"
#include "kernels/cpu/processor.hpp"

namespace kernels::cpu {

class Pool::Enlisted {
 public:
  explicit Enlisted(Pool&);
  ~Enlisted();
  Enlisted(const Enlisted&) = delete;
  Enlisted& operator=(const Enlisted&) = delete;

 private:
  FlushToZero flush_;
  Attendance& attendance_;
  std::vector<cpu_set_t> old_;
  bool pinned_ = false;
};

}  // namespace kernels::cpu
