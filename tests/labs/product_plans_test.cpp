// What the labs of matrix products ask for, and what they refuse.
#include <doctest/doctest.h>

#include <string>
#include <tuple>

#include "engine/labs/lab.hpp"
#include "engine/session/session_file.hpp"
#include "engine/spec.hpp"
#include "kernels/families/family.hpp"

using namespace engine;

namespace {

/// Why a plan is refused; empty: it is not.
std::string refusal(const Spec& spec, double free_bytes = 64e9) {
  const Session session;
  try {
    find_lab(spec.lab)->plan(spec, {{}, {}, free_bytes}, {spec, session, {}});
  } catch (const BadInput& bad) {
    return bad.what();
  }
  return "";
}

Spec spec_of(std::string_view lab, std::string_view knob, std::string_view text) {
  Spec spec;
  spec.lab = lab;
  set_knob(spec, knob, text);
  return spec;
}

std::size_t asks_of(const Spec& spec, double free_bytes) {
  Session session;
  session.device.l1_bytes = 32 * 1024;
  session.device.l2_bytes = 1024 * 1024;
  const Place place{session.device, {}, free_bytes};
  return find_lab(spec.lab)->plan(spec, place, {spec, session, {}}).asks.size();
}

}  // namespace

TEST_CASE("labs that run on one sort of units, or in one element type, refuse several") {
  CHECK(refusal(spec_of("mlp", "units", "both")) == "--units both: expected vector or matrix");
  CHECK(refusal(spec_of("quantization", "units", "both")) ==
        "--units both: expected vector or matrix");
  CHECK(refusal(spec_of("quantization", "dtype", "fp32,bf16")) ==
        "--dtype fp32,bf16: expected one element type");
  CHECK(refusal(spec_of("mlp", "dtype", "fp32,bf16")).empty());
  CHECK(refusal(spec_of("matmul", "units", "both")).empty());
}

TEST_CASE("sizes that memory does not hold are refused where they were chosen, else left out") {
  constexpr double little = 20e6;
  for (const auto& [lab, knob, size] :
       {std::tuple("matmul", "sizes", "16,16384"), std::tuple("mlp", "width", "8192"),
        std::tuple("quantization", "tiles", "100"), std::tuple("quantization", "depth", "16384"),
        std::tuple("precision", "matrix", "2048"), std::tuple("conv", "images", "4096"),
        std::tuple("rematerialize", "lengths", "16")}) {
    CAPTURE(lab);
    const std::string why = refusal(spec_of(lab, knob, size), little);
    CHECK(why.find(std::string("--") + knob + " " + size + ": ") == 0);
    CHECK(why.find(" are free") != std::string::npos);
  }
  // Where tiles are automatic, it is the depth that somebody chose; else both are.
  Spec both = spec_of("quantization", "depth", "16384");
  set_knob(both, "tiles", "100");
  CHECK(refusal(both, little).starts_with("--tiles 100: "));
  CHECK(asks_of(spec_of("matmul", "sizes", "16,2048"), 64e6) == 8);  // 50 MB, and a bias and relu
  Spec usual;
  usual.lab = "matmul";
  CHECK(asks_of(usual, little) == 2 * 4 + 4);  // up to 512; a bias and relu at 256
  for (const std::string_view lab :
       {"matmul", "mlp", "quantization", "rematerialize", "overhead", "hierarchy", "bert"}) {
    CAPTURE(lab);
    usual.lab = lab;
    CHECK(asks_of(usual, 0) > 0);  // unknown
  }
}

TEST_CASE("a device whose products do not run says why, and precision asks for none") {
  Place place;
  place.kernels = {{.family = kernels::Family::matmul, .runs = false, .why_not = "no products"}};
  for (const std::string_view lab : {"matmul", "mlp", "quantization"}) {
    CHECK(find_lab(lab)->why_not(place) == "no products");
    CHECK(find_lab(lab)->why_not({}).empty());
  }
  place.kernels.push_back({.family = kernels::Family::matmul, .dtype = kernels::Dtype::fp64});
  for (const std::string_view lab : {"matmul", "mlp", "quantization"})
    CHECK(find_lab(lab)->why_not(place).empty());
  const bool always_runs = find_lab("precision")->why_not == nullptr;
  CHECK(always_runs);
  place.kernels = {{.family = kernels::Family::chain}};
  place.free_bytes = 64e9;
  Spec spec;
  spec.lab = "precision";
  const Session session;
  for (const Ask& ask : find_lab("precision")->plan(spec, place, {spec, session, {}}).asks)
    CHECK(ask.what.family == kernels::Family::chain);
}
