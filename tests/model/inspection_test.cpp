// The command that the inspector copies measures the inspected case again, for every lab.
#include "ui/screen/inspection.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <sstream>
#include <string>
#include <vector>

#include "kernels/families/family.hpp"
#include "tests/engine/made_results.hpp"

using engine::Spec;

namespace {

constexpr std::string_view begin = "ridgepoint sweep ";

/// As the command line reads it: names of knobs and their values.
Spec spec_of(const std::string& command) {
  REQUIRE(command.starts_with(begin));
  std::istringstream words(command.substr(begin.size()));
  Spec spec;
  for (std::string name, text; words >> name >> text;) {
    CAPTURE(name);
    REQUIRE(name.starts_with("--"));
    engine::set_knob(spec, name.substr(2), text);
  }
  for (std::istringstream again(command.substr(begin.size())); !again.eof();) {
    std::string name, text;
    again >> name >> text;
    CAPTURE(name);
    CHECK(engine::reads_knob(engine::lab_of(spec), name.substr(2)));
  }
  return spec;
}

/// What is measured of a lab that was asked for this, on a device with these kernels.
void check_commands(const std::string& lab, const Spec& asked,
                    const std::vector<kernels::Kernel>& kernels = {}) {
  const auto measured = [&](const Spec& spec) {
    return test::Made(
        spec.lab, [](const engine::Point&) { return 1e-3; }, kernels, spec);
  };
  Spec first = asked;
  first.lab = lab;
  const test::Made made = measured(first);
  for (const engine::Point& point : made.session.points) {
    const std::string command = ui::command_for("ridgepoint", made.session, point);
    CAPTURE(command);
    const Spec spec = spec_of(command);
    CHECK(spec.device == made.session.device.id);
    const test::Made again = measured(spec);
    const auto same = std::ranges::find(again.session.points, point.what, &engine::Point::what);
    CHECK(same != again.session.points.end());
  }
}

Spec with(Spec spec, std::string_view knob, std::string_view text) {
  engine::set_knob(spec, knob, text);
  return spec;
}

}  // namespace

TEST_CASE("the command of a point asks for its case again, in every lab") {
  for (const engine::Lab* lab : engine::labs()) {
    CAPTURE(lab->name);
    check_commands(std::string(lab->name), {});
    if (engine::reads_knob(*lab, "dtype"))
      check_commands(std::string(lab->name), with({}, "dtype", "fp64"));
    if (engine::reads_knob(*lab, "data"))
      check_commands(std::string(lab->name), with({}, "data", "zeros"));
  }
}

TEST_CASE("the command of a product on either units asks for it again") {
  using kernels::Dtype;
  using kernels::Units;
  std::vector<kernels::Kernel> both;
  for (const Dtype dtype : {Dtype::fp32, Dtype::bf16}) {
    for (const Units units : {Units::vector, Units::matrix})
      both.push_back({.family = kernels::Family::matmul, .dtype = dtype, .units = units});
  }
  check_commands("matmul", {}, both);
}

TEST_CASE("the command of a point has the knobs of its lab") {
  check_commands("fusion", with(with({}, "chain", "relu,mul"), "elements", "8192"));
  check_commands("rematerialize", with({}, "operators", "add,relu"));
  check_commands("matmul", with(with({}, "sizes", "33"), "units", "both"));
  check_commands("mlp", with(with({}, "width", "128"), "units", "matrix"));
  check_commands("quantization", with(with({}, "depth", "100"), "tiles", "1,2"));
  check_commands("divergence", with(with({}, "path-length", "64"), "paths", "3"));
  check_commands("conv", with(with({}, "images", "3"), "filters", "5"));
  check_commands("precision", with({}, "matrix", "100"));
  check_commands("bert", with(with(with({}, "model", "large"), "pass", "both"), "fused", "on"));
  check_commands("bert", with(with(with({}, "sequence", "64"), "batch", "3"), "units", "matrix"));
}
