// The verdict of each lab, of results that are made up: the claim holds, does not, cannot be told.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>

#include "engine/session/session_file.hpp"
#include "tests/engine/made_results.hpp"

using namespace engine;
using engine::Says;
using test::Made;

namespace {

double at_two_flops_an_instruction(const Point& point) {
  const double per_op = 1e-12 * static_cast<double>(point.what.elements);
  return per_op * static_cast<double>(point.what.repeat);
}

double at_equal_flops(const Point& point) { return point.work.flops * 1e-12; }

}  // namespace

TEST_CASE("fma: twice the FLOP/s of mul and add is the claim, the same is not") {
  CHECK(Made("fma", at_two_flops_an_instruction).verdict().says == Says::holds);
  CHECK(Made("fma", at_equal_flops).verdict().says == Says::differs);
  const auto without_mul = [](const Point& point) {
    return point.what.op() == kernels::Op::mul ? 0.0 : at_equal_flops(point);
  };
  CHECK(Made("fma", without_mul).verdict().says == Says::cannot_say);
}

TEST_CASE("a verdict goes by the whole interval, or by the value where there is none") {
  CHECK(engine::judge({2, 1.9, 2.1}, 1.8, 2.2) == Says::holds);
  CHECK(engine::judge({1.35, 0.54, 4}, 1.8, 2.2) == Says::cannot_say);
  CHECK(engine::judge({1, 0.9, 1.1}, 1.8, 2.2) == Says::differs);
  CHECK(engine::judge({2}, 1.8, 2.2) == Says::holds);
  CHECK(engine::judge({3}, 1.8, 2.2) == Says::differs);
}

TEST_CASE("a verdict that rests on points without an interval, or disturbed ones, is not sure") {
  const auto by_width = [](const Point& point) {
    return at_equal_flops(point) * static_cast<double>(size_of(point.what.dtype));
  };
  const auto by_level = [](const Point& point) {
    const double bytes = kernels::footprint_of(point.what);
    return point.work.bytes / (bytes <= 32 * 1024 ? 2e11 : bytes <= 1024 * 1024 ? 1e11 : 1e10);
  };
  const auto launches = [](const Point& point) { return 1e-5 + point.work.bytes / 1e10; };
  const std::vector<std::pair<std::string_view, test::Seconds>> labs{
      {"fma", at_two_flops_an_instruction},
      {"precision", by_width},
      {"hierarchy", by_level},
      {"overhead", launches}};
  for (const auto& [lab, model] : labs) {
    CAPTURE(lab);
    Made made(lab, model);
    REQUIRE(made.verdict().says == Says::holds);
    for (Point& point : made.session.points) point.disturbed = true;
    CHECK(made.verdict().says == Says::cannot_say);
    CHECK(made.verdict().headline.find("disturbed") != std::string::npos);
    for (Point& point : made.session.points) {
      point.disturbed = false;
      point.seconds.samples.resize(2);
    }
    CHECK(made.verdict().says == Says::cannot_say);
  }
}

TEST_CASE("intensity: the knee is where the roofs put it, or not") {
  const auto made_with = [](double bandwidth, const test::Seconds& seconds) {
    Made made("intensity", seconds);
    Roof memory, peak;
    memory.name = "DRAM copy";
    memory.kind = RoofKind::bandwidth;
    memory.rate = bandwidth;
    peak.name = "fp32 FMA";
    peak.dtype = kernels::Dtype::fp32;
    peak.units = kernels::Units::vector;
    peak.rate = 2 / 8e-12;
    made.session.roofs = {memory, peak};
    return made;
  };
  // 8 bytes at 20 GB/s take as long as 50 ops of 8 ps.
  Made made = made_with(2e10, test::at_roofs);
  const LabVerdict verdict = made.verdict();
  CHECK(verdict.says == Says::holds);
  REQUIRE(verdict.rows.size() == 3);
  CHECK(verdict.rows[0].claimed->median == doctest::Approx(50));
  CHECK(verdict.rows[0].here->median == doctest::Approx(50).epsilon(0.02));
  CHECK(verdict.rows[1].here->median == 32);
  CHECK(verdict.rows[2].here->median == 64);
  CHECK(verdict.rows[1].here->high == 64);
  CHECK(verdict.rows[2].here->low == 32);
  CHECK(made_with(8e10, test::at_roofs).verdict().says == Says::differs);
  // A single slow point: what is reached beyond it does not count for memory, nor before it for
  // arithmetic.
  const auto dips_at = [](std::uint64_t repeat) {
    return [repeat](const Point& point) {
      return test::at_roofs(point) * (point.what.repeat == repeat ? 2 : 1);
    };
  };
  CHECK(made_with(2e10, dips_at(4)).verdict().rows[1].here->median == 2);
  CHECK(made_with(2e10, dips_at(256)).verdict().rows[2].here->median == 512);
  CHECK_FALSE(made_with(2e10, dips_at(1)).verdict().rows[1].here);
  const auto below_knee = [](const Point& point) {
    return point.what.repeat > 8 ? 0.0 : test::at_roofs(point);
  };
  CHECK(made_with(2e10, below_knee).verdict().says == Says::cannot_say);
  for (Point& point : made.session.points) point.disturbed = true;
  CHECK(made.verdict().says == Says::cannot_say);
}

