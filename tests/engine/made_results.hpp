// Results of a lab that are made up: what its plan asks for, in seconds that a test decides.
#pragma once

#include <doctest/doctest.h>

#include <algorithm>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/labs/lab.hpp"
#include "kernels/families/family.hpp"

namespace test {

/// Seconds of a point; it may give the point values, spans and samples, too. 0: it was not
/// measured.
using Seconds = std::function<double(engine::Point&)>;

/// A session in which every case of a lab's first plan was measured, and all of a plan that
/// searches, on one core with 32 KiB of L1 and 1 MiB of L2; with `kernels` on a GPU that has these.
/// `asked`: the spec of the sweep.
struct Made {
  engine::Spec spec;
  engine::Session session;

  Made(std::string_view lab, const Seconds& seconds, std::vector<kernels::Kernel> kernels = {},
       engine::Spec asked = {})
      : spec(std::move(asked)) {
    spec.lab = lab;
    session.device.name = "Made up";
    session.device.kind = kernels.empty() ? "cpu" : "cuda";
    session.device.id = kernels.empty() ? "cpu" : "cuda:0";
    session.device.multiprocessors = 1;
    session.device.l1_bytes = 32 * 1024;
    session.device.l2_bytes = 1024 * 1024;
    session.runs = {{.number = 0, .spec = spec}};
    session.runs.front().spec.device = session.device.id;
    engine::Place place{session.device, std::move(kernels), 64e9};
    place.shapes = shapes();
    std::vector<engine::Ask> done;
    for (bool more = true; std::exchange(more, false);) {
      for (const engine::Ask& ask :
           engine::find_lab(lab)->plan(spec, place, engine::results_of(lab, session)).asks) {
        if (std::ranges::find(done, ask) != done.end()) continue;
        done.push_back(ask);
        measure(ask, seconds);
        more = more || ask.once;
      }
    }
  }
  engine::LabVerdict verdict() const {
    return engine::find_lab(spec.lab)->verdict(engine::results_of(spec.lab, session));
  }

 private:
  /// The default, then one chain fewer at a time.
  static std::vector<kernels::Case> shapes() {
    std::vector<kernels::Case> shapes;
    for (const char* chains : {"8", "6", "4", "2", "1"}) {
      shapes.push_back(kernels::peak_case(kernels::Op::fma, kernels::Dtype::fp32,
                                          kernels::Units::vector, kernels::Data::random));
      shapes.back().shape = {{"chains", chains}};
    }
    return shapes;
  }

  void measure(const engine::Ask& ask, const Seconds& seconds) {
    engine::Point point;
    point.lab = spec.lab;
    point.what = ask.what;
    point.label = ask.label;
    point.work = kernels::work_of(ask.what);
    const double median = seconds(point);
    std::vector<double> samples = std::move(point.seconds.samples);
    if (samples.empty()) samples.assign(7, median);
    point.seconds = {median, 0.98 * median, 1.03 * median, std::move(samples), {}};
    if (median > 0) session.points.push_back(point);
  }
};

/// The row of a verdict whose words contain these.
inline const engine::VerdictRow& row(const engine::LabVerdict& verdict, std::string_view words) {
  const auto found = std::ranges::find_if(verdict.rows, [&](const engine::VerdictRow& one) {
    return one.what.find(words) != std::string::npos;
  });
  REQUIRE(found != verdict.rows.end());
  return *found;
}

/// What a CPU can run of convolutions where oneDNN is found.
inline std::vector<kernels::Kernel> convolutions_with_library() {
  const kernels::Kernel own{.family = kernels::Family::conv, .op = kernels::Op::mma};
  kernels::Kernel library = own;
  library.by = kernels::By::library;
  library.note = "oneDNN 2.6.3";
  library.algorithms = {"brgconv:avx512_core", "jit_wino_4x3:avx512_core",
                        "jit:avx512_core",     "jit:avx2",
                        "jit:sse41",           "x64:gemm:jit"};
  return {own, library};
}

/// Of a device whose peak counts an FMA as two, with 1 us for a launch.
inline double at_roofs(const engine::Point& point) {
  const double bytes = kernels::footprint_of(point.what);
  double bandwidth = bytes <= 32 * 1024 ? 2e11 : bytes <= 1024 * 1024 ? 1e11 : 2e10;
  const double seconds_per_op = 8e-12 * static_cast<double>(size_of(point.what.dtype)) / 4;
  const double ops = static_cast<double>(point.what.elements * point.what.repeat);
  const bool computes = point.work.flops > 0;
  if (!computes) bandwidth /= 1 + 0.3 * point.what.op()->tensors_written;
  return 1e-6 + std::max(point.work.bytes / bandwidth, computes ? ops * seconds_per_op : 0);
}

}  // namespace test
