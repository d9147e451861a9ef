#include <doctest/doctest.h>

#include "engine/session/session_file.hpp"
#include "engine/spec.hpp"
#include "kernels/families/tile/tile.hpp"
#include "tests/text.hpp"

using namespace engine;
using kernels::Case;
using kernels::Dtype;
using kernels::Family;
using kernels::Fusion;
using kernels::Units;
using tests::contains;

namespace {

constexpr double mebibyte = 1024.0 * 1024;
constexpr double plenty = 64e9;

kernels::DeviceInfo cpu() {
  kernels::DeviceInfo info;
  info.id = info.kind = "cpu";
  info.l3_bytes = 480 * mebibyte;
  info.virtual_machine = true;
  return info;
}

kernels::DeviceInfo gpu(double l2) {
  kernels::DeviceInfo info;
  info.id = "cuda:0";
  info.kind = "cuda";
  info.l2_bytes = l2;
  return info;
}

double working_set(Family family, Dtype dtype, std::uint64_t elements) {
  return work_of(Case{.family = family, .dtype = dtype, .elements = elements}).bytes;
}

std::string refusal(const Spec& spec, double free_bytes = plenty) {
  try {
    expand(spec, cpu(), free_bytes);
  } catch (const BadInput& error) {
    return error.what();
  }
  return "";
}

}  // namespace

TEST_CASE("the default working set of a CPU with small caches is a quarter of a gibibyte") {
  kernels::DeviceInfo small = cpu();
  small.l3_bytes = 32 * mebibyte;
  const std::uint64_t elements = default_elements(small, plenty, Family::chain, Dtype::fp32);
  CHECK(working_set(Family::chain, Dtype::fp32, elements) == 256 * mebibyte);
  small.l3_bytes = 96 * mebibyte;
  small.virtual_machine = false;
  const std::uint64_t more = default_elements(small, plenty, Family::chain, Dtype::fp32);
  CHECK(working_set(Family::chain, Dtype::fp32, more) == 384 * mebibyte);
}

TEST_CASE(
    "the default working set is half a gibibyte for a virtual machine that sees a large cache") {
  for (const Family family : {Family::chain, Family::tile}) {
    for (const auto& info : kernels::dtypes) {
      CAPTURE(info.name);
      const std::uint64_t elements = default_elements(cpu(), plenty, family, info.dtype);
      CHECK(working_set(family, info.dtype, elements) >= 512 * mebibyte);
      CHECK(working_set(family, info.dtype, elements) < 513 * mebibyte);
      CHECK(elements % 4096 == 0);
      CHECK(elements % kernels::tile_elements(info.dtype) == 0);
    }
  }
}

TEST_CASE("the default working set of a GPU is at least four times its L2") {
  const auto bytes = [](double l2) {
    return working_set(Family::chain, Dtype::fp32,
                       default_elements(gpu(l2), plenty, Family::chain, Dtype::fp32));
  };
  CHECK(bytes(300 * mebibyte) >= 1200 * mebibyte);
  CHECK(bytes(4 * mebibyte) >= 256 * mebibyte);
}

TEST_CASE("the default never takes more than half of the free memory") {
  for (const double free : {1e3, 1e6, 100e6, 700e6, 1e9}) {
    const std::uint64_t elements = default_elements(cpu(), free, Family::chain, Dtype::fp64);
    Case unfused{
        .dtype = Dtype::fp64, .fusion = Fusion::unfused, .elements = elements, .repeat = 2};
    CAPTURE(free);
    CHECK((kernels::footprint_of(unfused) <= free / 2 || elements == 4096));
    CHECK(elements >= 4096);
  }
  CHECK(default_elements(cpu(), -1, Family::chain, Dtype::fp64) == 4096);
}

