// Peers that are libraries, found at run time.
#include <dlfcn.h>
#include <fmt/format.h>
#include <pthread.h>
#include <sched.h>

#include <chrono>
#include <cstring>
#include <memory>
#include <optional>
#include <thread>

#include "tests/bench/peers.hpp"

namespace bench {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int edge = 3072;  // of square matrices: large enough for the best of a library
constexpr double product_flops = 2.0 * edge * edge * edge;

/// The C interface of OpenBLAS that is needed: row major 101, no transposition 111.
struct OpenBlas {
  using Sgemm = void (*)(int, int, int, int, int, int, float, const float*, int, const float*, int,
                         float, float*, int);
  using Dgemm = void (*)(int, int, int, int, int, int, double, const double*, int, const double*,
                         int, double, double*, int);
  Sgemm sgemm = nullptr;
  Dgemm dgemm = nullptr;
};

template <class Function>
Function symbol(void* library, const char* name) {
  return reinterpret_cast<Function>(dlsym(library, name));
}

/// Loaded once and never unloaded: its threads live as long as the program.
std::optional<OpenBlas> load_openblas(int threads) {
  void* const library = dlopen("libopenblas.so.0", RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) return std::nullopt;
  const OpenBlas blas{symbol<OpenBlas::Sgemm>(library, "cblas_sgemm"),
                      symbol<OpenBlas::Dgemm>(library, "cblas_dgemm")};
  const auto set_threads = symbol<void (*)(int)>(library, "openblas_set_num_threads");
  if (blas.sgemm == nullptr || blas.dgemm == nullptr || set_threads == nullptr) return std::nullopt;
  set_threads(threads);
  return blas;
}

template <class Real, class Gemm>
Side product_of(Gemm gemm) {
  return [gemm] {
    const std::vector<Real> a(std::size_t{edge} * edge, Real(0.5));
    const std::vector<Real> b(std::size_t{edge} * edge, Real(0.25));
    std::vector<Real> c(std::size_t{edge} * edge);
    return turn_of(product_flops, [&] {
      gemm(101, 111, 111, edge, edge, edge, Real(1), a.data(), edge, b.data(), edge, Real(0),
           c.data(), edge);
    });
  };
}

/// On the core of that number among those that this process may use.
void pin_to(std::size_t which) {
  cpu_set_t allowed, one;
  CPU_ZERO(&one);
  if (sched_getaffinity(0, sizeof allowed, &allowed) != 0) return;
  for (std::size_t cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
    if (CPU_ISSET(cpu, &allowed) && which-- == 0) CPU_SET(cpu, &one);
  }
  if (CPU_COUNT(&one) == 1) pthread_setaffinity_np(pthread_self(), sizeof one, &one);
}

/// Bytes read and written per second by all threads together, start to end.
Turn memcpy_turn(int threads, double working_set) {
  const auto part = static_cast<std::size_t>(working_set / 2 / threads);
  struct Part {
    std::unique_ptr<char[]> from, to;
  };
  std::vector<Part> parts(static_cast<std::size_t>(threads));
  const auto on_all = [&](auto body) {
    std::vector<std::jthread> all;
    for (std::size_t i = 0; i < parts.size(); ++i) {
      all.emplace_back([&parts, i, body] {
        pin_to(i);
        body(parts[i]);
      });
    }
  };
  on_all([part](Part& mine) {  // touched first by the thread that uses it
    mine.from = std::make_unique<char[]>(part);
    mine.to = std::make_unique<char[]>(part);
    std::memset(mine.from.get(), 1, part);
    std::memset(mine.to.get(), 2, part);
  });
  // Several in a row, so that starting the threads is the least of the time.
  constexpr int copies = 4;
  return turn_of(2.0 * copies * static_cast<double>(part) * threads, [&] {
    on_all([part](Part& mine) {
      for (int i = 0; i < copies; ++i) std::memcpy(mine.to.get(), mine.from.get(), part);
    });
  });
}

}  // namespace

Turn turn_of(double amount, const std::function<void()>& work) {
  const auto start = Clock::now();
  double done = 0, seconds = 0;
  while (seconds < turn_seconds) {
    work();
    done += amount;
    seconds = std::chrono::duration<double>(Clock::now() - start).count();
  }
  return {.rate = done / seconds};
}

void add_openblas(Peers& peers, const kernels::DeviceInfo& device) {
  if (device.kind != "cpu") return;
  const auto blas = load_openblas(device.threads);
  if (!blas) {
    peers.missing.push_back({"OpenBLAS", "install the Debian package libopenblas0-pthread"});
    return;
  }
  const std::string counted =
      "2 M N K FLOP; theirs a whole matrix product, ours arithmetic in registers";
  peers.found.push_back({"fp32 FMA", "OpenBLAS", fmt::format("sgemm {}", edge), counted,
                         product_of<float>(blas->sgemm)});
  peers.found.push_back({"fp64 FMA", "OpenBLAS", fmt::format("dgemm {}", edge), counted,
                         product_of<double>(blas->dgemm)});
}

void add_memcpy(Peers& peers, const kernels::DeviceInfo& device) {
  if (device.kind != "cpu") return;
  peers.found.push_back({"DRAM copy", "memcpy", "of the C library",
                         "bytes read and written over the same working set; theirs with the stores "
                         "that the library chose",
                         [threads = device.threads, bytes = peers.working_set] {
                           return memcpy_turn(threads, bytes);
                         }});
}

}  // namespace bench
