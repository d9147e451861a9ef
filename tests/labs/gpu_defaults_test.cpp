// What the labs run on a GPU where nobody chooses: matrix units first, at sizes that suit one.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "engine/labs/parts/bert_layer.hpp"
#include "kernels/families/family.hpp"
#include "kernels/families/matmul/matmul.hpp"
#include "tests/engine/made_results.hpp"
#include "tests/text.hpp"

using namespace engine;
using engine::Says;
using kernels::By;
using kernels::Dtype;
using kernels::Family;
using kernels::Units;
using tests::contains;

namespace {

/// An H200 with kernels for products in fp32 on vector and bf16 on matrix units, by us and a
/// library, and for every operator in fp32 and bf16.
Place h200(bool bf16 = true) {
  Place place;
  place.info.kind = "cuda";
  place.info.id = "cuda:0";
  place.info.multiprocessors = 132;
  place.info.product_tile = 128;
  place.free_bytes = 140e9;
  for (const Dtype dtype : {Dtype::fp32, Dtype::bf16}) {
    if (dtype == Dtype::bf16 && !bf16) continue;
    for (const By by : {By::own, By::library}) {
      kernels::Kernel row{.family = Family::matmul, .op = kernels::Op::mma, .dtype = dtype};
      row.units = dtype == Dtype::bf16 ? Units::matrix : Units::vector;
      row.by = by;
      place.kernels.push_back(row);
    }
    for (const Family family : {Family::pointwise, Family::rowwise})
      for (const kernels::Op op : family->ops)
        place.kernels.push_back({.family = family, .op = op, .dtype = dtype});
  }
  return place;
}

Spec spec_of(std::string_view lab) {
  Spec spec;
  spec.lab = lab;
  return spec;
}

std::vector<Ask> asks_of(const Spec& spec, const Place& place) {
  const Spec run = suited(spec, place);
  const Session nothing;
  return find_lab(run.lab)->plan(run, place, {run, nothing, {}}).asks;
}

/// The points of that plan, each in the seconds that a test decides.
Session measured(const Spec& spec, const Place& place, const test::Seconds& seconds) {
  Session session;
  session.device = place.info;
  session.runs = {{.number = 0, .spec = suited(spec, place)}};
  for (const Ask& ask : asks_of(spec, place)) {
    Point point;
    point.lab = spec.lab;
    point.what = ask.what;
    point.label = ask.label;
    point.work = kernels::work_of(ask.what);
    const double median = seconds(point);
    point.seconds = {median, 0.99 * median, 1.01 * median, std::vector<double>(7, median), {}};
    if (median > 0) session.points.push_back(point);
  }
  return session;
}

double waves(const Point& point) {
  return static_cast<double>(kernels::matmul_waves(kernels::matmul_size(point.what), 132, 128));
}

const VerdictRow* row_with(const LabVerdict& verdict, std::string_view words) {
  const auto found = std::ranges::find_if(
      verdict.rows, [&](const VerdictRow& row) { return contains(row.what, words); });
  return found == verdict.rows.end() ? nullptr : &*found;
}

}  // namespace

TEST_CASE("on a GPU labs of products run bf16 on matrix units where nobody chooses a type") {
  for (const char* const lab : {"bert", "matmul", "mlp", "quantization"}) {
    CAPTURE(lab);
    const Ask first = asks_of(spec_of(lab), h200()).front();
    CHECK(first.what.dtype == Dtype::bf16);
    CHECK(first.what.units == Units::matrix);
    // Without kernels for that, and where somebody chose, it is as ever.
    CHECK(asks_of(spec_of(lab), h200(false)).front().what.dtype == Dtype::fp32);
    Spec chosen = spec_of(lab);
    set_knob(chosen, "dtype", "fp32");
    CHECK(asks_of(chosen, h200()).front().what.dtype == Dtype::fp32);
    Place cpu = h200();
    cpu.info.kind = "cpu";
    CHECK(suited(spec_of(lab), cpu) == spec_of(lab));
  }
  CHECK(suited(spec_of("intensity"), h200()) == spec_of("intensity"));
}

TEST_CASE("matmul on a GPU begins with matrix units and has the products on vector units beside") {
  const std::vector<Ask> asks = asks_of(spec_of("matmul"), h200());
  const auto products = [&](Units units, By by) {
    return std::ranges::count_if(asks, [&](const Ask& ask) {
      return ask.what.family == Family::matmul && ask.what.units == units && ask.what.by == by &&
             kernels::epilogue_of(ask.what) == kernels::Epilogue::none;
    });
  };
  for (const By by : {By::own, By::library}) {
    CHECK(products(Units::matrix, by) == 8);  // 16 to 8192
    CHECK(products(Units::vector, by) == 8);
  }
  std::vector<kernels::Case> cases;
  for (const Ask& ask : asks) {
    CHECK(std::ranges::find(cases, ask.what) == cases.end());
    cases.push_back(ask.what);
  }
}

