// The page of each lab, with results that are made up: one line each.
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <vector>

#include "engine/session/session_file.hpp"
#include "kernels/families/conv/conv.hpp"
#include "kernels/families/decode/decode.hpp"
#include "kernels/families/divergence/divergence.hpp"
#include "kernels/families/eager/eager.hpp"
#include "kernels/families/matmul/matmul.hpp"
#include "kernels/families/overlap/overlap.hpp"
#include "kernels/families/pointwise/pointwise.hpp"
#include "kernels/families/steps/steps.hpp"
#include "kernels/families/strided/strided.hpp"
#include "kernels/families/timing/timing.hpp"
#include "kernels/families/transfer/transfer.hpp"
#include "tests/engine/made_results.hpp"
#include "tests/figures/sample_sessions.hpp"
#include "tests/plot/golden.hpp"
#include "ui/figures/figures.hpp"

namespace {

struct Picture {
  std::string_view lab;
  double (*seconds)(engine::Point&);
  double width = 1600, height = 600;
  std::vector<kernels::Kernel> (*kernels)() = nullptr;  ///< null: none are known
};

double at_roofs(engine::Point& point) { return test::at_roofs(point); }

/// Chains of a CPU without native fp16; matrix units for 16 bits and less.
double by_width(engine::Point& point) {
  const kernels::Case& what = point.what;
  const auto width = static_cast<double>(size_of(what.dtype));
  const bool chain = what.family == kernels::Family::chain,
             matrix = what.units == kernels::Units::matrix;
  if (what.family == kernels::Family::matmul && matrix) return 0;
  if (matrix ? width > 2 : chain && (width < 2 || what.dtype == kernels::Dtype::tf32)) return 0;
  const int own = info_of(what.dtype).significand_bits, bits = chain ? own : std::max(own, 24);
  if (!info_of(what.dtype).integer && bits < 53) point.values = {{"error", std::ldexp(3, -bits)}};
  return point.work.flops * std::max(width, chain ? 4 : 1.0) * (matrix ? 1e-13 : 1e-12);
}

/// Operators that take a fifth of the memory's time each, on data in caches, too.
double of_operators(engine::Point& point) {
  const kernels::Case& what = point.what;
  const auto operators = static_cast<double>(kernels::operators_of(what));
  const double launches = what.fusion == kernels::Fusion::fused ? 1 : operators;
  const double memory = 8.0 * static_cast<double>(what.elements) / 2e10;
  const double arithmetic = operators / launches * memory / 5;
  return 1.02 * launches * std::max(point.label.empty() ? memory : 0, arithmetic);
}

/// Memory, or arithmetic at a fifth of the peak.
double by_flops(engine::Point& point) {
  return 1.02 * std::max(point.work.bytes / 2e10, point.work.flops / 5e10);
}

/// Three points of a quiet machine, after the devices were opened and the roofs measured.
double in_phases(engine::Point& point) {
  const auto add = [&](const char* lane, const char* name, double begin, double seconds) {
    point.phases.push_back({lane, name, begin, begin + seconds});
  };
  const std::uint64_t repeat = point.what.repeat;
  const double begin = repeat == 1 ? 1.6 : repeat == 32 ? 2.7 : 3.8;
  if (repeat == 1) add("open devices", "devices", 0, 0.35);
  if (repeat == 1) add("measure roofs", "roofs", 0.35, 1.2);
  add("allocate, fill", "fp32 fused", begin, 0.2);
  add("verify", "fp32 fused", begin + 0.2, 0.35);
  add("warm up", "fp32 fused", begin + 0.55, 0.02);
  add("measure", "fp32 fused", begin + 0.57, 0.2);
  add("look beside runs", "fp32 fused", begin + 0.77, 0.2);
  add("wait", "fp32 fused", begin + 0.97, 0.08);
  return test::at_roofs(point);
}

/// Our kernel between its roofs, a library that is a little faster.
double of_products(engine::Point& point) {
  const bool library = point.what.by == kernels::By::library;
  if (library) point.note = "oneDNN 2.6.3";
  const double work = std::max(point.work.bytes / 2e10, point.work.flops / 2.3e11);
  return 2e-6 + work * (library ? 0.93 : 1.02);
}

/// Whole tiles of ours, a library that trims its tiles.
double by_tiles(engine::Point& point) {
  const kernels::MatmulSize size = kernels::matmul_size(point.what);
  if (point.what.by == kernels::By::library) return of_products(point);
  return 1.02 * 3.7e-5 * static_cast<double>(kernels::matmul_waves(size, 1));
}

/// Masks compute all paths; branches go one way each.
double by_paths(engine::Point& point) {
  const bool masked = point.what.op() == kernels::Op::masked;
  return point.work.flops / 2.3e11 * (masked ? kernels::paths_of(point.what) : 21);
}

/// Contractions as above, all else by the memory.
double of_layer(engine::Point& point) {
  if (point.what.family == kernels::Family::matmul) return of_products(point);
  return 2e-6 + 1.02 * point.work.bytes / 2e10;
}

/// Chains with a backward pass: memory, or arithmetic at half the peak.
double of_chains(engine::Point& point) {
  return 2e-6 + 1.02 * std::max(point.work.bytes / 2e10, point.work.flops / 1.2e11);
}

/// The first choice is the widest tiling; a narrower one is faster, im2col slow. The library's
/// second is its fastest.
double by_algorithm(engine::Point& point) {
  if (point.what.by == kernels::By::library) {
    constexpr std::array speeds{2.1, 3.9, 2.0, 1.6, 0.8, 1.2};
    const auto names = test::convolutions_with_library().back().algorithms;
    const auto at = std::ranges::find(names, kernels::algorithm_of(point.what)) - names.begin();
    const std::size_t which = point.what.shape.empty() ? 0 : static_cast<std::size_t>(at);
    point.note = "oneDNN 2.6.3, " + names[which];
    return point.work.flops / 1e11 / speeds[which];
  }
  const std::string name = point.what.shape.empty() ? "pixels 6x4" : point.label;
  const auto at = static_cast<double>(std::ranges::find(kernels::conv_algorithms, name) -
                                      kernels::conv_algorithms.begin());
  return point.work.flops / 2.2e11 * (1 + 0.1 * std::fabs(at - 3));
}

/// Steps as a server's CPU starts them, and Python 3.
double by_start(engine::Point& point) {
  const auto steps = static_cast<double>(point.what.repeat);
  if (point.what.family == kernels::Family::interpreter)
    return point.what.dtype == kernels::Dtype::fp64 ? 30e-9 * steps : 0;
  switch (kernels::start_of(point.what, "cpu")) {
    case kernels::Start::call:
      return 8e-9 * steps;
    case kernels::Start::loop:
      return 0.6e-6 * steps;
    case kernels::Start::wake:
      return 20e-6 * steps;
    default:
      kernels::note_queue(40e-6, 0.3e-6 * steps, point.values, point.spans);
      return 0.3e-6 * steps;
  }
}

/// Copies of a server's CPU, and pages that Linux clears.
double by_transfer(engine::Point& point) {
  switch (kernels::transfer_of(point.what)) {
    case kernels::Transfer::fresh:
      return 0.3e-6 + point.work.bytes / 2e9;
    case kernels::Transfer::fresh_huge:
      return 100e-6 + point.work.bytes / 7e9;
    default:
      return 10e-9 + point.work.bytes / 15e9;
  }
}

/// A copier and a computer, as two cores have them.
double by_chunks(engine::Point& point) {
  constexpr double copy = 2e-3, compute = 3e-3;
  const std::uint64_t many = kernels::chunks_of(point.what);
  const double share = 1 / static_cast<double>(many);
  double in = 0, computed = 0, out = many == 1 ? 0 : copy;
  for (std::uint64_t chunk = 0; chunk < many; ++chunk) {
    const auto stage = [&](kernels::Stage of, double begin, double seconds) {
      point.spans.push_back(kernels::span_of(of, chunk, begin, begin + seconds));
      return begin + seconds;
    };
    in = stage(kernels::Stage::copy_in, in, share * copy);
    computed = stage(kernels::Stage::compute, std::max(in, computed), share * compute);
    out = stage(kernels::Stage::copy_out, std::max(out, computed), share * copy);
  }
  point.values = kernels::values_of(point.spans);
  return out;
}

/// Four layers of operators that wait for their launches.
double by_form(engine::Point& point) {
  const kernels::Form form = kernels::form_of(point.what);
  const bool graph = form == kernels::Form::graph;
  const double launch = graph ? 0.5e-6 : 3e-6, work = form == kernels::Form::fused ? 4e-6 : 1.5e-6;
  std::vector<kernels::Stretch> host, device;
  double ready = 0;
  for (std::uint64_t part = 0; part < kernels::launches_of(point.what); ++part) {
    const auto number = static_cast<double>(part);
    if (part == 0 || !graph) host.push_back({number * launch, (number + 0.9) * launch});
    const double begin = std::max((number + 1) * launch, ready);
    device.push_back({begin, begin + work});
    ready = begin + work;
  }
  point.spans = kernels::spans_of(point.what, host, device, ready + 1e-6);
  point.values = {
      {std::string(kernels::device_works), kernels::share_of_work(device, ready + 1e-6)}};
  return ready + 1e-6;
}

/// A kernel of 100 us, some of whose samples others disturbed.
double by_way(engine::Point& point) {
  constexpr double truth = 100e-6;
  switch (kernels::way_of(point.what)) {
    case kernels::Way::unfinished:
      return 2e-6;
    case kernels::Way::new_memory:
      return 6 * truth;
    case kernels::Way::after_rest:
      return 3 * truth;
    case kernels::Way::cold:
      return 2.4 * truth;
    default:
      for (int i = 0; i < 200; ++i)
        point.seconds.samples.push_back(truth *
                                        (1 + 0.001 * (i * i % 17) + (i % 29 == 3 ? 0.2 : 0)));
      return truth;
  }
}

/// Fastest with 4 chains; trials are off by some per cent.
double by_chains(engine::Point& point) {
  const double chains = std::stod(point.what.shape.front().value);
  const double off = point.label.starts_with("round 1") ? 1.02 : 1;
  point.work.flops = 1e9;
  return off * 1e-3 * (3 + std::abs(chains - 4));
}

/// A CPU whose unpacking of 4 bits is slower than its memory, and whose arithmetic reaches half.
double by_batch(engine::Point& point) {
  const kernels::DecodeSize size = kernels::decode_size(point.what);
  const double unpacking = size.bits == 4 ? 3e-11 * static_cast<double>(size.weights()) : 0;
  return std::max({point.work.bytes / 1.9e10, point.work.flops / 1.25e11, unpacking});
}

/// A CPU that moves lines of 64 byte, and their neighbours where each word has a line of its own.
double by_stride(engine::Point& point) {
  constexpr double line = 64;
  point.values = kernels::strided_values(point.what, line);
  const double lines = kernels::stride_of(point.what) > 16 ? 1.6 : 1.02;
  const double odd = kernels::offset_of(point.what) % 16 == 0 ? 1 : 1.01;
  return lines * odd * kernels::moved_bytes(point.what, line) / 2e10;
}

// clang-format off
constexpr std::array pictures{
    Picture{"intensity", at_roofs, 1600, 1000},
    Picture{"fma", at_roofs},
    Picture{"hierarchy", at_roofs, 900, 600},
    Picture{"overhead", at_roofs},
    Picture{"launches", by_start},
    Picture{"eager", by_form, 1200, 700},
    Picture{"timing", by_way, 1600, 1000},
    Picture{"autotune", by_chains},
    Picture{"transfers", by_transfer},
    Picture{"overlap", by_chunks},
    Picture{"decode", by_batch},
    Picture{"coalescing", by_stride},
    Picture{"precision", by_width, 1600, 1000},
    Picture{"matmul", of_products, 1600, 1000},
    Picture{"mlp", of_products},
    Picture{"quantization", by_tiles},
    Picture{"divergence", by_paths},
    Picture{"conv", by_algorithm, 1200, 600, test::convolutions_with_library},
    Picture{"where-time-goes", in_phases, 1200, 500},
    Picture{"fusion", of_operators},
    Picture{"operators", by_flops},
    Picture{"bert", of_layer, 1600, 1000},
    Picture{"rematerialize", of_chains},
};
// clang-format on

}  // namespace

