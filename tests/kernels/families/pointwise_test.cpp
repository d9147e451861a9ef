// Pointwise operators: every one at every instruction set that runs here, chains of them in every
// way that they are run, and broken kernels.
#include <doctest/doctest.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <numbers>
#include <string>

#include "kernels/cpu/loaded/chain_source.hpp"
#include "kernels/cpu/loaded/vector_math.hpp"
#include "kernels/cpu/machine/processor.hpp"
#include "kernels/cpu/trials/device.hpp"
#include "kernels/families/family.hpp"
#include "kernels/families/pointwise/pointwise_reference.hpp"
#include "kernels/kept/kept_source.hpp"
#include "kernels/kept/own_folder.hpp"
#include "tests/kernels/cpu_devices.hpp"
#include "tests/kernels/folder.hpp"
#include "tests/text.hpp"

using namespace kernels;
using namespace kernels::cpu;
using tests::contains;

namespace {

/// Kernels that are generated here leave nothing in the user's cache.
const Folder cache_home;
const int cache_is_set = setenv("XDG_CACHE_HOME", cache_home.path().c_str(), 1);

Abilities abilities() {
  return {.features = processor_features(),
          .amx = false,
          .why_no_amx = "not looked for",
          .why_no_vector_math = why_no_vector_math()};
}

Case pointwise(Ops ops, std::uint64_t elements = 10'007) {
  return {.family = Family::pointwise, .ops = ops, .elements = elements};
}

Row broken_row;

/// A device whose kernel of one operator is `function`.
CpuDevice device_with(Op op, PointwiseFunction function) {
  const Selection all(abilities());
  broken_row = all.find(pointwise(op))->row;
  broken_row.pointwise = function;
  return CpuDevice("/", cores(), abilities(),
                   Selection(abilities(), {{"broken", &broken_row, 1, true, 16}}));
}

void forgets_the_last(const PointwiseSlice& slice) {
  PointwiseSlice shorter = slice;
  shorter.elements -= 1;
  Selection(abilities(), {isa_baseline}).find(pointwise(Op::relu))->row.pointwise(shorter);
}
void is_off_by_a_few_places(const PointwiseSlice& slice) {
  for (std::uint64_t i = 0; i < slice.elements; ++i) {
    static_cast<float*>(slice.out)[i] =
        std::max(static_cast<const float*>(slice.in)[i], 0.0F) * (1 + 0x1p-21F);
  }
}

}  // namespace

