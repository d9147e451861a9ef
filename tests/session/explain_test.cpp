#include <doctest/doctest.h>

#include <algorithm>
#include <sstream>
#include <string>

#include "engine/verdict/predict.hpp"
#include "tests/session/examples.hpp"
#include "tests/text.hpp"

using namespace engine;
using examples::chain;
using kernels::Fusion;
using kernels::Units;
using tests::contains;

namespace {

/// The same text in one line, so that a phrase is found wherever it was wrapped.
std::string unwrapped(const std::string& text) {
  std::istringstream words(text);
  std::string all;
  for (std::string word; words >> word;) all += (all.empty() ? "" : " ") + word;
  return all;
}

/// A whole sweep at 95 % of the roofs of `examples`.
Session explained_sweep() {
  Session session = examples::session();
  for (std::uint64_t repeat = 1; repeat <= 1024; repeat *= 2) {
    for (const Fusion fusion : {Fusion::fused, Fusion::unfused}) {
      const kernels::Case what = chain(repeat, fusion);
      const double seconds = predict(session, what, kernels::work_of(what)).seconds() / 0.95;
      session.points.push_back(examples::point(what, seconds));
    }
  }
  return session;
}

}  // namespace

TEST_CASE("a sweep is told by device, roofs, regimes, knee, plateau and what fusion brings") {
  const std::string text = unwrapped(explain(explained_sweep()));
  CAPTURE(text);
  CHECK(contains(text, "Example CPU (cpu, AVX-512, 2 cores, 3.00 GHz)"));
  CHECK(contains(text, "DRAM copy 100 GB/s - -"));
  CHECK(contains(text, "launch 5.00 µs each"));
  CHECK(contains(text, "chain fma fp32, fused, vector units, 64 Mi elements"));
  CHECK(contains(text,
                 "Repeat 1 to 32: bandwidth-bound: at best 95 % of the measured DRAM copy roof."));
  CHECK(contains(text,
                 "Repeat 64 to 1024: compute-bound: at best 95 % of the measured fp32 FMA roof."));
  // 1 TFLOP/s over 100 GB/s: 40 FMAs of 2 FLOP in each 8 byte.
  CHECK(contains(text, "Knee: at repeat 40 ("));
  CHECK(contains(
      text, "), 10 FLOP/byte, where the flat part and the rising one would meet; up to repeat "));
  CHECK(contains(
      text,
      "Plateau: 950 GFLOP/s at best, 95 % of the measured fp32 FMA roof; from repeat 64 on, "
      "at least 90 % of that."));
  CHECK(contains(text, "Every op is a separate trip to memory and adds 5.66 ms"));
  CHECK(
      contains(text, "Fusion: at repeat 1024, fused takes 145 ms and unfused takes 5.79 s: 40x."));
  CHECK(contains(
      text,
      "What would help where it is bandwidth-bound, for example at repeat 16: - Fuse the ops"));
  CHECK_FALSE(contains(text, "Not measured"));
}

TEST_CASE("the fusion factor is the largest of the curve, and says where it is not sure") {
  Session session = explained_sweep();
  for (Point& point : session.points) {
    if (point.what.fusion == Fusion::fused) continue;
    if (point.what.repeat == 1024) point.seconds.samples.resize(1);
    if (point.what.repeat == 512) point.disturbed = true;
  }
  const std::string text = unwrapped(explain(session));
  CAPTURE(text);
  CHECK(contains(text,
                 "Fusion: at repeat 1024, fused takes 145 ms and unfused takes 5.79 s: 40x (not "
                 "sure: disturbed, or too few samples)."));
}

TEST_CASE("near the ridge a stretch says of which repeat its two shares are") {
  Session session = examples::session();
  for (const std::uint64_t repeat : {32, 40, 48}) {
    const kernels::Case what = chain(repeat);
    const double seconds = predict(session, what, kernels::work_of(what)).seconds() / 0.7;
    session.points.push_back(examples::point(what, seconds));
  }
  const std::string text = unwrapped(explain(session));
  CAPTURE(text);
  CHECK(contains(text,
                 "Repeat 32 to 48: near the ridge: repeat 48 reaches 58 % of the measured DRAM "
                 "copy roof, 70 % of"));
}

