// A device whose kernels have shapes, caches and faults that each test of the roofs decides, and
// what measuring all its roofs reports.
#pragma once

#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "engine/roofs/roof_tasks.hpp"
#include "engine/roofs/roofs.hpp"
#include "engine/worker/sweep_run.hpp"
#include "tests/engine/fake_device.hpp"

namespace fake {

using engine::Point;
using engine::Roof;
using kernels::Case;
using kernels::Dtype;
using kernels::Family;
using kernels::Op;
using kernels::Shape;
using kernels::Units;

inline constexpr double kibibyte = 1024;
inline constexpr double mebibyte = 1024 * kibibyte;
inline constexpr double dram = 50e9;

/// Four streams, peaks of fp32 with and without FMA, one peak that it lacks, launches by stream or
/// graph; peaks run fastest with 8 chains.
class Machine : public kernels::Device {
 public:
  Clock clock;
  std::map<std::string, int> prepared;  // by shape
  double l3_rate = 100e9;
  double copies = 1;                 // times as fast as reads
  double hidden_cache = 0;           // bytes that nobody tells of, twice as fast as DRAM
  double free = 16e9;                // bytes
  double launch_seconds = 0;         // that every run of a stream takes beside its bytes
  std::string fastest_chains = "8";  // twice as fast as the others; empty: all alike
  std::function<void(const Case&)> on_prepare = [](const Case&) {};
  kernels::Conditions around;

  Machine() {
    info_.id = info_.kind = "cpu";
    info_.name = "Machine";
    info_.multiprocessors = 2;
    info_.l1_bytes = 32 * kibibyte;
    info_.l2_bytes = mebibyte;
    info_.l3_bytes = 32 * mebibyte;
    for (const Op op : {Op::read, Op::write, Op::copy, Op::triad}) add(Family::stream, op);
    add(Family::launch, Op::none);
    for (const Op op : {Op::mul, Op::add, Op::fma, Op::mul_add}) add(Family::peak, op);
    add(Family::peak, Op::fma, Dtype::fp16, "no fp16 arithmetic here");
    rows_.push_back({.family = Family::peak,
                     .op = Op::gemm,
                     .dtype = Dtype::bf16,
                     .units = Units::matrix,
                     .note = "library"});
  }
  const kernels::DeviceInfo& info() const override { return info_; }
  std::span<const kernels::Kernel> kernels() const override { return rows_; }
  std::vector<kernels::ShapeAxis> shape_axes(const Case& what) const override {
    if (what.family == Family::launch) return {{"launch", {"stream", "graph"}}};
    if (what.family == Family::peak && what.op() != Op::gemm)
      return {{"chains", {"2", "4", "8", "16"}}};
    return {};
  }
  std::unique_ptr<kernels::Trial> prepare(const Case&, std::stop_token) override;
  kernels::Conditions conditions() override { return around; }
  double free_bytes() const override { return free; }
  void make_gpu() {
    info_.id = "cuda:0";
    info_.kind = "cuda";
  }
  /// Reads past the L1s, those of slices at this share of the rate of the others.
  void read_past_l1(double share_of_slices) {
    slices = share_of_slices;
    add(Family::stream, Op::l2);
    add(Family::stream, Op::l2_slices);
  }

  double seconds_of(const Case& what) const {
    const kernels::Work work = kernels::work_of(what);
    if (what.family == Family::launch) {
      return work.launches * (what.shape == Shape{{"launch", "graph"}} ? 1e-6 : 2e-6);
    }
    if (what.family == Family::stream) {
      const double share = what.op() == Op::l2_slices ? slices : what.op() == Op::copy ? copies : 1;
      return launch_seconds + work.bytes / (share * rate_of(kernels::footprint_of(what)));
    }
    const std::string chains = what.shape.empty() ? "2" : what.shape[0].value;
    const bool fast = fastest_chains.empty() || chains == fastest_chains;
    return work.flops / (fast ? 1e12 : 0.5e12);
  }