TEST_CASE("precision on a GPU measures matrix units first, all that it measures elsewhere") {
  Place place = h200();
  place.kernels.clear();
  const std::vector<Ask> gpu = asks_of(spec_of("precision"), place);
  CHECK(std::ranges::is_partitioned(
      gpu, [](const Ask& ask) { return ask.what.units == Units::matrix; }));
  CHECK(gpu.front().what.units == Units::matrix);
  place.info.kind = "cpu";
  const std::vector<Ask> cpu = asks_of(spec_of("precision"), place);
  CHECK(gpu.size() == cpu.size());
  CHECK(cpu.front().what.units == Units::vector);
}

TEST_CASE("bert on a GPU is BERT-large at 8 x 512, and products by a library count where all ran") {
  const Spec spec = spec_of("bert");
  const auto seconds = [](const Point& point) {
    if (point.what.family != Family::matmul) return 1e-4;
    return point.what.by == By::library ? 5e-5 : 2e-4;
  };
  const Session session = measured(spec, h200(), seconds);
  const bert::Layer large{
      .width = 1024, .batch = 8, .sequence = 512, .dtype = Dtype::bf16, .units = Units::matrix};
  for (const bert::Operator& one : operators_of(large))
    CHECK(std::ranges::count(session.points, one.what, &Point::what) == 1);
  CHECK(std::ranges::any_of(
      session.points, [](const Point& point) { return point.what.op() == kernels::Op::drop; }));

  const LabVerdict verdict = find_lab("bert")->verdict(results_of(spec.lab, session));
  CHECK(contains(verdict.headline, "Matrix products by the library do"));
  const VerdictRow* all = row_with(verdict, "the layer");
  const VerdictRow* ours = row_with(verdict, "the same, contractions by our kernels");
  REQUIRE(all != nullptr);
  REQUIRE(ours != nullptr);
  CHECK(all->here->median < ours->here->median);

  // One product that our kernel has not keeps nothing back; one that the library has not makes ours
  // count.
  const auto without = [&](By by) {
    Session other = session;
    std::erase_if(other.points, [&](const Point& point) {
      return point.what.by == by && contains(point.label, "attention context");
    });
    return find_lab("bert")->verdict(results_of(spec.lab, other));
  };
  CHECK(without(By::own).headline == verdict.headline);
  CHECK(row_with(without(By::own), "our kernels") == nullptr);
  CHECK(contains(without(By::library).headline, "Matrix products do"));
}

TEST_CASE("bert: on a GPU the bars are of the column that counts, and both columns have a rate") {
  const Spec spec = spec_of("bert");
  const Session session = measured(spec, h200(), [](const Point& point) {
    const bool slow = point.what.family == Family::matmul && point.what.by == By::own;
    return slow ? 4e-4 : 1e-4;
  });
  std::set<std::string> shares;
  for (const Chart& chart : find_lab("bert")->charts(results_of(spec.lab, session))) {
    if (chart.id != "bert-runtime") continue;
    double sum = 0;
    for (const Point& point : session.points) {
      const Row row{point, session};
      const auto share = chart.y(row);
      CHECK(share.has_value() ==
            (point.what.family != Family::matmul || point.what.by == By::library));
      if (share && shares.insert(chart.series(row)).second) sum += share->median;
    }
    CHECK(sum == doctest::Approx(1));
  }
  CHECK(shares.size() == 3);
}