TEST_CASE("every operator is right in every instruction set that runs here") {
  int checked = 0;
  for (const Isa& isa : usable_tables(abilities())) {
    CpuDevice device("/", cores(), abilities(), Selection(abilities(), {isa}));
    for (const Kernel& kernel : device.kernels()) {
      if (kernel.family != Family::pointwise || !kernel.runs) continue;
      for (const std::uint64_t elements : {1, 17, 384, 100'003}) {
        Case c = pointwise(kernel.op, elements);
        c.dtype = kernel.dtype;
        CAPTURE(isa.name);
        CAPTURE(describe(c));
        const Check check = device.prepare(c, {})->verify({});
        CHECK_MESSAGE(check.ok, check.why);
        ++checked;
      }
    }
  }
  CHECK(checked >= 40);  // the arithmetic ones run everywhere
}

TEST_CASE(
    "chains are right fused by the compiler, fused in blocks, and unfused, also past caches") {
  CpuDevice device("/", cores(), abilities(), Selection(abilities()));
  for (const Ops& ops : {Ops{Op::relu, Op::mul, Op::add}, Ops{Op::cos, Op::cos},
                         Ops{Op::exp, Op::sqrt, Op::gelu, Op::gelu_tanh, Op::silu, Op::tanh,
                             Op::reciprocal, Op::cos}}) {
    for (const Dtype dtype : {Dtype::fp32, Dtype::fp64}) {
      Case c = pointwise(ops, 1'000'003);
      c.dtype = dtype;
      if (const Kernel* row = find_kernel(device.kernels(), c); !row->runs) continue;
      CAPTURE(describe(c));
      for (const By by : {By::own, By::generated}) {
        c.by = by;
        const Check check = device.prepare(c, {})->verify({});
        CHECK_MESSAGE(check.ok, check.why);
      }
      c.by = By::own;
      c.fusion = Fusion::unfused;
      CHECK(device.prepare(c, {})->verify({}).ok);
    }
  }
  for (const By by : {By::own, By::generated}) {
    Case longer = with(pointwise({Op::add, Op::sqrt, Op::mul}, 5000), "length", 16);
    longer.by = by;
    const Check check = device.prepare(longer, {})->verify({});
    CHECK_MESSAGE(check.ok, check.why);
    longer = with(longer, "length", 1);
    CHECK(device.prepare(longer, {})->verify({}).ok);
  }
  Case large = pointwise({Op::relu, Op::add}, std::uint64_t{1} << 26);
  for (const By by : {By::own, By::generated}) {
    large.by = by;
    const auto trial = device.prepare(large, {});
    CHECK(trial->verify({}).ok);
    CHECK(contains(trial->run({}).note,
                   by == By::own ? "passes over blocks" : "generated and compiled"));
  }
}

TEST_CASE("a kernel that leaves an element out or is wrong in its last places does not pass") {
  for (const PointwiseFunction broken : {forgets_the_last, is_off_by_a_few_places}) {
    CpuDevice device = device_with(Op::relu, broken);
    const Check check = device.prepare(pointwise(Op::relu), {})->verify({});
    CHECK_FALSE(check.ok);
    CHECK(contains(check.why, "expected"));
  }
}

TEST_CASE("a chain whose values leave the range of the type is refused with the reason") {
  if (!why_no_vector_math().empty()) return;
  CpuDevice device("/", cores(), abilities(), Selection(abilities()));
  const Ops tower{Op::exp, Op::exp, Op::exp, Op::exp, Op::exp, Op::exp, Op::exp, Op::exp};
  std::string why;
  try {
    device.prepare(pointwise(tower), {});
  } catch (const Unsupported& reason) {
    why = reason.what();
  }
  CHECK(contains(why, "too large to verify enough results"));
}

TEST_CASE("without SLEEF the arithmetic operators run, and the others say what to install") {
  Abilities without = abilities();
  without.why_no_vector_math = "needs the library SLEEF";
  CpuDevice device("/", cores(), without, Selection(without));
  CHECK(find_kernel(device.kernels(), pointwise(Op::relu))->runs);
  const Kernel* gelu = find_kernel(device.kernels(), pointwise(Op::gelu));
  CHECK_FALSE(gelu->runs);
  CHECK(contains(gelu->why_not, "SLEEF"));
  CHECK_FALSE(find_kernel(device.kernels(), pointwise({Op::relu, Op::cos}))->runs);
  CHECK_THROWS_AS(device.prepare(pointwise({Op::relu, Op::cos}), {}), Unsupported);
}

TEST_CASE("the error bound of a chain grows with how much its operators stretch errors") {
  const double u = 0x1p-24;
  const Expected one = expected_pointwise(pointwise(Op::exp), 1);
  CHECK(one.value == doctest::Approx(std::numbers::e));
  CHECK(one.error == doctest::Approx(2 * u * std::numbers::e).epsilon(1e-4));
  // d/dx exp(x) at e: the error of the first is multiplied by exp(e).
  const Expected two = expected_pointwise(pointwise({Op::exp, Op::exp}), 1);
  CHECK(two.error == doctest::Approx(2 * u * two.value * (1 + std::numbers::e)).epsilon(1e-4));
  CHECK(one.tells());
  CHECK_FALSE(expected_pointwise(pointwise({Op::exp, Op::exp, Op::exp, Op::exp}), 2).tells());
}

TEST_CASE("work of a chain: unfused moves two tensors for each operator, fused for all together") {
  Case c = pointwise({Op::cos, Op::relu}, 1000);
  CHECK(work_of(c) == Work{1000.0 * (57 + 1), 8000, 1});
  c.fusion = Fusion::unfused;
  CHECK(work_of(c) == Work{1000.0 * (57 + 1), 16000, 2});
  c = with(c, "length", 5);  // cos, relu, cos, relu, cos
  CHECK(work_of(c) == Work{1000.0 * (3 * 57 + 2), 40000, 5});
}

TEST_CASE("the file that a note names is read where it is one of ours, and only there") {
  const Folder folder;
  const char* before = std::getenv("XDG_CACHE_HOME");
  const std::string home = before != nullptr ? before : "";
  setenv("XDG_CACHE_HOME", folder.path().c_str(), 1);
  const std::filesystem::path cache = own_folder(cache_folder()).path;
  const std::filesystem::path file = source_file(cache, "key", ".cpp");
  write_source(file, "int one;\n");
  const std::string note = "AVX2; " + source_note("g++ (Debian: 12) 12.2", file);
  CHECK(source_named_in(note) == file);
  CHECK(source_named_in("AVX2").empty());
  CHECK(read_source(file).text == "int one;\n");
  // Measured under another name of the same folder.
  CHECK(read_source("/home/other/.cache/ridgepoint" / file.filename()).text == "int one;\n");
  write_source(cache / "notes.cpp", "int two;\n");
  const std::string zeros = "kernel-00000000000000000000000000000000.cu";
  std::filesystem::create_symlink("/dev/zero", cache / zeros);
  for (const std::filesystem::path& other :
       {cache / "notes.cpp", cache / zeros, cache / "kernel-1.cpp",
        std::filesystem::path("/etc/passwd"), std::filesystem::path("/tmp/ridgepoint-x/y/z")}) {
    CAPTURE(other);
    CHECK(read_source(other).text.empty());
    CHECK(contains(read_source(other).why_not, "The source is not here"));
  }
  std::filesystem::remove(file);
  CHECK(contains(read_source(file).why_not, "The source is not here"));
  if (before != nullptr) {
    setenv("XDG_CACHE_HOME", home.c_str(), 1);
  } else {
    unsetenv("XDG_CACHE_HOME");
  }
}

TEST_CASE("the generated text names exactly the operators of the chain") {
  const std::string text = chain_source(pointwise({Op::gelu_tanh, Op::relu}), isa_baseline);
  CHECK(contains(text, "2 operators of gelu-tanh,relu in fp32"));
  CHECK(text.find("one = gelu_tanh_of(") < text.find("one = relu_of("));
  CHECK_FALSE(contains(text, "cos_of"));
}

TEST_CASE("every operator on rows is right in every instruction set that runs here") {
  int checked = 0;
  for (const Isa& isa : usable_tables(abilities())) {
    CpuDevice device("/", cores(), abilities(), Selection(abilities(), {isa}));
    for (const Kernel& kernel : device.kernels()) {
      if (kernel.family != Family::rowwise || !kernel.runs) continue;
      for (const std::uint64_t columns : {64, 1024, 4160}) {
        Case c{.family = Family::rowwise, .ops = kernel.op, .dtype = kernel.dtype};
        c.elements = columns * 192;
        c = with(c, "columns", columns);
        CAPTURE(isa.name);
        CAPTURE(describe(c));
        const Check check = device.prepare(c, {})->verify({});
        CHECK_MESSAGE(check.ok, check.why);
        ++checked;
      }
    }
  }
  CHECK(checked >= 36);  // those without functions run everywhere
}

namespace {

RowwiseFunction rowwise_kernel(Op op) {
  return Selection(abilities()).find({.family = Family::rowwise, .ops = op})->row.rowwise;
}
void leaves_out_a_row(const RowwiseSlice& slice) {
  RowwiseSlice fewer = slice;
  fewer.rows -= 1;
  rowwise_kernel(Op::layernorm)(fewer);
}
void forgets_the_mean(const RowwiseSlice& slice) { rowwise_kernel(Op::rmsnorm)(slice); }

}  // namespace

TEST_CASE("an operator on rows that leaves a row out or is slightly wrong does not pass") {
  Case c{.family = Family::rowwise, .ops = Op::layernorm, .elements = 64 * 1024};
  c = with(c, "columns", 1024);
  for (const RowwiseFunction broken : {leaves_out_a_row, forgets_the_mean}) {
    broken_row = Selection(abilities()).find(c)->row;
    broken_row.rowwise = broken;
    CpuDevice device("/", cores(), abilities(),
                     Selection(abilities(), {{"broken", &broken_row, 1, true, 16}}));
    CHECK_FALSE(device.prepare(c, {})->verify({}).ok);
  }
}

TEST_CASE("operators on rows move each tensor once") {
  Case c{.family = Family::rowwise, .ops = Op::sum, .elements = 64 * 128};
  c = with(c, "columns", 64);
  CHECK(work_of(c) == Work{8192, 4 * (8192 + 128), 1});
  c.ops = Op::dropout;
  CHECK(work_of(c) == Work{2 * 8192, 3 * 4 * 8192, 1});
  c.ops = Op::bias_gelu;
  CHECK(work_of(c) == Work{127 * 8192, 4 * (2 * 8192 + 64), 1});
  c = with(c, "columns", 100);
  CHECK(contains(refusal_of(c), "multiples of 64"));
}
