#include <doctest/doctest.h>

#include <algorithm>

#include "kernels/families/family.hpp"
#include "kernels/families/matmul/matmul.hpp"
#include "tests/figures/sample_sessions.hpp"
#include "tests/text.hpp"
#include "ui/figures/figures.hpp"

using tests::contains;
using ui::page_of;

namespace {

std::string caption_of(const plot::Page& page) {
  std::string text;
  for (const std::string& line : page.caption) text += line + "\n";
  return text;
}

}  // namespace

TEST_CASE("A page holds one panel or all four") {
  const engine::Session session = test::cpu_session();
  CHECK(page_of({&session}, {}, {}).figures.size() == 4);
  const plot::Page one = page_of({&session}, &test::chart("bandwidth"), {});
  REQUIRE(one.figures.size() == 1);
  CHECK(one.figures[0].title == "Achieved bandwidth");
}

TEST_CASE("The caption says what was measured, on what, when and how well") {
  engine::Session session = test::cpu_session();
  session.points[0].stop = engine::Stop::time_limit;
  session.points[1].conditions.temperature_c = 48;
  session.points[2].conditions.temperature_c = 52;
  session.points.push_back(test::skipped_point("too slow"));
  const plot::Page page = page_of({&session}, {}, {});
  CHECK(page.title == "AMD EPYC 9B14: chain fma in fp32 and bf16");
  const std::string caption = caption_of(page);
  for (const char* part :
       {"AMD EPYC 9B14", "Linux 6.1.0", "AVX-512", "2 threads", "3.70\u00a0GHz",
        "2026-11-21 10:00 UTC", "Ridgepoint 0.1.0 (abc1234)", "fp32 64 Mi elements",
        "bf16 128 Mi elements", "within \u00b18.0\u00a0%", "1 missed the noise goal",
        "1 skipped or failed", "48\u201352\u00a0\u00b0C"}) {
    CAPTURE(part);
    CHECK(contains(caption, part));
  }
}

TEST_CASE(
    "A chart of a session with several labs has its lab in the title, and no points of others "
    "below") {
  engine::Session session = test::cpu_session();
  engine::Point product;
  product.lab = "matmul";
  product.what = kernels::matmul_case(kernels::Dtype::fp64, kernels::Units::vector, {64, 64, 64},
                                      kernels::Data::random);
  product.work = kernels::work_of(product.what);
  product.seconds = {1e-3, {}, {}, {1e-3}, {}};
  product.conditions.temperature_c = 77;
  session.points.push_back(product);
  const plot::Page matmul = page_of({&session}, &test::chart("matmul"), {});
  CHECK(matmul.title == "AMD EPYC 9B14: Matrix product");
  CHECK(contains(caption_of(matmul), "77\u00a0\u00b0C"));
  CHECK_FALSE(contains(caption_of(matmul), "bf16 128 Mi elements"));
  const plot::Page sweep = page_of({&session}, &test::chart("roofline"), {});
  CHECK(sweep.title == "AMD EPYC 9B14: Intensity");
  CHECK_FALSE(contains(caption_of(sweep), "77\u00a0\u00b0C"));
  CHECK(page_of({&session}, {}, {}).title == "AMD EPYC 9B14: Intensity and Matrix product");
}

TEST_CASE("A GPU's caption names its driver, compute capability and multiprocessors") {
  const engine::Session session = test::gpu_session();
  const std::string caption = caption_of(page_of({&session}, {}, {}));
  CHECK(contains(caption, "CUDA driver 580.65"));
  CHECK(contains(caption, "compute capability 9.0"));
  CHECK(contains(caption, "132 SMs"));
}

TEST_CASE("What is unknown is left out of the caption") {
  engine::Session session;
  session.device.name = "a device";
  const plot::Page page = page_of({&session}, {}, {});
  CHECK(caption_of(page) == "a device\n");
  CHECK(page.title == "a device");
}

TEST_CASE("A page of roofs alone asks for no points") {
  const engine::Session session = test::roofs_session();
  const plot::Page page = page_of({&session}, {}, {});
  REQUIRE(page.figures.size() == 2);
  CHECK(page.figures[0].empty_text.empty());
}

TEST_CASE("Sessions of one device and day share the line of a small page") {
  const engine::Session gpu = test::gpu_session(), cpu = test::cpu_session();
  const plot::Page page = page_of({&cpu, &gpu, &cpu}, {}, {});
  REQUIRE(page.brief_caption.size() == 3);
  CHECK(contains(page.brief_caption[0], "AMD EPYC 9B14"));
  CHECK(contains(page.brief_caption[1], "NVIDIA H200"));
  // A small picture has no room for the names of all roofs that it draws.
  CHECK(page.brief_caption[2].starts_with("Roofs: "));
  CHECK(contains(page.brief_caption[2], "DRAM\u00a0copy\u00a04.30\u00a0TB/s"));
}

TEST_CASE("A page of several sessions captions each") {
  const engine::Session gpu = test::gpu_session(), cpu = test::cpu_session();
  const plot::Page page = page_of({&gpu, &cpu}, &test::chart("roofline"), {});
  CHECK(page.title == "NVIDIA H200 and AMD EPYC 9B14: chain fma and tile in fp32 and bf16");
  CHECK(contains(caption_of(page), "132 SMs"));
  CHECK(contains(caption_of(page), "2 threads"));
}

TEST_CASE("A page without sessions is a page that says so") {
  const plot::Page page = page_of({}, {}, {});
  REQUIRE(page.figures.size() == 4);
  CHECK_FALSE(page.figures[0].empty_text.empty());
}
