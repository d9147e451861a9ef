// The lab `decode` from end to end on an emulated GPU, whose kernels take as long as their bytes.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstring>
#include <optional>
#include <string>

#include "engine/verdict/predict.hpp"
#include "kernels/cuda/trials/tables.hpp"
#include "kernels/families/decode/decode.hpp"
#include "kernels/families/decode/decode_arguments.hpp"
#include "tests/cuda/lab_run.hpp"
#include "tests/text.hpp"

using namespace kernels;
using tests::contains;
using tests::LabRun;

namespace {

/// Of a block at 1 GB/s.
std::optional<double> seconds_of_decode(const void* function, const void* arguments,
                                        std::uint64_t blocks) {
  for (const cuda::DecodeKernel& kernel : cuda::decode_kernels()) {
    if (kernel.function != function) continue;
    cuda::DecodeArguments all;
    std::memcpy(&all, arguments, sizeof(all));
    const std::uint64_t rows = std::min(blocks * cuda::decode_block_rows, all.rows - all.first);
    return static_cast<double>(rows * all.columns) * kernel.bits / 8 / 1e9;
  }
  return std::nullopt;
}

}  // namespace

TEST_CASE(
    "decode on a GPU: every width is measured and verified, and 4 bits make 4 tokens of one") {
  LabRun run("decode", "batches", "1,4", seconds_of_decode);
  run.spec.more["packed-mebibytes"] = "1";
  const engine::Session session = run.session();
  REQUIRE(session.points.size() == 3 * 2);
  for (const engine::Point& one : session.points) {
    CAPTURE(one.id);
    CHECK(one.status == engine::Status::ok);
    CHECK(one.checked);
    CHECK(contains(one.note, "a warp for four rows"));
  }
  const engine::LabVerdict verdict = run.verdict(session);
  const auto narrow = std::ranges::find_if(verdict.rows, [](const engine::VerdictRow& row) {
    return contains(row.what, "4 bits, batch 1");
  });
  REQUIRE(narrow != verdict.rows.end());
  CHECK(narrow->here->median == doctest::Approx(4).epsilon(0.05));
  CHECK(narrow->says == engine::Says::holds);
}
