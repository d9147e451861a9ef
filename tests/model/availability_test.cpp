// What the controls offer, and what they say of what they cannot.
#include "ui/model/availability.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <functional>

#include "tests/model/fake_state.hpp"
#include "ui/screen/verdict_target.hpp"

using engine::FusionChoice;
using engine::UnitsChoice;
using kernels::Dtype;
using kernels::Family;

TEST_CASE("matrix units bring the tile family and a type that they take") {
  ui::AppState state = fake::opened();
  ui::set_units(state, UnitsChoice::matrix, 1);
  CHECK(state.spec.family() == Family::tile);
  CHECK(state.spec.dtypes == std::vector{Dtype::bf16});
  CHECK(state.notices.back().text.find("bf16") != std::string::npos);
  CHECK(ui::cursor_case(state)->units == kernels::Units::matrix);
  CHECK(ui::cursor_case(state)->op() == kernels::Op::mma);
  ui::set_family(state, Family::chain, 2);
  CHECK(state.spec.units == UnitsChoice::vector);
}

TEST_CASE("the last element type cannot be switched off") {
  ui::AppState state = fake::opened();
  state.worker.running.sweep = true;
  ui::toggle_dtype(state, Dtype::fp32, 1);
  CHECK(state.spec.dtypes == std::vector{Dtype::fp32});
  REQUIRE_FALSE(state.notices.empty());
  CHECK(state.notices.back().text.starts_with("At least one element type is needed"));
  CHECK_FALSE(state.worker.restart_due);  // nothing has changed
}

TEST_CASE("what cannot apply has a reason, and what can has none") {
  const engine::Place device = fake::summary("cpu");
  engine::Spec spec;
  CHECK(ui::why_not_dtype(device, spec, Dtype::fp32).empty());
  CHECK_FALSE(ui::why_not_dtype(device, spec, Dtype::fp8).empty());
  CHECK(ui::why_not_units(device, UnitsChoice::both).empty());
  spec.kernel = Family::tile;
  CHECK(ui::why_not_dtype(device, spec, Dtype::bf16) == "the fake has no SIMD tiles");
  CHECK_FALSE(ui::why_not_op(device, spec, kernels::Op::fma).empty());
  CHECK(ui::matrix_units_name(&device) == "Matrix units");
  engine::Place with_amx = device;
  with_amx.info.instruction_sets = {"AVX-512", "AMX"};
  CHECK(ui::matrix_units_name(&with_amx) == "AMX");
  const engine::Place gpu = fake::summary("cuda:0");
  CHECK(ui::matrix_units_name(&gpu) == "Tensor cores");
}

TEST_CASE("an element type that a family does not take is not dropped without a word") {
  engine::Place device = fake::summary("cpu");
  device.kernels = {{.family = Family::chain, .dtype = Dtype::fp32},
                    {.family = Family::chain, .dtype = Dtype::int32},
                    {.family = Family::tile, .op = kernels::Op::mma, .dtype = Dtype::fp32}};
  engine::Spec spec;
  spec.kernel = Family::tile;
  spec.dtypes = {Dtype::fp32, Dtype::int32};
  std::vector<std::string> changes;
  CHECK(ui::adapted(spec, device, changes).dtypes == std::vector{Dtype::fp32});
  REQUIRE(changes.size() == 1);
  CHECK(changes[0].starts_with("int32 does not run this way on "));
  CHECK(changes[0].ends_with("switched off."));
}

TEST_CASE("an element type that another family does not take comes back with the first one") {
  ui::AppState state = fake::opened();
  std::vector<kernels::Kernel>& rows = state.worker.devices.front().kernels;
  rows.clear();
  for (const Dtype dtype : {Dtype::fp32, Dtype::fp64, Dtype::int32})
    rows.push_back({.family = Family::chain, .op = kernels::Op::fma, .dtype = dtype});
  for (const Dtype dtype : {Dtype::fp32, Dtype::fp64})
    rows.push_back({.family = Family::tile, .op = kernels::Op::mma, .dtype = dtype});
  ui::toggle_dtype(state, Dtype::int32, 0);
  const std::vector<Dtype> chosen = state.spec.dtypes;
  ui::set_family(state, Family::tile, 0);
  CHECK(std::ranges::count(state.spec.dtypes, Dtype::int32) == 0);
  ui::set_family(state, Family::chain, 0);
  CHECK(state.spec.dtypes == chosen);
  // A choice made meanwhile is all that counts.
  ui::set_family(state, Family::tile, 0);
  ui::toggle_dtype(state, Dtype::fp64, 0);
  ui::set_family(state, Family::chain, 0);
  CHECK(std::ranges::count(state.spec.dtypes, Dtype::int32) == 0);
}

TEST_CASE("a device without matrix units switches them off and says why") {
  engine::Place device = fake::summary("cpu");
  for (kernels::Kernel& row : device.kernels) {
    if (row.units == kernels::Units::matrix) {
      row.runs = false;
      row.why_not = "no AMX here";
    }
  }
  engine::Spec spec;
  spec.units = UnitsChoice::matrix;
  std::vector<std::string> changes;
  const engine::Spec fitted = ui::adapted(spec, device, changes);
  CHECK(fitted.units == UnitsChoice::vector);
  CHECK(changes.at(0) == "Matrix units off: no AMX here");
}

TEST_CASE("whatever is clicked, what is left can be swept") {
  ui::AppState state = fake::opened();
  const engine::Place device = *ui::current_device(state);
  const auto check = [&] {
    CAPTURE(kernels::name_of(state.spec.family()));
    CAPTURE(kernels::name_of(state.spec.op));
    CHECK_NOTHROW(engine::expand(state.spec, device.info, device.free_bytes));
  };
  // Every way of three clicks: 14 controls, 2744 ways.
  std::vector<std::function<void()>> clicks;
  for (const Family family : {Family::chain, Family::tile}) {
    clicks.push_back([&, family] { ui::set_family(state, family, 1); });
  }
  for (const kernels::Op op : {kernels::Op::mul, kernels::Op::add, kernels::Op::fma}) {
    clicks.push_back([&, op] { ui::set_op(state, op, 1); });
  }
  for (const Dtype dtype : {Dtype::fp64, Dtype::fp32, Dtype::bf16}) {
    clicks.push_back([&, dtype] { ui::toggle_dtype(state, dtype, 1); });
  }
  for (const auto fusion : {FusionChoice::fused, FusionChoice::unfused, FusionChoice::both}) {
    clicks.push_back([&, fusion] { ui::set_fusion(state, fusion, 1); });
  }
  for (const auto units : {UnitsChoice::vector, UnitsChoice::matrix, UnitsChoice::both}) {
    clicks.push_back([&, units] { ui::set_units(state, units, 1); });
  }
  for (const auto& first : clicks) {
    for (const auto& second : clicks) {
      for (const auto& third : clicks) {
        state.spec = ui::new_state().spec;
        state.spec.device = "cpu";
        first();
        second();
        third();
        check();
      }
    }
  }
}