TEST_CASE("quantization on a GPU has points over three borders of waves, four around each") {
  const std::vector<Ask> asks = asks_of(spec_of("quantization"), h200());
  std::set<std::uint64_t> sizes;
  for (const Ask& ask : asks) sizes.insert(kernels::matmul_size(ask.what).m);
  CHECK(asks.size() == 2 * sizes.size());
  CHECK(sizes.size() == 20);
  for (const std::uint64_t border : {11 * 128, 16 * 128, 19 * 128})
    for (const std::uint64_t size : {border - 64, border, border + 1, border + 64})
      CHECK(sizes.contains(size));
  CHECK(*sizes.rbegin() == 20 * 128);

  const Spec spec = spec_of("quantization");
  const auto verdict_of = [&](const test::Seconds& seconds) {
    const Session session = measured(spec, h200(), seconds);
    return find_lab("quantization")->verdict(results_of(spec.lab, session));
  };
  const LabVerdict verdict = verdict_of([](const Point& point) { return 1e-4 * waves(point); });
  CHECK(verdict.says == Says::holds);
  REQUIRE(verdict.rows.size() == 3);
  CHECK(verdict.rows[0].what == "1408 to 1409 rows: 1 to 2 waves");
  CHECK(verdict.rows[1].what == "2048 to 2049 rows: 2 to 3 waves");
  CHECK(verdict.rows[2].what == "2432 to 2433 rows: 3 to 4 waves");
  CHECK(verdict_of([](const Point& point) { return point.work.flops / 1e12; }).says ==
        Says::differs);

  // Two tiles at once on a multiprocessor: the second wave of a pair costs less than the first.
  const auto pairs = [](const Point& point) {
    constexpr double times[] = {21.8e-6, 36e-6, 57.8e-6, 72e-6};
    return times[static_cast<int>(waves(point)) - 1];
  };
  const LabVerdict paired = verdict_of(pairs);
  CHECK(paired.says == Says::holds);
  const VerdictRow* at_once = row_with(paired, "two tiles at once");
  REQUIRE(at_once != nullptr);
  CHECK(at_once->here->median == doctest::Approx(36 / 21.8));
}

TEST_CASE("quantization on a GPU: no border of waves predicts itself") {
  const Spec spec = spec_of("quantization");
  const auto verdict_of = [&](const test::Seconds& seconds) {
    const Session session = measured(spec, h200(), seconds);
    return find_lab("quantization")->verdict(results_of(spec.lab, session));
  };
  const auto pairs = [](double waves) {
    return 18e-6 * waves + (std::fmod(waves, 2) > 0 ? 3.8e-6 : 0);
  };
  CHECK(verdict_of([&](const Point& point) { return pairs(waves(point)); }).says == Says::holds);

  // From one wave to two, other factors than the later waves predict: 36 / 21.8.
  const auto first_wave = [&](double seconds) {
    return verdict_of([&, seconds](const Point& point) {
      return waves(point) == 1 ? seconds : pairs(waves(point));
    });
  };
  for (const double seconds : {36e-6, 12e-6}) {
    const LabVerdict verdict = first_wave(seconds);
    CHECK(verdict.says == Says::differs);
    CHECK(verdict.rows[0].claimed->median == doctest::Approx(36 / 21.8));
  }

  // No teeth; half a tile too early or late; at every tile; and one more between borders.
  CHECK(verdict_of([](const Point&) { return 5e-5; }).says == Says::differs);
  const auto moved = [&](const Point& point, std::uint64_t more, std::uint64_t less) {
    const std::uint64_t size = kernels::matmul_size(point.what).m + more - less;
    return pairs(
        static_cast<double>(kernels::matmul_waves({.m = size, .n = size, .k = 1}, 132, 128)));
  };
  CHECK(verdict_of([&](const Point& point) { return moved(point, 65, 0); }).says == Says::differs);
  CHECK(verdict_of([&](const Point& point) { return moved(point, 0, 63); }).says == Says::differs);
  const auto every_tile = [](const Point& point) {
    const std::uint64_t tiles = kernels::matmul_waves(kernels::matmul_size(point.what), 1, 128);
    return 1e-7 * static_cast<double>(tiles);
  };
  CHECK(verdict_of(every_tile).says == Says::differs);
  const auto one_more = [&](const Point& point) {
    const bool late = waves(point) == 4 && kernels::matmul_size(point.what).m == 20 * 128;
    return pairs(waves(point)) * (late ? 1.4 : 1);
  };
  CHECK(verdict_of(one_more).says == Says::differs);
}

TEST_CASE("quantization on a GPU: one border of waves is judged by whole waves, or not at all") {
  Spec spec = spec_of("quantization");
  set_knob(spec, "tiles", "11,12");
  const auto verdict_of = [&](double second_wave) {
    const Session session = measured(spec, h200(), [&](const Point& point) {
      return waves(point) == 1 ? 2e-5 : 2e-5 * second_wave;
    });
    return find_lab("quantization")->verdict(results_of(spec.lab, session));
  };
  CHECK(verdict_of(1.9).says == Says::holds);
  CHECK(verdict_of(1).says == Says::differs);
  CHECK(verdict_of(3).says == Says::differs);
  const LabVerdict shared = verdict_of(1.5);
  CHECK(shared.says == Says::cannot_say);
  CHECK(contains(shared.headline, "measure more borders"));
}
