#include "kernels/case.hpp"

#include <doctest/doctest.h>

#include "kernels/device.hpp"
#include "kernels/families/family.hpp"

using namespace kernels;

TEST_CASE("every family, op, fusion and units is found by its name") {
  for (const Family family : all_families()) CHECK(family_named(name_of(family)) == family);
  for (const Op op : all_ops()) CHECK(op_named(name_of(op)) == op);
  CHECK(fusion_named("unfused") == Fusion::unfused);
  CHECK(units_named("matrix") == Units::matrix);
  CHECK_FALSE(op_named("fmadd"));
  CHECK_FALSE(family_named(""));
}

TEST_CASE("a fused chain moves each element once in and once out") {
  const Work work = work_of({.ops = Op::fma, .dtype = Dtype::fp32, .elements = 1000, .repeat = 64});
  CHECK(work.flops == 1000 * 64 * 2);
  CHECK(work.bytes == 2 * 1000 * 4);
  CHECK(work.launches == 1);
  CHECK(work.intensity() == 64 / 4.0);
}

TEST_CASE("an unfused chain stays at the intensity of one op whatever its repeat") {
  for (const std::uint64_t repeat : {1, 32, 4096}) {
    const Work work = work_of({.ops = Op::mul,
                               .dtype = Dtype::fp64,
                               .fusion = Fusion::unfused,
                               .elements = 10,
                               .repeat = repeat});
    CHECK(work.launches == static_cast<double>(repeat));
    CHECK(work.intensity() == 1 / 16.0);
  }
}

TEST_CASE("a tile case counts whole products and its accumulators") {
  // 3 tiles of 16 x 32 bf16, B 32 x 32, D 16 x 32 fp32.
  Case c{.family = Family::tile,
         .ops = Op::mma,
         .dtype = Dtype::bf16,
         .elements = 3 * 512,
         .repeat = 5};
  CHECK(work_of(c).flops == 3 * 2.0 * 16 * 32 * 32 * 5);
  CHECK(work_of(c).bytes == 3 * 1024 + 3 * 2048);
  c.fusion = Fusion::unfused;
  CHECK(work_of(c).bytes == 5 * (3 * 1024 + 3 * 2048) + 4 * 3 * 2048);
  CHECK(work_of(c).launches == 5);
}

TEST_CASE("stream, peak and launch count what they are there to measure") {
  Case c{.family = Family::stream, .ops = Op::triad, .dtype = Dtype::fp32, .elements = 100};
  CHECK(work_of(c).bytes == 1200);
  CHECK(work_of(c).flops == 200);
  c.ops = Op::copy;
  CHECK(work_of(c).bytes == 800);
  CHECK(work_of(c).flops == 0);
  c.ops = Op::read;
  CHECK(work_of(c).bytes == 400);

  c = {.family = Family::peak,
       .ops = Op::fma,
       .dtype = Dtype::fp32,
       .elements = 192,
       .repeat = 1000};
  CHECK(work_of(c).flops == 192 * 1000 * 2);
  CHECK(work_of(c).bytes == 0);
  for (const Op two : {Op::mul_add, Op::mma}) {
    c.ops = two;
    CHECK(work_of(c).flops == 192 * 1000 * 2);
  }
  c = {.family = Family::peak,
       .ops = Op::mma,
       .dtype = Dtype::int8,
       .units = Units::matrix,
       .elements = 1024,
       .repeat = 10};
  CHECK(work_of(c).flops == 2.0 * 16 * 32 * 64 * 10);

  CHECK(work_of({.family = Family::launch, .ops = Op::none, .repeat = 7}).launches == 7);
}

TEST_CASE("an unfused chain needs a second intermediate only from two ops on") {
  Case c{.dtype = Dtype::fp16, .fusion = Fusion::unfused, .elements = 100, .repeat = 1};
  CHECK(footprint_of(c) == 400);
  c.repeat = 2;
  CHECK(footprint_of(c) == 600);
  c.fusion = Fusion::fused;
  CHECK(footprint_of(c) == 400);
}

TEST_CASE("the description of a case names what decides it") {
  const Case c{.elements = 64 << 20, .repeat = 64};
  CHECK(describe(c) == "chain fma fp32 fused repeat 64, 64 Mi elements");
  CHECK(describe({.family = Family::launch, .ops = Op::none, .repeat = 3}) == "launch repeat 3");
}

TEST_CASE("a kernel row answers for the case with its family, op, dtype and units") {
  const Kernel rows[] = {{.family = Family::chain, .op = Op::mul},
                         {.family = Family::chain, .op = Op::fma},
                         {.family = Family::launch, .op = Op::none}};
  CHECK(find_kernel(rows, {.ops = Op::fma}) == &rows[1]);
  CHECK(find_kernel(rows, {.ops = Op::fma, .units = Units::matrix}) == nullptr);
  CHECK(find_kernel(rows, {.family = Family::launch, .ops = Op::none, .dtype = Dtype::fp64}) ==
        &rows[2]);
}
