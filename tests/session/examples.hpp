// Sessions as tests need them: a machine with round roofs, and points that take as long as a test
// says.
#pragma once

#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <string>
#include <utility>

#include "engine/session/session.hpp"

namespace examples {

using kernels::Dtype;
using kernels::Family;
using kernels::Fusion;
using kernels::Units;

/// A folder of its own, removed at the end.
class Folder {
 public:
  Folder() {
    static std::atomic<int> count{0};
    path_ = std::filesystem::temp_directory_path() /
            ("ridgepoint-test-" + std::to_string(::getpid()) + "-" + std::to_string(count++));
    std::filesystem::create_directories(path_);
  }
  ~Folder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;

  const std::filesystem::path& path() const { return path_; }
  std::filesystem::path operator/(const std::string& name) const { return path_ / name; }
  std::size_t entries() const {
    return static_cast<std::size_t>(std::distance(std::filesystem::directory_iterator(path_), {}));
  }

 private:
  std::filesystem::path path_;
};

inline constexpr double bandwidth = 100e9;    // byte/s
inline constexpr double peak = 1e12;          // FLOP/s; the ridge is at 10 FLOP/byte
inline constexpr double matrix_peak = 8e12;   // FLOP/s
inline constexpr double launch_rate = 200e3;  // 5 us each
inline constexpr std::uint64_t elements = 64 << 20;

inline engine::Roof roof(std::string name, engine::RoofKind kind, double rate) {
  engine::Roof roof;
  roof.name = std::move(name);
  roof.kind = kind;
  roof.rate = rate;
  return roof;
}

inline engine::Roof compute_roof(Dtype dtype, Units units, double rate) {
  engine::Roof result =
      roof(engine::compute_roof_name(dtype, units), engine::RoofKind::compute, rate);
  result.dtype = dtype;
  result.units = units;
  return result;
}

/// A CPU with all its measured roofs and no points.
inline engine::Session session() {
  engine::Session session;
  session.app = {"0.1.0", "abc", "GNU 12.2", ""};
  session.created = "2026-11-21T10:00:00Z";
  session.host = {"Debian GNU/Linux 12", "Example CPU"};
  session.device.id = "cpu";
  session.device.kind = "cpu";
  session.device.name = "Example CPU";
  session.device.compute_capability = "AVX-512";
  session.device.multiprocessors = 2;
  session.device.clock_hz = 3e9;
  session.roofs = {roof("DRAM copy", engine::RoofKind::bandwidth, bandwidth),
                   roof("launch", engine::RoofKind::overhead, launch_rate),
                   compute_roof(Dtype::fp32, Units::vector, peak),
                   compute_roof(Dtype::bf16, Units::vector, peak),
                   compute_roof(Dtype::bf16, Units::matrix, matrix_peak)};
  return session;
}

inline kernels::Case chain(std::uint64_t repeat, Fusion fusion = Fusion::fused,
                           Dtype dtype = Dtype::fp32) {
  kernels::Case what;
  what.dtype = dtype;
  what.fusion = fusion;
  what.elements = elements;
  what.repeat = repeat;
  return what;
}

inline kernels::Case tile(std::uint64_t repeat, Units units) {
  kernels::Case what;
  what.family = Family::tile;
  what.ops = kernels::Op::mma;
  what.dtype = Dtype::bf16;
  what.units = units;
  what.elements = elements;
  what.repeat = repeat;
  return what;
}

/// A measured point that took `seconds`.
inline engine::Point point(const kernels::Case& what, double seconds) {
  engine::Point point;
  point.what = what;
  point.work = kernels::work_of(what);
  point.seconds = {seconds, seconds * 0.995, seconds * 1.005, std::vector<double>(7, seconds), {}};
  point.seconds.samples.front() = point.seconds.low;
  point.seconds.samples.back() = point.seconds.high;
  point.checked = true;
  point.run = 1;
  return point;
}

/// A point that reaches `share` of the given roof's rate.
inline engine::Point at_bandwidth(const kernels::Case& what, double share) {
  return point(what, kernels::work_of(what).bytes / (share * bandwidth));
}
inline engine::Point at_peak(const kernels::Case& what, double share, double rate = peak) {
  return point(what, kernels::work_of(what).flops / (share * rate));
}

}  // namespace examples