TEST_CASE("a single long run is not the best of a stretch, where others have an interval") {
  Session session = explained_sweep();
  Point& longest = session.points.back();
  REQUIRE(longest.what.fusion == Fusion::unfused);
  longest = examples::point(longest.what, 0.8 * longest.seconds.median);
  longest.seconds.samples.resize(1);
  const std::string text = unwrapped(explain(session));
  CAPTURE(text);
  CHECK(contains(text, "Repeat 1 to 1024: bandwidth-bound: at best 95 %"));
}

TEST_CASE("a roof that other work disturbed is named, and a share above it is explained") {
  Session session = explained_sweep();
  CHECK_FALSE(contains(explain(session), "may be too low"));
  CHECK_FALSE(contains(explain(session), "above the roof"));
  const auto roof = std::ranges::find(session.roofs, "DRAM copy", &Roof::name);
  REQUIRE(roof != session.roofs.end());
  roof->disturbed = true;
  roof->rate /= 2;
  const std::string text = unwrapped(explain(session));
  CAPTURE(text);
  CHECK(contains(text, "Every round of DRAM copy was disturbed: it may be too low."));
  CHECK(contains(text,
                 "at best 190 % of the measured DRAM copy roof. It is above the roof: the device "
                 "was slower when the roof was measured."));
}

TEST_CASE("a series whose points were disturbed or throttled is told with a caution") {
  Session session = explained_sweep();
  CHECK_FALSE(contains(explain(session), "Caution"));
  session.points[0].disturbed = true;  // fused and unfused take turns
  CHECK(contains(unwrapped(explain(session)),
                 "Caution: other work used the device in 1 of 11 points; an undisturbed device"));
  session.points[0].conditions.throttled = true;
  session.points[2].before.throttled = true;
  CHECK(contains(unwrapped(explain(session)),
                 "in 1 of 11 points, the clock was throttled in 2 of 11 points; an"));
  session.points[0].disturbed = false;
  CHECK(
      contains(unwrapped(explain(session)), "Caution: the clock was throttled in 2 of 11 points;"));
}

TEST_CASE("no line is wider than 100 columns, whatever the session holds") {
  Session session = explained_sweep();
  session.device.name = std::string(300, 'N') + " \xC3\xA9\xC3\xA9\xC3\xA9";
  session.points[0].note = "a note " + std::string(250, 'y');
  session.points[3].status = Status::failed;
  session.points[3].why =
      "because " + std::string(120, 'w') + " and more words than one line holds";
  session.roofs[2].name = "fp32 FMA";
  std::istringstream lines(explain(session));
  for (std::string line; std::getline(lines, line);) {
    CAPTURE(line);
    CHECK(std::ranges::count_if(line, [](char c) { return (c & '\xC0') != '\x80'; }) <= 100);
    CHECK((line.empty() || line.back() != ' '));
  }
}

TEST_CASE("skipped and failed points are named with their reasons, together where they share one") {
  Session session = explained_sweep();
  for (Point& point : session.points) {
    if (point.what.fusion == Fusion::fused || point.what.repeat < 512) continue;
    point.status = Status::skipped;
    point.why = "would take " + std::to_string(point.what.repeat / 100) + " s";
  }
  session.points[0].status = Status::failed;
  session.points[0].why = "element 3 is wrong";
  const std::string text = unwrapped(explain(session));
  CAPTURE(text);
  CHECK(contains(text,
                 "Skipped: chain fma fp32, unfused, vector units, repeat 512: would take 5 s. "
                 "The same holds for repeat 1024."));
  CHECK(
      contains(text, "Failed: chain fma fp32, fused, vector units, repeat 1: element 3 is wrong"));
}