TEST_CASE("hierarchy: the L2 of a GPU is read past its L1s, which hold as much") {
  const auto model = [](const Point& point) {
    const bool past_l1 = point.what.op() == kernels::Op::l2;
    const double bytes = kernels::footprint_of(point.what);
    return point.work.bytes / (bytes > 1024 * 1024 ? 1e10 : past_l1 ? 1e11 : 2e11);
  };
  std::vector<kernels::Kernel> rows;
  for (const kernels::Op op :
       {kernels::Op::read, kernels::Op::write, kernels::Op::copy, kernels::Op::l2}) {
    rows.push_back({.family = kernels::Family::stream, .op = op});
  }
  const LabVerdict verdict = Made("hierarchy", model, rows).verdict();
  const auto l2 = std::ranges::find(verdict.rows, "L2 read", &engine::VerdictRow::what);
  REQUIRE(l2 != verdict.rows.end());
  CHECK(l2->here->median == doctest::Approx(1e11));
}

TEST_CASE("hierarchy: each level has its reads, writes and copies") {
  const auto levels = [](const Point& point) {
    const double bytes = kernels::footprint_of(point.what);
    return point.work.bytes / (bytes <= 32 * 1024 ? 2e11 : bytes <= 1024 * 1024 ? 1e11 : 1e10);
  };
  const LabVerdict verdict = Made("hierarchy", levels).verdict();
  CHECK(verdict.says == Says::holds);
  REQUIRE(verdict.rows.size() == 9);
  CHECK(verdict.rows.front().what == "L1 read");
  CHECK(verdict.rows.front().here->median == doctest::Approx(2e11));
  CHECK(verdict.rows.back().what == "DRAM copy");
  CHECK(verdict.rows.back().here->median == doctest::Approx(1e10));
  const auto flat = [](const Point& point) { return point.work.bytes / 1e10; };
  CHECK(Made("hierarchy", flat).verdict().says == Says::differs);
  const auto slow_stores = [&](const Point& point) {
    return point.what.op() == kernels::Op::write ? flat(point) : levels(point);
  };
  const LabVerdict slow = Made("hierarchy", slow_stores).verdict();
  CHECK(slow.says == Says::differs);
  CHECK(slow.headline.ends_with("; writes in L1 are no faster; writes in L2 are no faster."));
  CHECK(slow.rows[0].says == Says::holds);
  CHECK(Made("hierarchy", [](const Point&) { return 0.0; }).verdict().says == Says::cannot_say);
  const auto stopped_early = [&](const Point& point) {
    return kernels::footprint_of(point.what) <= 1024 * 1024 ? levels(point) : 0.0;
  };
  CHECK(Made("hierarchy", stopped_early).verdict().says == Says::cannot_say);
}

TEST_CASE("labs that share the name of a knob share all of it") {
  for (const engine::Lab* lab : engine::labs()) {
    for (const engine::LabKnob& knob : lab->knobs) {
      CAPTURE(knob.name);
      CHECK(engine::find_knob(knob.name) == nullptr);
      for (const engine::LabKnob& other : engine::further_knobs()) {
        if (other.name == knob.name) CHECK(other.same_as(knob));
      }
    }
  }
}