 private:
  void add(Family family, Op op, Dtype dtype = Dtype::fp32, std::string why_not = "") {
    rows_.push_back({.family = family,
                     .op = op,
                     .dtype = dtype,
                     .runs = why_not.empty(),
                     .why_not = std::move(why_not),
                     .note = "kernel"});
  }
  double rate_of(double bytes) const {
    return bytes <= 64 * kibibyte   ? 400e9
           : bytes <= 2 * mebibyte  ? 200e9
           : bytes <= 32 * mebibyte ? l3_rate
           : bytes <= hidden_cache  ? 2 * dram
                                    : dram;
  }

  kernels::DeviceInfo info_;
  std::vector<kernels::Kernel> rows_;
  double slices = 1;
};

class MachineTrial : public kernels::Trial {
 public:
  MachineTrial(Machine& machine, Case what) : machine_(machine), what_(std::move(what)) {}
  kernels::Sample run(std::stop_token) override {
    const double seconds = what_.op() == Op::gemm ? 1e-3 : machine_.seconds_of(what_);
    machine_.clock.pass(seconds);
    return {.seconds = seconds};
  }
  kernels::Work work() const override {
    return what_.op() == Op::gemm ? kernels::Work{.flops = 3e9} : kernels::work_of(what_);
  }
  kernels::Check verify(std::stop_token) override { return {true, ""}; }
  bool cold() const override { return kernels::footprint_of(what_) > 32 * mebibyte; }

 private:
  Machine& machine_;
  Case what_;
};

inline std::unique_ptr<kernels::Trial> Machine::prepare(const Case& what, std::stop_token) {
  on_prepare(what);
  ++prepared[kernels::text_of(what.shape)];
  Case shaped = what;
  if (what.family == Family::peak) shaped.elements = 4096;
  return std::make_unique<MachineTrial>(*this, shaped);
}

struct Found {
  std::vector<Roof> roofs;
  std::vector<Point> points;
  std::vector<std::string> problems;

  const Roof* roof(const std::string& name) const {
    const auto found = std::ranges::find(roofs, name, &Roof::name);
    return found == roofs.end() ? nullptr : &*found;
  }
  std::vector<Point> shapes_of(Op op) const {
    std::vector<Point> all;
    std::ranges::copy_if(points, std::back_inserter(all),
                         [&](const Point& point) { return point.what.op() == op; });
    return all;
  }
};

/// The roofs that a sweep of a case needs beside those that it has.
inline Found find_beside(Machine& machine, const Case& what, const std::vector<Roof>& have) {
  Found found;
  for (const engine::RoofTask& task : engine::sweep_roofs(machine, {what}, have)) {
    auto one = engine::find_roof({.device = machine, .timing = machine.clock.timing()}, task);
    if (one.roof) found.roofs.push_back(*std::move(one.roof));
  }
  return found;
}

/// As the lab of all roofs finds them.
inline Found find_all(Machine& machine, engine::RoofCache* cache = nullptr, bool remeasure = false,
                      kernels::Data data = kernels::Data::random) {
  Found found;
  const auto take = [&](const engine::Event& event) {
    if (const auto* measured = std::get_if<engine::RoofMeasured>(&event)) {
      const auto known = std::ranges::find(found.roofs, measured->roof.name, &Roof::name);
      if (known == found.roofs.end())
        found.roofs.push_back(measured->roof);
      else
        *known = measured->roof;
    }
    if (const auto* point = std::get_if<engine::PointMeasured>(&event))
      found.points.push_back(point->point);
    if (const auto* warning = std::get_if<engine::Warning>(&event))
      found.problems.push_back(warning->text);
  };
  engine::Spec spec;
  spec.lab = "roofs";
  spec.data = data;
  spec.remeasure = remeasure;
  engine::RoofCache own({}, machine.info());
  std::vector<Roof> measured;
  engine::SweepRun sweep(1, machine, spec,
                         {.cache = cache != nullptr ? *cache : own,
                          .timing = machine.clock.timing(),
                          .stop = {},
                          .send = take,
                          .measured = measured});
  sweep.run(engine::lab_of(spec), engine::place_of(machine));
  return found;
}

}  // namespace fake