TEST_CASE("measured and stated roofs stand side by side with the share") {
  Session session = explained_sweep();
  Roof stated = examples::compute_roof(kernels::Dtype::fp32, Units::vector, 1.25e12);
  stated.source = RoofSource::datasheet;
  session.roofs.push_back(stated);
  Roof other = examples::compute_roof(kernels::Dtype::fp64, Units::vector, 1e12);
  other.source = RoofSource::datasheet;
  session.roofs.push_back(other);
  const std::string text = unwrapped(explain(session));
  CHECK(contains(text, "fp32 FMA 1.00 TFLOP/s 1.25 TFLOP/s 80 %"));
  CHECK_FALSE(contains(text, "fp64"));  // no point of it
}

TEST_CASE("all roofs stand in the table with their share, work per clock and core, and shape") {
  Session session = explained_sweep();
  for (Roof& roof : session.roofs) roof.conditions.clock_hz = 2.5e9;
  session.roofs[2].shape = {{"chains", "8"}, {"width", "AVX-512"}};
  for (const char* name : {"DRAM read", "L2"}) {
    session.roofs.push_back(examples::roof(name, RoofKind::bandwidth, 150e9));
    session.roofs.back().conditions.clock_hz = 2.5e9;
  }
  session.roofs.push_back(examples::roof("launch graph", RoofKind::overhead, 1e6));
  Roof library = examples::compute_roof(kernels::Dtype::bf16, Units::matrix, 6e12);
  library.name = "bf16 library";
  session.roofs.push_back(library);
  for (Roof stated : {session.roofs[0], session.roofs[4]}) {
    stated.source = RoofSource::datasheet;
    stated.rate *= 2;
    session.roofs.push_back(stated);
  }
  const std::string text = unwrapped(explain(session));
  CAPTURE(text);
  // 1e12 / (2.5e9 x 2 cores)
  CHECK(contains(text, "fp32 FMA 1.00 TFLOP/s - - 200 FLOP chains 8, width AVX-512"));
  CHECK(contains(text, "L2 150 GB/s - - 30 B"));
  CHECK(contains(text, "DRAM read 150 GB/s 200 GB/s 75 % 30 B"));
  CHECK(contains(text, "bf16 library 6.00 TFLOP/s 16.0 TFLOP/s 38 % -"));
  CHECK(contains(text, "launch graph 1.00 µs each - - -"));
}

TEST_CASE("long names of roofs keep the columns in line, and matrix units say what they sustain") {
  Session session = explained_sweep();
  session.device.kind = "cuda";
  for (const char* name : {"overhead chain fp32 graph", "overhead tile bf16 matrix graph"})
    session.roofs.push_back(examples::roof(name, RoofKind::overhead, 1e6));
  const auto found = std::ranges::find(session.roofs, "bf16 matrix", &Roof::name);
  REQUIRE(found != session.roofs.end());
  Roof& matrix = *found;
  matrix.rate = 8e11;
  matrix.shape = {{"warps", "4"}};
  matrix.sustained = 6e11;
  matrix.sustained_conditions.clock_hz = 1.5e9;
  matrix.sustained_conditions.power_w = 690;
  const std::string text = explain(session);
  CAPTURE(text);
  CHECK(contains(unwrapped(text),
                 "bf16 matrix 800 GFLOP/s - - - warps 4 sustained 600 GFLOP/s "
                 "- - 200 FLOP at the power limit, 1.50 GHz, 690 W"));
  // The last column that is not wrapped ends in the same place.
  std::istringstream lines(text);
  std::size_t end = 0;
  int rows = 0;
  for (std::string line; std::getline(lines, line);) {
    std::erase_if(line, [](char c) { return (c & '\xC0') == '\x80'; });
    const auto title = line.find("per clk/SM");
    if (end == 0 && title != std::string::npos) end = title + std::string("per clk/SM").size();
    if (!line.starts_with("overhead ") && !line.starts_with("launch ")) continue;
    ++rows;
    CHECK(line.size() == end);
  }
  CHECK(rows == 3);
}

