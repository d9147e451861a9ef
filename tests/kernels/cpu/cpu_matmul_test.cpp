// Matrix products as trials on the CPU: our own kernels and the library's are verified, broken ones
// found.
#include <doctest/doctest.h>

#include <algorithm>
#include <array>

#include "kernels/cpu/loaded/onednn.hpp"
#include "kernels/cpu/loaded/onednn_relu.hpp"
#include "kernels/families/family.hpp"
#include "kernels/families/matmul/matmul.hpp"
#include "tests/kernels/cpu_devices.hpp"
#include "tests/text.hpp"

using namespace kernels;
using namespace kernels::cpu;
using tests::contains;

namespace {

Case product(Dtype dtype, MatmulSize size, By by = By::own) {
  return matmul_case(dtype, Units::vector, size, Data::random, by);
}

Row right_row() {
  const Isa isa = isa_baseline;
  for (std::size_t i = 0; i < isa.count; ++i) {
    if (isa.rows[i].family == Family::matmul && isa.rows[i].dtype == Dtype::fp32)
      return isa.rows[i];
  }
  throw std::logic_error("no such row");
}

/// One element in the middle of C.
void one_element_wrong(const MatmulSlice& slice) {
  right_row().matmul.multiply(slice);
  const std::uint64_t row = slice.m / 2, column = slice.n / 2;
  static_cast<float*>(slice.c)[row * slice.n + column] += 1;
}

void forgets_the_last_tile(const MatmulSlice& slice) {
  MatmulSlice shorter = slice;
  if (shorter.tiles > 0) --shorter.tiles;
  right_row().matmul.multiply(shorter);
}

/// As if the last product of every sum were left out.
void one_product_short(const MatmulSlice& slice) {
  auto* b = static_cast<float*>(const_cast<void*>(slice.b)) + (slice.k - 1) * slice.n;
  std::vector<float> kept(b, b + slice.n);
  std::fill_n(b, slice.n, 0.0F);
  right_row().matmul.multiply(slice);
  std::ranges::copy(kept, b);
}

/// One product of a batch, which begins where the second one does.
void one_product_wrong(const MatmulSlice& slice) {
  static const void* first = nullptr;
  MatmulSlice wrong = slice;
  if (slice.first == 0 && first == nullptr) first = slice.b;
  wrong.b = first;
  right_row().matmul.multiply(wrong);
}

/// A bias without relu, or none.
void forgets_relu(const MatmulSlice& slice) {
  MatmulSlice plain = slice;
  plain.bias = nullptr;
  right_row().matmul.multiply(plain);
  if (slice.tiles == 0 || slice.bias == nullptr) return;
  const std::uint64_t all = matmul_tiles({slice.m, slice.n, slice.k});
  if (slice.first + slice.tiles < all) return;
  for (std::uint64_t i = 0; i < slice.m * slice.n; ++i)
    static_cast<float*>(slice.c)[i] += static_cast<const float*>(slice.bias)[i % slice.n];
}
void forgets_the_bias(const MatmulSlice& slice) {
  const std::vector<float> zeros(slice.n + matmul_tile);
  MatmulSlice without = slice;
  without.bias = zeros.data();
  right_row().matmul.multiply(without);
}
/// The bias of the column beside it.
void shifts_the_bias(const MatmulSlice& slice) {
  std::vector<float> shifted(slice.n + matmul_tile);
  std::copy_n(static_cast<const float*>(slice.bias), slice.n - 1, shifted.begin() + 1);
  MatmulSlice wrong = slice;
  wrong.bias = shifted.data();
  right_row().matmul.multiply(wrong);
}

Check check_of(void (*multiply)(const MatmulSlice&), std::uint64_t batch = 1,
               Epilogue epilogue = Epilogue::none) {
  static Row row;  // a table outlives its device
  row = right_row();
  row.matmul.multiply = multiply;
  CpuDevice device("/", {cores().front()}, no_amx,
                   Selection(no_amx, {{"test", &row, 1, isa_baseline.fused_multiply_add}}));
  const Case c = with_epilogue(product(Dtype::fp32, {150, 140, 90, batch}), epilogue);
  return device.prepare(c, {})->verify({});
}

}  // namespace