TEST_CASE(
    "precision: one chart has speed over error, with type and share of the roof at each point") {
  const auto with_errors = [](Point& point) {
    if (!info_of(point.what.dtype).integer) point.values = {{"error", 1e-4}};
    return at_equal_flops(point);
  };
  Made one("precision", with_errors);
  Roof peak;
  peak.name = "fp32 FMA";
  peak.kind = RoofKind::compute;
  peak.dtype = kernels::Dtype::fp32;
  peak.units = kernels::Units::vector;
  peak.rate = 4e12;
  Roof copy;
  copy.name = "DRAM copy";
  copy.kind = RoofKind::bandwidth;
  copy.rate = 1e15;
  one.session.roofs = {copy, peak};
  const Results results = results_of(one.spec.lab, one.session);
  const Chart chart = find_lab("precision")->charts(results).front();
  CHECK(chart.id == "precision-speed-error");
  REQUIRE(chart.x_metric() != nullptr);
  int exact = 0;
  for (const Point* point : results.points) {
    const auto x = (*chart.x_metric())({*point, one.session});
    REQUIRE(x.has_value());
    const bool integer = info_of(point->what.dtype).integer;
    CHECK((x->median < 1e-18) == integer);
    CHECK(text_of(*chart.x_metric(), x->median) == (integer ? "0" : "1.0e-4"));
    exact += integer ? 1 : 0;
  }
  CHECK(exact > 0);
  // One note at each point, and one that says where errors are zero.
  CHECK(chart.notes.size() == results.points.size() + 1);
  const auto named = [&](std::string_view words) {
    return std::ranges::count_if(chart.notes, [&](const Note& note) { return note.text == words; });
  };
  CHECK(named("as the reference") == 1);
  CHECK(named("fp32, 25 %") > 0);
  CHECK(named("bf16") + named("bf16, 25 %") > 0);

  const Made earlier("precision", [](const Point& point) { return at_equal_flops(point); });
  const Results unknown = results_of(earlier.spec.lab, earlier.session);
  CHECK(find_lab("precision")->charts(unknown).front().notes.empty());
}

TEST_CASE("precision: half the width at twice the speed is the claim, errors are told") {
  const auto by_width = [](Point& point) {
    if (point.what.units == kernels::Units::vector && point.what.dtype == kernels::Dtype::bf16)
      point.values = {{"error", 2e-3}};
    const double share = point.what.units == kernels::Units::matrix ? 0.125 : 1;
    return point.work.flops * share * static_cast<double>(size_of(point.what.dtype)) * 1e-12;
  };
  const LabVerdict verdict = Made("precision", by_width).verdict();
  CHECK(verdict.says == Says::holds);
  REQUIRE(verdict.rows.size() == 37);  // two of units, and five kernels of seven types
  CHECK(verdict.rows[0].here->median == doctest::Approx(2));
  CHECK(verdict.rows[1].what == "matrix units, half the width (fp32 to fp8)");
  CHECK(verdict.rows[2].what == "fp64 chain against fp32 (the reference)");
  CHECK(verdict.rows[2].here->median == doctest::Approx(0.5));
  for (const char* kernel : {"tile", "matmul"}) {
    const std::string what = fmt::format("bf16 {} against fp32 (error 2.0e-3)", kernel);
    const auto bf16 = std::ranges::find(verdict.rows, what, &VerdictRow::what);
    REQUIRE(bf16 != verdict.rows.end());
    CHECK(bf16->here->median == doctest::Approx(2));
  }
  CHECK(Made("precision", at_equal_flops).verdict().says == Says::differs);
  const auto one = [](const Point& point) {
    return point.what.dtype == kernels::Dtype::fp32 ? at_equal_flops(point) : 0.0;
  };
  const auto vector_alone = [&](const Point& point) {
    return point.what.units == kernels::Units::vector ? one(point) : 0.0;
  };
  CHECK(Made("precision", vector_alone).verdict().says == Says::cannot_say);
}

TEST_CASE("where-time-goes: seconds of each phase of the newest run, whatever its lab") {
  const auto measured_for = [](double seconds) {
    return [=](Point& point) {
      const double begin = point.what.repeat == 1 ? 0 : point.what.repeat == 32 ? 10 : 20;
      point.phases = {
          {"verify", "fp32 fused", begin, begin + 2},
          {"measure", "fp32 fused", begin + 2, begin + 2 + seconds / 4},
          {"look beside runs", "fp32 fused", begin + 2 + seconds / 4, begin + 2 + seconds}};
      return 1e-3;
    };
  };
  Made made("where-time-goes", measured_for(8));
  const LabVerdict verdict = made.verdict();
  CHECK(verdict.says == Says::holds);
  REQUIRE(verdict.rows.size() == 5);
  CHECK(verdict.rows[0].what == "verify, 20 %");
  CHECK(verdict.rows[0].here->median == doctest::Approx(6));
  CHECK(verdict.rows[1].here->median == doctest::Approx(6));
  CHECK(verdict.rows[2].what == "look beside runs, 60 %");
  CHECK(verdict.rows[3].here->median == doctest::Approx(30));
  CHECK(verdict.rows[4].here->median == doctest::Approx(0.8));
  const LabVerdict slow = Made("where-time-goes", measured_for(1)).verdict();
  CHECK(slow.says == Says::differs);
  REQUIRE(slow.advice.size() == 1);
  CHECK(slow.advice[0].find("verify") != std::string::npos);
  Point newer = made.session.points.front();
  newer.lab = "fma";
  newer.run = 9;
  newer.phases = {{"wait", "fp32 fused", 0, 1}};
  made.session.points.push_back(newer);
  CHECK(made.verdict().rows.front().what == "wait, 100 %");
  CHECK(Made("where-time-goes", at_equal_flops).verdict().says == Says::cannot_say);
}