TEST_CASE("integers count in OP per clock; a GPU's mul+add compares with half of the FMA peak") {
  Session session;
  session.device.kind = "cuda";
  session.device.multiprocessors = 2;
  session.roofs = {examples::compute_roof(kernels::Dtype::int32, Units::vector, 100e9),
                   examples::compute_roof(kernels::Dtype::int32, Units::vector, 60e9)};
  session.roofs[1].name = "int32 mul+add";
  session.roofs[0].conditions.clock_hz = 2.5e9;
  Roof stated = session.roofs[0];
  stated.source = RoofSource::datasheet;
  stated.rate = 200e9;
  session.roofs.push_back(stated);
  const std::string text = unwrapped(explain(session));
  CAPTURE(text);
  CHECK(contains(text, "int32 FMA 100 GOP/s 200 GOP/s 50 % 20 OP"));
  CHECK(contains(text, "int32 mul+add 60.0 GOP/s 100 GOP/s 60 % -"));
  // A CPU may add on ports of their own.
  session.device.kind = "cpu";
  CHECK(contains(unwrapped(explain(session)), "int32 mul+add 60.0 GOP/s - - -"));
}

TEST_CASE("shapes that were tried are no series; roofs that are not there are said") {
  Session session = examples::session();
  kernels::Case peak;
  peak.family = kernels::Family::peak;
  Point missing = examples::point(peak, 1);
  missing.lab = "roofs";
  missing.status = Status::skipped;
  missing.why = "no fp8 FMA roof: no such arithmetic";
  Point tried = examples::point(peak, 1e-3);
  tried.lab = "roofs";
  tried.what.shape = {{"chains", "8"}};
  Point unbuilt = tried;
  unbuilt.what.shape = {{"chains", "9"}};
  unbuilt.status = Status::skipped;
  unbuilt.why = "no kernel of this shape";
  session.points = {missing, tried, unbuilt};
  const std::string text = unwrapped(explain(session));
  CAPTURE(text);
  CHECK(contains(text, "Only roofs were measured, 3 shapes"));
  CHECK(contains(text, "Not measured no fp8 FMA roof: no such arithmetic."));
  CHECK_FALSE(contains(text, "no kernel of this shape"));
  CHECK_FALSE(contains(text, "peak fma fp32"));
}

TEST_CASE("matrix units are compared with vector units at the same repeat") {
  Session session = examples::session();
  for (const std::uint64_t repeat : {16, 64, 256}) {
    const auto vector = examples::tile(repeat, Units::vector);
    const auto matrix = examples::tile(repeat, Units::matrix);
    session.points.push_back(examples::at_peak(vector, 0.9));
    session.points.push_back(examples::at_peak(matrix, 0.9, examples::matrix_peak));
  }
  const std::string text = unwrapped(explain(session));
  CAPTURE(text);
  CHECK(contains(text, "Matrix units: at repeat"));
  CHECK(contains(text, ": 8x."));
}

TEST_CASE("integer kernels count OP/s, not FLOP/s") {
  Session session = examples::session();
  session.roofs.push_back(
      examples::compute_roof(kernels::Dtype::int32, Units::vector, examples::peak));
  for (const std::uint64_t repeat : {1, 64, 1024}) {
    session.points.push_back(
        examples::at_peak(chain(repeat, Fusion::fused, kernels::Dtype::int32), 0.9));
  }
  const std::string text = unwrapped(explain(session));
  CHECK(contains(text, "900 GOP/s"));
  CHECK(contains(text, "int32 FMA 1.00 TOP/s"));
}

TEST_CASE("of several runs the newest point of each case counts") {
  Session session = explained_sweep();
  for (Point point : explained_sweep().points) {
    point.run = 2;
    point.seconds.median *= 2;
    session.points.push_back(point);
  }
  CHECK(contains(unwrapped(explain(session)), "Plateau: 475 GFLOP/s"));
}