TEST_CASE("products of every element type are verified and run, and say how they are computed") {
  CpuDevice device("/");
  for (const Dtype dtype : {Dtype::fp64, Dtype::fp32, Dtype::fp16, Dtype::bf16, Dtype::int8}) {
    for (const MatmulSize size : {MatmulSize{1, 1, 1}, {130, 67, 300}, {1, 500, 40}}) {
      for (const Data data : {Data::random, Data::zeros}) {
        Case c = product(dtype, size);
        c.data = data;
        CAPTURE(describe(c));
        const auto trial = device.prepare(c, {});
        const Check check = trial->verify({});
        CHECK_MESSAGE(check.ok, check.why);
        CHECK(trial->run({}).seconds > 0);
        CHECK(trial->work() == work_of(c));
        CHECK(contains(trial->run({}).note, "tiles of 64 x 64"));
      }
    }
  }
}

TEST_CASE("batches and transposed matrices are multiplied by us and by the library") {
  CpuDevice device("/");
  for (const By by : {By::own, By::library}) {
    for (const Dtype dtype : {Dtype::fp32, Dtype::int8}) {
      for (const Transposed transposed :
           {Transposed::none, Transposed::a, Transposed::b, Transposed::both}) {
        const Case c = product(dtype, {70, 65, 130, 5, transposed}, by);
        CAPTURE(describe(c));
        if (!find_kernel(device.kernels(), c)->runs) continue;
        const auto trial = device.prepare(c, {});
        const Check check = trial->verify({});
        CHECK_MESSAGE(check.ok, check.why);
        CHECK(trial->run({}).seconds > 0);
      }
    }
  }
}

TEST_CASE("whole tiles at the edges give the same product") {
  CpuDevice device("/");
  Case c = product(Dtype::fp32, {65, 129, 100});
  c.shape = {{"edges", "whole"}};
  CHECK(device.prepare(c, {})->verify({}).ok);
}

TEST_CASE("random data has an error, integers none") {
  CpuDevice device("/");
  const Check random = device.prepare(product(Dtype::fp32, {100, 100, 1000}), {})->verify({});
  CHECK(random.ok);
  CHECK(random.error > 0);
  CHECK(random.error < 1e-5);
  CHECK(device.prepare(product(Dtype::int8, {100, 100, 1000}), {})->verify({}).error == 0);
}

TEST_CASE("a product with a wrong element, a tile that is left out or a product too few fails") {
  CHECK(check_of(right_row().matmul.multiply).ok);
  CHECK(contains(check_of(one_element_wrong).why, "row 75, column 70 of the product"));
  CHECK(contains(check_of(forgets_the_last_tile).why, "nan"));
  CHECK(contains(check_of(one_product_short).why, "expected"));
  CHECK(contains(check_of(one_product_wrong, 3).why, "product "));
}

TEST_CASE("a product whose bias or relu is left out or in the wrong place fails") {
  const auto why = [](void (*multiply)(const MatmulSlice&)) {
    return check_of(multiply, 1, Epilogue::bias_relu).why;
  };
  CHECK(why(right_row().matmul.multiply) == "");
  CHECK(contains(why(forgets_relu), "expected 0 within 0, got -"));
  CHECK(contains(why(forgets_the_bias), "column 0 of the product: expected"));
  CHECK(contains(why(shifts_the_bias), "column 0 of the product: expected"));
  CHECK(contains(why(one_element_wrong), "row 75, column 70 of the product"));
}

TEST_CASE("products with bias and relu are verified and run, in batches and transposed, too") {
  CpuDevice device("/");
  for (const Dtype dtype : {Dtype::fp64, Dtype::fp32, Dtype::fp16, Dtype::bf16}) {
    for (const MatmulSize size :
         {MatmulSize{1, 1, 1}, {130, 67, 300}, {1, 500, 40}, {70, 65, 130, 5, Transposed::both}}) {
      for (const Data data : {Data::random, Data::zeros}) {
        Case c = with_epilogue(product(dtype, size), Epilogue::bias_relu);
        c.data = data;
        CAPTURE(describe(c));
        const auto trial = device.prepare(c, {});
        const Check check = trial->verify({});
        CHECK_MESSAGE(check.ok, check.why);
        CHECK(trial->run({}).seconds > 0);
        CHECK(trial->work() == work_of(c));
        // A product of the same size without them is another one.
        CHECK(device.prepare(with_epilogue(c, Epilogue::none), {})->verify({}).ok);
      }
    }
  }
}

