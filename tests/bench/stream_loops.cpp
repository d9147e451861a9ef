// The four loops that the STREAM benchmark (McCalpin) times, written for Ridgepoint: compare_peers
// compiles this file with the compiler of the machine where STREAM itself is not installed.
//   stream_loops copy|scale|add|triad BYTES THREADS SECONDS
// BYTES: all arrays of the loop together. Prints "byte/s: RATE", counted as STREAM does: what the
// loop reads and writes, without the lines that ordinary stores read first.
#include <pthread.h>
#include <sched.h>

#include <algorithm>
#include <barrier>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <thread>
#include <vector>

namespace {

using Clock = std::chrono::steady_clock;

/// One thread's part of the arrays, touched first by that thread.
struct Part {
  std::size_t count;
  std::unique_ptr<double[]> a, b, c;
};

void pass(const char* loop, double* __restrict a, const double* __restrict b,
          const double* __restrict c, std::size_t count) {
  constexpr double scalar = 3;
  switch (loop[0]) {
    case 'c':
      for (std::size_t i = 0; i < count; ++i) a[i] = b[i];
      break;
    case 's':
      for (std::size_t i = 0; i < count; ++i) a[i] = scalar * b[i];
      break;
    case 'a':
      for (std::size_t i = 0; i < count; ++i) a[i] = b[i] + c[i];
      break;
    default:
      for (std::size_t i = 0; i < count; ++i) a[i] = b[i] + scalar * c[i];
  }
  // The arrays are read by somebody whom the compiler does not know.
  asm volatile("" : : "r"(a), "r"(b), "r"(c) : "memory");
}

void pin_to(int which) {
  cpu_set_t allowed, one;
  CPU_ZERO(&one);
  if (sched_getaffinity(0, sizeof allowed, &allowed) != 0) return;
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
    if (CPU_ISSET(cpu, &allowed) && which-- == 0) CPU_SET(cpu, &one);
  }
  if (CPU_COUNT(&one) == 1) pthread_setaffinity_np(pthread_self(), sizeof one, &one);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 5) return 2;
  const char* const loop = argv[1];
  const int threads = std::max(std::atoi(argv[3]), 1);
  const double limit = std::atof(argv[4]);
  const bool three = loop[0] == 'a' || loop[0] == 't';
  const double arrays = three ? 3 : 2;
  const auto count =
      static_cast<std::size_t>(std::atof(argv[2]) / (arrays * sizeof(double) * threads));
  std::barrier together(threads);
  double seconds = 0;
  long passes = 0;
  bool over = false;
  const auto work = [&](int me) {
    pin_to(me);
    Part part{count, std::make_unique<double[]>(count), std::make_unique<double[]>(count),
              std::make_unique<double[]>(three ? count : 1)};
    std::fill_n(part.b.get(), count, 1.0);
    if (three) std::fill_n(part.c.get(), count, 2.0);
    pass(loop, part.a.get(), part.b.get(), part.c.get(), count);
    together.arrive_and_wait();
    const auto begin = Clock::now();
    while (true) {
      pass(loop, part.a.get(), part.b.get(), part.c.get(), count);
      together.arrive_and_wait();
      if (me == 0) {
        ++passes;
        seconds = std::chrono::duration<double>(Clock::now() - begin).count();
        over = seconds >= limit;
      }
      together.arrive_and_wait();
      if (over) break;
    }
  };
  {
    std::vector<std::jthread> others;
    for (int i = 1; i < threads; ++i) others.emplace_back(work, i);
    work(0);
  }
  const double bytes = arrays * sizeof(double) * static_cast<double>(count) * threads;
  std::printf("byte/s: %.6e\n", bytes * static_cast<double>(passes) / seconds);
}