TEST_CASE("a verdict in words names the claim, each row and the outcome") {
  const Made made("fma", at_two_flops_an_instruction);
  const std::string text = verdict_text(*find_lab("fma"), results_of(made.spec.lab, made.session));
  CHECK(text.find("Claim (") != std::string::npos);
  CHECK(text.find("2x") != std::string::npos);
  CHECK(text.find("The claim holds here.") != std::string::npos);
  const Made nothing("fma", [](const Point&) { return 0.0; });
  CHECK(verdict_text(*find_lab("fma"), {nothing.spec, nothing.session, {}, false}).empty());
}

TEST_CASE("a lab has a time limit of its own, unless the user sets one or none") {
  const Lab &fma = *find_lab("fma"), &intensity = *find_lab("intensity");
  Spec spec;
  CHECK(time_of(fma, spec, 20) == 12);
  CHECK(time_of(intensity, spec, 20) == doctest::Approx(2 * time_of(intensity, spec, 10)));
  set_knob(spec, "time", "3s");
  CHECK(time_of(fma, spec, 20) == 3);
  CHECK(time_of(intensity, spec, 20) == 3);
  set_knob(spec, "time", "none");
  CHECK(time_of(fma, spec, 20) == 0);
  CHECK(time_of(intensity, spec, 20) == 0);
  set_knob(spec, "time", "auto");
  CHECK(spec == Spec());
}

TEST_CASE("every lab says which points its question needs, and asks two cores for as many") {
  for (const Lab* lab : labs()) {
    CAPTURE(lab->name);
    CHECK(lab->needs.size() > 20);
    CHECK(lab->needs.ends_with("."));
    CHECK(lab->title.size() <= 20);  // a line of the list in the window
  }
  const std::vector<std::pair<std::string_view, std::size_t>> counts{{"intensity", 11},
                                                                     {"roofs", 0},
                                                                     {"fma", 9},
                                                                     {"overhead", 27},
                                                                     {"launches", 4 + 2},
                                                                     {"eager", 3},
                                                                     {"timing", 7},
                                                                     {"autotune", 0},
                                                                     {"transfers", 5 + 5 + 4 + 2},
                                                                     {"overlap", 5},
                                                                     {"coalescing", 6 + 3},
                                                                     {"decode", 15},
                                                                     {"fusion", 12},
                                                                     {"rematerialize", 18},
                                                                     {"operators", 19},
                                                                     {"bert", 14 + 5},
                                                                     {"matmul", 2 * 6 + 2 * 4},
                                                                     {"mlp", 2 * 13},
                                                                     {"divergence", 12},
                                                                     {"quantization", 2 * 7},
                                                                     {"where-time-goes", 3},
                                                                     {"conv", 11}};
  Place place;
  place.info.kind = "cpu";
  place.info.multiprocessors = 2;
  place.free_bytes = 4e9;
  for (const auto& [name, count] : counts) {
    CAPTURE(name);
    Spec spec;
    spec.lab = name;
    const Session nothing;
    CHECK(find_lab(name)->plan(spec, place, {spec, nothing, {}}).asks.size() == count);
  }
}

TEST_CASE("fma asks a CPU for fewer chains than a GPU, and both for those that are chosen") {
  const auto repeats_of = [](std::string_view kind, std::string_view chosen) {
    Place place;
    place.info.kind = kind;
    place.free_bytes = 4e9;
    Spec spec;
    spec.lab = "fma";
    set_knob(spec, "repeat", chosen);
    const Session nothing;
    return find_lab("fma")->plan(spec, place, {spec, nothing, {}}).asks.size() / 3;
  };
  CHECK(repeats_of("cpu", "1:1024:x2") == 3);
  CHECK(repeats_of("cuda", "1:1024:x2") == 11);
  CHECK(repeats_of("cpu", "512,1024") == 2);
}