TEST_CASE("Each lab draws its page") {
  for (const Picture& picture : pictures) {
    CAPTURE(picture.lab);
    const bool known = picture.kernels != nullptr;
    test::Made made(picture.lab, picture.seconds,
                    known ? picture.kernels() : std::vector<kernels::Kernel>{});
    made.session.device.kind = made.session.device.id = "cpu";  // with kernels, too
    made.session.roofs = {test::bandwidth("DRAM copy", 2e10), test::bandwidth("L1", 2e11),
                          test::bandwidth("L2", 1e11), test::launches(1e-6),
                          test::compute(kernels::Dtype::fp32, kernels::Units::vector, 2.5e11)};
    test::check_golden("lab_" + std::string(picture.lab), ui::page_of({&made.session}, nullptr, {}),
                       picture.width, picture.height, plot::light_style());
  }
}

TEST_CASE("What was watched on an H200 draws its page") {
  const engine::Session session =
      engine::load_session("../../assets/recordings/h200-lab-watch.json");
  test::check_golden("lab_watch", ui::page_of({&session}, nullptr, {}), 1600, 1000,
                     plot::light_style());
}

TEST_CASE("Every lab with charts of its own has a picture") {
  for (const engine::Lab* lab : engine::labs()) {
    CAPTURE(lab->name);
    if (lab->lists_roofs) continue;  // "levels" is its picture
    if (lab->watches) continue;      // below, of a recording
    CHECK(std::ranges::find(pictures, lab->name, &Picture::lab) != pictures.end());
  }
}