TEST_CASE("points of the slider belong to no swept series, and are one where nothing was swept") {
  const Session swept = explained_sweep();
  Session session = swept;
  Point probe = session.points.front();
  probe.probe = true;
  probe.seconds = {9, 9, 9, {9}, {}};
  session.points.push_back(probe);
  CHECK(explain(session) == explain(swept));
  session.points = {probe};
  CHECK(contains(unwrapped(explain(session)), "chain fma fp32, fused"));
}

TEST_CASE("a sweep that does not reach a plateau or a knee says so") {
  Session session = explained_sweep();
  std::erase_if(session.points, [](const Point& point) { return point.what.repeat > 8; });
  const std::string text = unwrapped(explain(session));
  CAPTURE(text);
  CHECK(contains(text, "Knee: none up to repeat 8"));
  CHECK(contains(text, "No plateau yet: the best is"));
}

TEST_CASE("a series that begins behind its knee says that the knee lies below it") {
  for (const std::uint64_t second : {260, 512}) {
    Session session = examples::session();
    for (const std::uint64_t repeat : {std::uint64_t{256}, second}) {
      session.points.push_back(examples::at_peak(chain(repeat), 0.95));
    }
    const std::string text = unwrapped(explain(session));
    CAPTURE(text);
    CHECK(contains(text, "Knee: below repeat 2"));
    CHECK_FALSE(contains(text, "Knee: between"));
    CHECK_FALSE(contains(text, "Knee: none"));
  }
}

TEST_CASE("a knee right behind the first point is found") {
  Session session = examples::session();
  session.points.push_back(examples::at_bandwidth(chain(8), 0.95));
  session.points.push_back(examples::at_peak(chain(512), 0.95));
  CHECK(contains(unwrapped(explain(session)), "Knee: at repeat 40"));
}

TEST_CASE("one lucky point before others of the same limit is no knee") {
  Session session = examples::session();
  session.points.push_back(examples::at_bandwidth(chain(1), 0.98));
  for (const std::uint64_t repeat : {2, 4, 8})
    session.points.push_back(examples::at_bandwidth(chain(repeat), 0.65));
  const std::string text = unwrapped(explain(session));
  CAPTURE(text);
  CHECK(contains(text, "Knee: none up to repeat 8; the runtime stays near "));
  CHECK(contains(text, " once, at repeat 1; more ops cost nothing."));
  session.points.resize(session.points.size() - 2);  // one point behind it is no floor
  const std::string shorter = unwrapped(explain(session));
  CAPTURE(shorter);
  CHECK(contains(shorter, "Knee: none seen; the runtime rises from repeat 1 on."));
}

TEST_CASE("where no roof explains a stretch, its two shares are those of one point") {
  Session session = examples::session();
  for (const std::uint64_t repeat : {4, 16}) {
    const kernels::Case what = chain(repeat);
    session.points.push_back(
        examples::point(what, predict(session, what, kernels::work_of(what)).seconds() / 0.4));
  }
  const std::string text = unwrapped(explain(session));
  CAPTURE(text);
  CHECK(contains(text, "no clear limit: repeat "));
  CHECK_FALSE(contains(text, "explains it: at best"));
}

TEST_CASE("an empty session, a single point and a session without roofs are told, too") {
  CHECK(contains(explain(examples::session()), "No point was measured."));
  Session single = examples::session();
  single.points.push_back(examples::at_bandwidth(chain(1), 0.9));
  CHECK(
      contains(explain(single), "Repeat 1: bandwidth-bound: 90 % of the measured DRAM copy roof."));
  Session bare = explained_sweep();
  bare.roofs.clear();
  CHECK(contains(explain(bare), "No roofs are known"));
  CHECK_FALSE(contains(explain(bare), "nan"));
}
