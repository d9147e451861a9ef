#include "kernels/cpu/threads/scheduled_time.hpp"

#include <algorithm>
#include <chrono>
#include <ctime>

namespace kernels::cpu {
namespace {

double wall_seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

double ran_seconds() {
  timespec time{};
  if (clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time) != 0) return 0;
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

}  // namespace

void ScheduledTime::begin() {
  wall_ = wall_seconds();
  ran_ = ran_seconds();
  slept_ = 0;
}

void ScheduledTime::update() {
  const double wall = wall_;
  const double ran = ran_;
  const double slept = slept_;
  begin();
  // The two clocks are not read at the same moment.
  missed_ += std::max(0.0, (wall_ - wall - slept) - (ran_ - ran));
}

}  // namespace kernels::cpu
