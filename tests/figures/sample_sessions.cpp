#include "tests/figures/sample_sessions.hpp"

#include <string>

#include "engine/verdict/predict.hpp"

namespace test {
namespace {

using namespace kernels;
using engine::Roof;
using engine::RoofKind;
using engine::RoofSource;
using engine::Session;

Session session_of(const char* name, const char* kind) {
  Session session;
  session.app = {"0.1.0", "abc1234", "a compiler", ""};
  session.created = "2026-11-21T10:00:00Z";
  session.device.name = name;
  session.device.kind = kind;
  return session;
}

}  // namespace

Roof bandwidth(const char* name, double rate, RoofSource source) {
  Roof roof;
  roof.name = name;
  roof.kind = RoofKind::bandwidth;
  roof.rate = rate;
  roof.source = source;
  return roof;
}

Roof compute(Dtype dtype, Units units, double rate, RoofSource source) {
  Roof roof;
  roof.name = engine::compute_roof_name(dtype, units);
  roof.kind = RoofKind::compute;
  roof.dtype = dtype;
  roof.units = units;
  roof.rate = rate;
  roof.source = source;
  return roof;
}

Roof launches(double seconds) {
  Roof launch = bandwidth("launch", 1 / seconds);
  launch.kind = RoofKind::overhead;
  return launch;
}

engine::Point skipped_point(const char* why) {
  engine::Point point;
  point.what.elements = 5;
  point.status = engine::Status::skipped;
  point.why = why;
  return point;
}

engine::Point point_at_roofs(const Session& session, const Case& what, double share) {
  engine::Point point;
  point.what = what;
  point.work = work_of(what);
  const double seconds = engine::predict(session, what, point.work).seconds() / share;
  point.seconds = {seconds, 0.97 * seconds, 1.08 * seconds, std::vector<double>(9, seconds), {}};
  point.checked = true;
  return point;
}

void add_sweep(Session& session, Case what, std::uint64_t run, std::uint64_t last, double share) {
  for (what.repeat = 1; what.repeat <= last; what.repeat *= 2) {
    engine::Point point = point_at_roofs(session, what, share);
    point.run = run;
    session.points.push_back(point);
  }
}

Session cpu_session() {
  Session session = session_of("AMD EPYC 9B14", "cpu");
  session.device.driver = "Linux 6.1.0";
  session.device.compute_capability = "AVX-512";
  session.device.threads = 2;
  session.device.clock_hz = 3.7e9;
  session.roofs = {bandwidth("DRAM copy", 35.1e9), compute(Dtype::fp32, Units::vector, 237e9),
                   compute(Dtype::bf16, Units::vector, 118e9),
                   compute(Dtype::fp32, Units::vector, 256e9, RoofSource::datasheet)};
  for (const Dtype dtype : {Dtype::fp32, Dtype::bf16}) {
    const std::uint64_t elements = (std::uint64_t{256} << 20) / size_of(dtype);
    add_sweep(session, {.dtype = dtype, .elements = elements}, 1, 1024, 0.95);
    add_sweep(session, {.dtype = dtype, .fusion = Fusion::unfused, .elements = elements}, 1, 64,
              0.93);
  }
  return session;
}

Session gpu_session() {
  Session session = session_of("NVIDIA H200", "cuda");
  session.device.driver = "580.65";
  session.device.compute_capability = "9.0";
  session.device.multiprocessors = 132;
  session.roofs = {bandwidth("DRAM copy", 4.3e12),
                   bandwidth("L2", 9.8e12),
                   compute(Dtype::fp32, Units::vector, 60e12),
                   compute(Dtype::bf16, Units::vector, 110e12),
                   compute(Dtype::bf16, Units::matrix, 620e12),
                   bandwidth("DRAM copy", 4.8e12, RoofSource::datasheet),
                   compute(Dtype::fp32, Units::vector, 66.9e12, RoofSource::datasheet),
                   compute(Dtype::bf16, Units::matrix, 989e12, RoofSource::datasheet)};
  const std::uint64_t elements = std::uint64_t{256} << 20;
  add_sweep(session, {.elements = elements}, 1, 1024, 0.7);
  add_sweep(session, {.elements = elements}, 2, 4096, 0.97);
  add_sweep(session, {.fusion = Fusion::unfused, .elements = elements}, 2, 512, 0.97);
  for (const Units units : {Units::vector, Units::matrix}) {
    add_sweep(session,
              {.family = Family::tile,
               .ops = Op::mma,
               .dtype = Dtype::bf16,
               .units = units,
               .elements = 2 * elements},
              2, 1024, 0.9);
  }
  return session;
}

namespace {

void add_tried(Session& session, const Case& what, double rate) {
  engine::Point point;
  point.lab = "roofs";
  point.what = what;
  point.work = work_of(what);
  point.run = 1;
  point.checked = true;
  point.cold = footprint_of(what) > session.device.l3_bytes;
  const double amount = point.work.bytes > 0 ? point.work.bytes : point.work.flops;
  const double seconds = amount / rate;
  point.seconds = {seconds, 0.99 * seconds, 1.01 * seconds, std::vector<double>(9, seconds), {}};
  session.points.push_back(point);
}

}  // namespace

Session roofs_session() {
  Session session = cpu_session();
  session.points.clear();
  session.device.multiprocessors = 2;
  session.device.l1_bytes = 32 << 10;
  session.device.l2_bytes = 1 << 20;
  session.device.l3_bytes = 32 << 20;
  session.roofs = {bandwidth("DRAM copy", 35e9),
                   bandwidth("DRAM read", 40e9),
                   bandwidth("L1", 800e9),
                   bandwidth("L2", 390e9),
                   bandwidth("L3", 150e9),
                   compute(Dtype::fp32, Units::vector, 237e9),
                   compute(Dtype::fp32, Units::vector, 118e9),
                   compute(Dtype::bf16, Units::matrix, 3e12),
                   compute(Dtype::fp32, Units::vector, 256e9, RoofSource::datasheet)};
  session.roofs[6].name = "fp32 mul+add";
  session.roofs[5].conditions.clock_hz = 3.7e9;
  session.roofs[5].shape = {{"chains", "12"}, {"unroll", "8"}};
  session.roofs.push_back(launches(2e-7));
  Case peak{.family = Family::peak, .elements = 4096, .repeat = 1024};
  for (const char* chains : {"4", "8", "12", "16"}) {
    peak.shape = {{"chains", chains}, {"unroll", "8"}};
    add_tried(session, peak,
              std::string(chains) == "12" ? 237e9 : 100e9 + 10e9 * (chains[0] - '0'));
  }
  session.points.push_back(session.points.back());
  session.points.back().what.shape[0].value = "24";
  session.points.back().status = engine::Status::skipped;
  session.points.back().why = "24 chains need more registers than there are";
  for (double kib = 16; kib <= 512.0 * 1024; kib *= 2) {
    const Case read{.family = Family::stream,
                    .ops = Op::read,
                    .elements = static_cast<std::uint64_t>(kib) * 256,
                    .repeat = 64};
    const double rate = kib <= 64 ? 800e9 : kib <= 2048 ? 390e9 : kib <= 32768 ? 150e9 : 40e9;
    add_tried(session, read, rate);
  }
  return session;
}

}  // namespace test
