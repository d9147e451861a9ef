// Peers that are libraries, found at run time.
#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <memory>
#include <thread>

#include "tests/bench/peers.hpp"

namespace bench {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int edge = 3072;  // of square matrices: large enough for any library's best
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
std::function<std::optional<double>()> product_of(Gemm gemm) {
  return [gemm] {
    const std::vector<Real> a(std::size_t{edge} * edge, Real(0.5));
    const std::vector<Real> b(std::size_t{edge} * edge, Real(0.25));
    std::vector<Real> c(std::size_t{edge} * edge);
    return best_rate(product_flops, [&] {
      gemm(101, 111, 111, edge, edge, edge, Real(1), a.data(), edge, b.data(), edge, Real(0),
           c.data(), edge);
    });
  };
}

/// Bytes read and written per second by all threads together, start to end.
std::optional<double> memcpy_rate(int threads) {
  constexpr std::size_t part = std::size_t{256} << 20;
  struct Part {
    std::unique_ptr<char[]> from, to;
  };
  std::vector<Part> parts(static_cast<std::size_t>(threads));
  const auto on_all = [&](auto body) {
    std::vector<std::jthread> all;
    for (Part& mine : parts) all.emplace_back([&mine, body] { body(mine); });
  };
  on_all([](Part& mine) {  // touched first by the thread that uses it
    mine.from = std::make_unique<char[]>(part);
    mine.to = std::make_unique<char[]>(part);
    std::memset(mine.from.get(), 1, part);
    std::memset(mine.to.get(), 2, part);
  });
  return best_rate(2.0 * static_cast<double>(part) * threads, [&] {
    on_all([](Part& mine) { std::memcpy(mine.to.get(), mine.from.get(), part); });
  });
}

}  // namespace

std::optional<double> best_rate(double amount, const std::function<void()>& work) {
  constexpr int runs = 5;
  double best = 0;
  for (int run = 0; run < runs; ++run) {
    const auto start = Clock::now();
    work();
    const std::chrono::duration<double> took = Clock::now() - start;
    best = std::max(best, amount / took.count());
  }
  return best > 0 ? std::optional(best) : std::nullopt;
}

void add_openblas(Peers& peers, const kernels::DeviceInfo& device) {
  if (device.kind != "cpu") return;
  const auto blas = load_openblas(device.threads);
  if (!blas) {
    peers.missing.push_back({"OpenBLAS", "install the Debian package libopenblas0"});
    return;
  }
  peers.found.push_back(
      {"fp32 FMA", fmt::format("OpenBLAS sgemm {}", edge), product_of<float>(blas->sgemm)});
  peers.found.push_back(
      {"fp64 FMA", fmt::format("OpenBLAS dgemm {}", edge), product_of<double>(blas->dgemm)});
}

void add_memcpy(Peers& peers, const kernels::DeviceInfo& device) {
  if (device.kind != "cpu") return;
  peers.found.push_back({"DRAM copy", "memcpy of the C library",
                         [threads = device.threads] { return memcpy_rate(threads); }});
}

}  // namespace bench