TEST_CASE("cases come fused first, then by dtype and units, each series by ascending repeat") {
  Spec spec;
  spec.dtypes = {Dtype::bf16, Dtype::int8};
  spec.fusion = FusionChoice::both;
  spec.units = UnitsChoice::both;
  spec.repeats = {8, 1, 8};
  const auto cases = expand(spec, cpu(), plenty);
  REQUIRE(cases.size() == 16);
  std::size_t i = 0;
  for (const Fusion fusion : {Fusion::fused, Fusion::unfused}) {
    for (const Dtype dtype : {Dtype::bf16, Dtype::int8}) {
      for (const Units units : {Units::vector, Units::matrix}) {
        for (const std::uint64_t repeat : {1ULL, 8ULL}) {
          CAPTURE(i);
          const Case& what = cases[i++];
          CHECK(what.family == Family::tile);
          CHECK(what.op() == kernels::Op::mma);
          CHECK(what.fusion == fusion);
          CHECK(what.dtype == dtype);
          CHECK(what.units == units);
          CHECK(what.repeat == repeat);
        }
      }
    }
  }
}

TEST_CASE("what the inputs hold is the same for every case, and random unless asked for") {
  Spec spec;
  for (const Case& what : expand(spec, cpu(), plenty)) CHECK(what.data == kernels::Data::random);
  spec.data = kernels::Data::zeros;
  for (const Case& what : expand(spec, cpu(), plenty)) CHECK(what.data == kernels::Data::zeros);
}

TEST_CASE("vector and matrix, fused and unfused get the same elements") {
  Spec spec;
  spec.dtypes = {Dtype::bf16};
  spec.fusion = FusionChoice::both;
  spec.units = UnitsChoice::both;
  for (const Case& what : expand(spec, cpu(), 600e6)) {
    CHECK(what.elements == default_elements(cpu(), 600e6, Family::tile, Dtype::bf16));
  }
}

TEST_CASE("a dtype that a family may not know stays in the list") {
  Spec spec;
  spec.dtypes = {Dtype::fp8};
  CHECK(expand(spec, cpu(), plenty).size() == 11);
}

TEST_CASE("elements that are asked for are taken, for a tile up to whole tiles") {
  Spec spec;
  spec.elements = 1000;
  CHECK(expand(spec, cpu(), plenty).front().elements == 1000);
  spec.kernel = Family::tile;
  CHECK(expand(spec, cpu(), plenty).front().elements == 1024);
}

TEST_CASE("elements beyond the memory are refused with what would fit") {
  Spec spec;
  spec.elements = 1'000'000'000'000;
  const std::string why = refusal(spec, 1e9);
  CHECK(contains(why, "--elements 1000000000000: chain fp32 needs"));
  CHECK(contains(why, "cpu has 954 MiB free; use at most 74997760"));
  spec.elements = 74997760;
  CHECK(refusal(spec, 1e9).empty());
  spec.elements = (1ULL << 53U) - 1;
  CHECK(contains(refusal(spec, 1e9), "--elements"));
}

TEST_CASE("a spec that contradicts itself is refused") {
  Spec tile;
  tile.kernel = Family::tile;
  tile.op = kernels::Op::mul;
  CHECK(contains(refusal(tile), "--op mul: a tile has one op, mma; leave --op out"));
  Spec chain;
  chain.kernel = Family::chain;
  chain.units = UnitsChoice::matrix;
  CHECK(contains(refusal(chain), "use --kernel tile"));
  Spec family;
  family.kernel = Family::stream;
  CHECK(contains(refusal(family), "--kernel stream: expected chain or tile"));
  Spec empty;
  empty.dtypes.clear();
  CHECK(contains(refusal(empty), "--dtype"));
  empty = {};
  empty.repeats.clear();
  CHECK(contains(refusal(empty), "--repeat"));
  empty.repeats = {0, 1};
  CHECK(contains(refusal(empty), "--repeat"));
  empty.repeats = {5000};
  CHECK(contains(refusal(empty), "--repeat"));
  Spec noise;
  noise.noise = 0;
  CHECK(contains(refusal(noise), "--noise"));
  Spec time;
  time.max_time = -1;
  CHECK(contains(refusal(time), "--max-time"));
}

TEST_CASE("the experiment of the roofs has no points") {
  Spec spec;
  spec.lab = "roofs";
  CHECK(expand(spec, cpu(), plenty).empty());
}