TEST_CASE("the library adds a bias and takes relu, in batches and transposed, or says why not") {
  CpuDevice device("/");
  for (const MatmulSize size : {MatmulSize{130, 67, 300},
                                {1, 500, 40},
                                {70, 65, 130, 5, Transposed::a},
                                {70, 65, 130, 1, Transposed::both}}) {
    const Case c = with_epilogue(product(Dtype::fp32, size, By::library), Epilogue::bias_relu);
    CAPTURE(describe(c));
    if (const std::string why = OneDnnRelu::why_not(); !why.empty()) {
      CHECK(contains(why, "libdnnl2"));
      CHECK_THROWS_AS(device.prepare(c, {}), Unsupported);
      continue;
    }
    const auto trial = device.prepare(c, {});
    const Check check = trial->verify({});
    CHECK_MESSAGE(check.ok, check.why);
    CHECK(trial->run({}).seconds > 0);
  }
}

TEST_CASE("after a check the inputs are those of the case again") {
  CpuDevice device("/");
  const auto first = device.prepare(product(Dtype::fp32, {200, 200, 200}), {});
  CHECK(first->verify({}).ok);
  const auto second = device.prepare(product(Dtype::fp32, {90, 90, 90}), {});
  CHECK(second->verify({}).ok);
  CHECK(device.prepare({.elements = 40000, .repeat = 3}, {})->verify({}).ok);
}

TEST_CASE("a product is refused with a sentence where it cannot run") {
  CpuDevice device("/");
  const auto why_not = [&](const Case& c) -> std::string {
    try {
      device.prepare(c, {});
    } catch (const Unsupported& reason) {
      return reason.what();
    }
    return "it runs";
  };
  CHECK(contains(why_not(product(Dtype::fp32, {0, 5, 5})), "m 0"));
  CHECK(contains(why_not(product(Dtype::fp32, {1 << 18, 1 << 18, 1 << 18})), "of memory are free"));
  CHECK(contains(why_not(product(Dtype::fp8, {5, 5, 5})), "CPUs have no fp8 arithmetic"));
  CHECK(contains(why_not(product(Dtype::int32, {5, 5, 5})), "choose int8"));
  CHECK(contains(why_not(product(Dtype::fp64, {5, 5, 5}, By::library)), "choose one of these"));
  CHECK(contains(why_not(with_epilogue(product(Dtype::int8, {5, 5, 5}), Epilogue::bias_relu)),
                 "follow products of floating point"));
}

TEST_CASE("the library's products are listed with a reason, or verified like ours") {
  const Selection selection(no_amx);
  const auto rows = selection.kernels();
  const OneDnn& library = OneDnn::instance();
  for (const Dtype dtype : {Dtype::fp32, Dtype::int8}) {
    const Kernel* row = find_kernel(rows, product(dtype, {5, 5, 5}, By::library));
    REQUIRE(row != nullptr);
    CHECK(row->runs == !library.name().empty());
    if (!row->runs) {
      CHECK(row->why_not == "oneDNN was not found: install libdnnl2 (Debian 12)");
      continue;
    }
    CHECK(row->note == library.name());
#ifndef RIDGEPOINT_TSAN  // which does not see how OpenMP's threads wait for each other
    CpuDevice device("/");
    CHECK(std::ranges::count(device.info().libraries,
                             LoadedLibrary{library.name(), library.file()}) == 1);
    const auto trial = device.prepare(product(dtype, {130, 67, 300}, By::library), {});
    const Check check = trial->verify({});
    CHECK_MESSAGE(check.ok, check.why);
    CHECK(trial->run({}).seconds > 0);
    CHECK(trial->run({}).note == library.name());
#endif
  }
}
