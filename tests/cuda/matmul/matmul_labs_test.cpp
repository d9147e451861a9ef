// The labs of matrix products from end to end, on an emulated GPU of two multiprocessors with
// made-up times: a round of tiles takes as long whether one or two multiprocessors have a tile.
#include <doctest/doctest.h>

#include <algorithm>
#include <optional>
#include <string>

#include "engine/labs/lab.hpp"
#include "engine/labs/parts/bert_layer.hpp"
#include "kernels/cuda/matmul/matmul_tables.hpp"
#include "kernels/families/matmul/matmul.hpp"
#include "tests/cuda/fakes/libraries/fake_cublaslt.hpp"
#include "tests/cuda/lab_run.hpp"
#include "tests/text.hpp"

using namespace kernels;

namespace {

constexpr double round_seconds = 200e-6;

std::optional<double> seconds_of_product(const void* function, const void*, std::uint64_t blocks) {
  static const auto vector = cuda::matmul_vector_kernels();
  static const auto matrix = cuda::matmul_matrix_kernels();
  const auto has = [&](const auto& kernels) {
    return std::ranges::find(kernels, function, &cuda::MatmulKernel::function) != kernels.end();
  };
  if (!has(vector) && !has(matrix)) return std::nullopt;
  return static_cast<double>((blocks + 1) / 2) * round_seconds;
}

/// The library is there.
struct ProductRun : tests::LabRun {
  ProductRun(std::string_view lab, std::string_view knob, std::string_view text)
      : tests::LabRun(lab, knob, text, seconds_of_product) {
    fake_cublaslt::install();
  }
};

int measured(const engine::Session& session, By by) {
  return static_cast<int>(std::ranges::count_if(session.points, [&](const engine::Point& point) {
    return point.status == engine::Status::ok && point.what.family == Family::matmul &&
           point.what.by == by;
  }));
}

}  // namespace

TEST_CASE("quantization on a GPU predicts the rounds of its tiles on its multiprocessors") {
  ProductRun run("quantization", "tiles", "1,2,3");
  run.spec.more["depth"] = "16";
  const engine::Session session = run.session();
  CHECK(session.device.product_tile == 128);
  CHECK(measured(session, By::own) == 7);
  CHECK(measured(session, By::library) == 7);
  const engine::LabVerdict verdict = run.verdict(session);
  CHECK(verdict.says == engine::Says::holds);
  REQUIRE(verdict.rows.size() == 2);
  CHECK(verdict.rows[0].what == "128 to 129 rows: 1 to 2 waves");
  CHECK(verdict.rows[1].what == "256 to 257 rows: 2 to 5 waves");
}

TEST_CASE("matmul and mlp on a GPU measure our kernel and the library's") {
  const ProductRun squares("matmul", "sizes", "16,130");
  const engine::Session products = squares.session();
  // In bf16 on matrix units, the larger one with bias and relu again; in fp32, and in bf16 on
  // vector units, where the library does not multiply it.
  CHECK(measured(products, By::own) == 3 + 4);
  CHECK(measured(products, By::library) == 3 + 2);
  const ProductRun layer("mlp", "width", "32");
  const engine::Session batches = layer.session();
  CHECK(measured(batches, By::own) == 8);  // 1 to 128 rows
  CHECK(measured(batches, By::library) == 8);
  // The library takes 20 us, our kernel a round of tiles.
  const engine::LabVerdict verdict = layer.verdict(batches);
  REQUIRE(!verdict.rows.empty());
  CHECK(tests::contains(verdict.rows[0].what, "one row (cuBLASLt 13.1.0)"));
}

TEST_CASE("bert on a GPU measures every operator of a layer, and products by the library, too") {
  for (const bool fused : {false, true}) {
    CAPTURE(fused);
    ProductRun run("bert", "fused", fused ? "on" : "off");
    fake_cuda::state().memory_bytes = 256 << 20;
    run.spec.max_time = 1;
    run.spec.more["model"] = "base";  // large takes twice as long
    run.spec.more["batch"] = "1";
    run.spec.more["sequence"] = "64";
    run.spec.more["pass"] = fused ? "both" : "forward";
    const engine::Session session = run.session();
    const engine::bert::Layer layer{.width = 768,
                                    .backward = fused,
                                    .fused = fused,
                                    .dtype = Dtype::bf16,
                                    .units = Units::matrix};
    const auto operators = engine::bert::operators_of(layer);
    const auto products = std::ranges::count_if(operators, [](const engine::bert::Operator& one) {
      return one.what.family == Family::matmul;
    });
    // In bf16 ours multiplies where k lies side by side.
    const auto across = std::ranges::count_if(operators, [](const engine::bert::Operator& one) {
      const MatmulSize size = matmul_size(one.what);
      return one.what.family == Family::matmul && !size.is_plain() &&
             size.transposed != Transposed::b;
    });
    CHECK(across > 0);
    CHECK(measured(session, By::own) == products - across);
    CHECK(measured(session, By::library) == products);
    const engine::Results results = engine::results_of(run.spec.lab, session);
    const auto account = engine::bert::account_of(session, results.points, layer, By::library);
    CHECK(account.missing == 0);
    CHECK(account.points.size() == operators.size());
    const std::string headline = run.verdict(session).headline;
    CAPTURE(headline);
    CHECK(tests::contains(headline, "Matrix products by the library do"));
  }
}

TEST_CASE("precision on a GPU multiplies matrices on both units, and tells the error of each") {
  ProductRun run("precision", "matrix", "48");
  run.spec.elements = std::uint64_t{1} << 16;
  const engine::Session session = run.session();
  CHECK(measured(session, By::own) == 6 + 5);
  for (const engine::Point& point : session.points) {
    if (point.what.family != Family::matmul) continue;
    CAPTURE(describe(point.what));
    if (point.status != engine::Status::ok) {
      CHECK(point.why != "");
      continue;
    }
    // Sums of so few products of short numbers are exact.
    const bool error = std::ranges::find(point.values, "error", &Value::name) != point.values.end();
    CHECK((error || size_of(point.what.dtype) < 4));
  }
}
