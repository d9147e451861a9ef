// `ridgepoint report-gpu` on made-up folders: good ones, and every way in which one can be bad.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "app/cli/exit_codes.hpp"
#include "app/cli/report_gpu_command.hpp"
#include "app/output/gpu_report.hpp"
#include "app/output/published.hpp"
#include "engine/session/session_file.hpp"
#include "tests/files.hpp"
#include "tests/session/examples.hpp"
#include "tests/text.hpp"

using tests::contains;

namespace {

engine::Roof roof_of(const std::string& name, double rate) {
  engine::Roof roof = examples::roof(name, engine::RoofKind::bandwidth, rate);
  roof.rate_low = 0.99 * rate;
  roof.rate_high = 1.01 * rate;
  roof.best = 1.02 * rate;
  return roof;
}

engine::Session h200(double copy) {
  engine::Session session = examples::session();
  session.device.id = "cuda:0";
  session.device.kind = "cuda";
  session.device.name = "NVIDIA H200";
  session.device.compute_capability = "9.0";
  session.device.multiprocessors = 132;
  session.device.clock_hz = 1.98e9;
  session.device.libraries = {{"NVML", "/usr/lib/libnvidia-ml.so.1"}};
  session.roofs = {roof_of("DRAM copy", copy), roof_of("L1", 33e12)};
  engine::Roof peak = examples::compute_roof(kernels::Dtype::fp32, kernels::Units::vector, 60e12);
  peak.shape = {{"chains", "4"}, {"unroll", "256"}};
  session.roofs.push_back(peak);
  return session;
}

void save(const examples::Folder& folder, const std::string& name, const engine::Session& session) {
  tests::write_text(folder / name, engine::to_json(session));
}

constexpr const char* steps =
    "1\tgpu-tests\tfailed\t12\t230\texit status 1: 2 | 3 <b>wrong</b>\n"
    "2\troofs-cold\tok\t80\t200\t\n"
    "5\tncu\tskipped\t0\t0\tncu does not work here: Profiling is not supported\n"
    "3\tfigures\ttimed out\t120\t120\tit did not end within 120 s\n";

constexpr const char* figures =
    "a line of the program\n"
    "figure\tcudaMemcpy 2 GB\tbyte\t2e9\t5e-4,4e-4,6e-4\n"
    "figure\tevents, nothing between\trun\t1\t0,1.5e-6,0\n"
    "figure\tevents, one empty kernel between\trun\t1\t4e-6\n"
    "figure\tfp32 FMA, chains 8, unroll 256\tFLOP\t3e11\t5e-3,5e-3\t1.98e9\n"
    "figure\tfp32 FMA, chains 4, unroll 256\tFLOP\t3e11\t6e-3,6e-3\n"
    "figure\tshared, in flight 8, blocks per SM 1\tbyte\t3.3e9\t1e-4,1e-4\t1.98e9\n"
    "figure\tshared, in flight 4, blocks per SM 4\tbyte\t3.3e9\t2e-4,2e-4\t1.98e9\n"
    "figure\ttile bf16 on vector units, repeat 64, 8 warps per SM\tFLOP\t1e12\t2e-2\t0\n"
    "skipped\tcudaMemcpy 8 GB\tno memory\n";

void fill(const examples::Folder& folder) {
  tests::write_text(folder / "steps.tsv", steps);
  tests::write_text(folder / "figures.txt", figures);
  tests::write_text(folder / "counters.txt", "case  FLOP  counted\nchain   1.0  ok\n");
  save(folder, "roofs-cold.json", h200(4.0e12));
  save(folder, "roofs-warm.json", h200(4.28e12));
}

/// The exit code with which the program ends for this folder, and the sentence.
std::pair<app::Exit, std::string> refusal(const std::filesystem::path& folder) {
  try {
    app::read_gpu_results(folder);
  } catch (const app::Failure& failure) {
    return {failure.code, failure.what()};
  } catch (const engine::BadInput& problem) {
    return {app::Exit::usage, problem.what()};  // as cli.cpp has it
  }
  return {app::Exit::done, ""};
}

void check_refused(const std::filesystem::path& folder, const std::string& said) {
  const auto [code, sentence] = refusal(folder);
  CHECK(code == app::Exit::usage);
  CHECK_MESSAGE(contains(sentence, said), sentence);
  CHECK_FALSE(contains(sentence, "\n"));
}

}  // namespace

TEST_CASE("the page says what held, what did not and why, with published figures beside ours") {
  const examples::Folder folder;
  fill(folder);
  const std::string page = app::gpu_report(app::read_gpu_results(folder.path()));
  CHECK_MESSAGE(contains(page, "# GPU check: NVIDIA H200"), page);
  CHECK(contains(page, "NVML: /usr/lib/libnvidia-ml.so.1."));
  CHECK(contains(page, "1 of 4 steps held. failed: gpu-tests. timed out: figures. skipped: ncu."));
  CHECK(contains(page, "| 1 | gpu-tests | failed | 12 of 230 s | exit status 1: 2 \\| 3 \\<b>wrong\\</b> |"));
  CHECK(contains(page, "| DRAM copy | 4.28 TB/s | 4.24 TB/s to 4.32 TB/s | 4.37 TB/s | 93 % |"));
  CHECK(contains(page, "| 4.26 TB/s to 4.30 TB/s (gpu-benches) | agrees |"));
  CHECK(contains(page, "| cudaMemcpy 2 GB | 4.00 TB/s | 5.00 TB/s | 500 µs | 3 |"));
  CHECK(contains(page, "| events, nothing between | 0 s |"));
  CHECK(contains(page, "| events, one empty kernel between | 4.00 µs |"));
  CHECK(contains(page, "2 shapes, the fastest first. The search chose number 2 of them, at 83 % of the fastest."));
  CHECK(contains(page, "| fp32 FMA, chains 8, unroll 256 | 60.0 TFLOP/s | 60.0 TFLOP/s | 230 FLOP |"));
  CHECK(contains(page, "| shared, in flight 8, blocks per SM 1 | 33.0 TB/s | 33.0 TB/s | 126 B |"));
  CHECK(contains(page, "2 shapes, the fastest first. The roof was not measured."));
  CHECK(contains(page, "| tile bf16 on vector units, repeat 64, 8 warps per SM | 50.0 TFLOP/s |"));
  CHECK(contains(page, "- cudaMemcpy 8 GB: no memory\n"));
  CHECK(contains(page, "    case  FLOP  counted\n    chain   1.0  ok\n"));
}

TEST_CASE("the page compares our roofs with what other programs reached on the same GPU") {
  const examples::Folder folder;
  tests::write_text(folder / "steps.tsv", "3\tfigures\tok\t1\t40\t\n");
  engine::Session session = h200(4.2e12);
  engine::Roof matrix = examples::compute_roof(kernels::Dtype::bf16, kernels::Units::matrix, 700e12);
  session.roofs.push_back(matrix);
  matrix.name = "bf16 library";
  matrix.rate = 800e12;
  session.roofs.push_back(matrix);
  save(folder, "roofs-warm.json", session);
  const auto page = [&] { return app::gpu_report(app::read_gpu_results(folder.path())); };
  CHECK(contains(page(), "| bf16 matrix | 700 TFLOP/s | cuBLASLt, roof bf16 library | 800 TFLOP/s | 0.875 |"));
  tests::write_text(folder / "figures.txt",
                    "figure\tcudaMemcpy 2 GB\tbyte\t2e9\t5e-4,4e-4,6e-4\n"
                    "figure\tevents, nothing between\trun\t1\t1e-6\n"
                    "figure\tPyTorch 2.9 fp64 matmul 8192\tFLOP\t1e12\t1e-2\n"
                    "figure\tPyTorch 2.9 bf16 matmul 8192\tFLOP\t1e12\t1.25e-3\n");
  CHECK(contains(page(), "| DRAM copy | 4.20 TB/s | cudaMemcpy 2 GB | 4.00 TB/s | 1.050 |"));
  CHECK(contains(page(), "| bf16 matrix | 700 TFLOP/s | PyTorch 2.9 bf16 matmul 8192 | 800 TFLOP/s | 0.875 |"));
  CHECK(contains(page(), "| bf16 library | 800 TFLOP/s | PyTorch 2.9 bf16 matmul 8192 | 800 TFLOP/s | 1.000 |"));
  // Nothing that was not measured here.
  CHECK_FALSE(contains(page(), "| fp64"));
  session.roofs.clear();
  save(folder, "roofs-warm.json", session);
  CHECK_FALSE(contains(page(), "Ours and theirs"));
}

TEST_CASE("a launch is a time: its interval begins with the shorter one, and longer is above") {
  const examples::Folder folder;
  tests::write_text(folder / "steps.tsv", steps);
  engine::Session session = h200(4.2e12);
  engine::Roof launch = examples::roof("launch", engine::RoofKind::overhead, 1 / 4e-6);
  launch.rate_low = 1 / 4.2e-6;
  launch.rate_high = 1 / 3.9e-6;
  launch.best = launch.rate_high;
  session.roofs.push_back(launch);
  save(folder, "roofs-warm.json", session);
  engine::Roof& cold = session.roofs.back();
  cold.rate = cold.rate_low = cold.rate_high = cold.best = 1 / 5e-6;
  save(folder, "roofs-cold.json", session);
  const std::string page = app::gpu_report(app::read_gpu_results(folder.path()));
  CHECK_MESSAGE(contains(page, "| launch | 4.00 µs | 3.90 µs to 4.20 µs | 3.90 µs | 125 % |"), page);
  CHECK(contains(page, "| 2.50 µs (launch overhead by clpeak) | above, 160 % of it |"));
}

TEST_CASE("a library's product is compared with roofs of the units that it runs on") {
  const examples::Folder folder;
  tests::write_text(folder / "steps.tsv", "3\tfigures\tok\t1\t40\t\n");
  engine::Session session = h200(4.2e12);
  for (const kernels::Dtype dtype : {kernels::Dtype::fp64, kernels::Dtype::fp16, kernels::Dtype::fp32}) {
    const bool has_matrix_units = dtype != kernels::Dtype::fp32;
    for (const kernels::Units units : {kernels::Units::vector, kernels::Units::matrix}) {
      if (units == kernels::Units::vector || has_matrix_units)
        session.roofs.push_back(examples::compute_roof(dtype, units, 60e12));
    }
    engine::Roof library = session.roofs.back();
    library.name = std::string(name_of(dtype)) + " library";
    session.roofs.push_back(library);
  }
  save(folder, "roofs-warm.json", session);
  tests::write_text(folder / "figures.txt",
                    "figure\tPyTorch 2.9 fp64 matmul 8192\tFLOP\t1e12\t1e-2\n"
                    "figure\tPyTorch 2.9 fp32 matmul 8192\tFLOP\t1e12\t1e-2\n");
  const std::string page = app::gpu_report(app::read_gpu_results(folder.path()));
  for (const char* const row :
       {"| fp64 matrix | 60.0 TFLOP/s | cuBLASLt, roof fp64 library |",
        "| fp16 matrix | 60.0 TFLOP/s | cuBLASLt, roof fp16 library |",
        "| fp32 FMA | 60.0 TFLOP/s | cuBLASLt, roof fp32 library |",
        "| fp64 matrix | 60.0 TFLOP/s | PyTorch 2.9 fp64 matmul 8192 |",
        "| fp32 FMA | 60.0 TFLOP/s | PyTorch 2.9 fp32 matmul 8192 |"})
    CHECK_MESSAGE(contains(page, row), row);
  for (const char* const row : {"| fp64 FMA | 60.0 TFLOP/s | cuBLASLt", "| fp16 FMA | 60.0 TFLOP/s | cuBLASLt",
                                "| fp64 FMA | 60.0 TFLOP/s | PyTorch"})
    CHECK_FALSE_MESSAGE(contains(page, row), row);
}

TEST_CASE("a roof that misses what was published is named with its share") {
  const auto words = [](double copy) {
    const examples::Folder folder;
    tests::write_text(folder / "steps.tsv", steps);
    save(folder, "roofs-warm.json", h200(copy));
    return app::gpu_report(app::read_gpu_results(folder.path()));
  };
  CHECK(contains(words(2.13e12), "| below, 50 % of it |"));
  CHECK(contains(words(8.6e12), "| above, 200 % of it |"));
}

TEST_CASE("published figures belong to one GPU: not to a slice of it, nor to one with a longer name") {
  const engine::Session session = h200(4.28e12);
  kernels::DeviceInfo device = session.device;
  CHECK(app::published_for(device, session.roofs[0])->low == 4.26e12);
  // 128 byte per clock and SM.
  CHECK(app::published_for(device, session.roofs[1])->high == doctest::Approx(128 * 132 * 1.98e9));
  for (const char* const name : {"NVIDIA H200 MIG 3g.71gb", "NVIDIA GH200 480GB", "NVIDIA H20"}) {
    device.name = name;
    CHECK_FALSE(app::published_for(device, session.roofs[0]).has_value());
  }
  device.name = "NVIDIA A100-SXM4-40GB";
  CHECK(app::published_for(device, session.roofs[0])->low == 1.37e12);
  device.name = "NVIDIA A100-SXM4-80GB";
  CHECK_FALSE(app::published_for(device, session.roofs[0]).has_value());
}

TEST_CASE("every published figure is in the tables of docs/lab-notes.md") {
  std::istringstream lines(tests::read_file(RIDGEPOINT_SOURCE_DIR "/docs/lab-notes.md"));
  std::vector<std::string> table;
  for (std::string line; std::getline(lines, line);)
    if (line.starts_with("| ")) table.push_back(line);
  for (const app::PublishedRow& row : app::published_rows()) {
    const double unit = row.is == app::PublishedRow::Is::rate      ? 1e12
                        : row.is == app::PublishedRow::Is::seconds ? 1e-6
                                                                   : 1;
    const std::string gpu(row.gpu), low = fmt::format("{:g}", row.low / unit),
                                    high = fmt::format("{:g}", row.high / unit);
    CAPTURE(gpu);
    CAPTURE(low);
    CAPTURE(high);
    CHECK(std::ranges::any_of(table, [&](const std::string& line) {
      return line.starts_with("| " + gpu) && contains(line, low) && contains(line, high);
    }));
  }
}

TEST_CASE("without sessions and figures the page still says what each step came to") {
  const examples::Folder folder;
  tests::write_text(folder / "steps.tsv", "1\tdevices\tok\t1\t40\t\n");
  const std::string page = app::gpu_report(app::read_gpu_results(folder.path()));
  CHECK(contains(page, "No session was measured."));
  CHECK(contains(page, "1 of 1 steps held."));
  CHECK(contains(page, "No roofs were measured."));
}

TEST_CASE("a step that crashed before it measured anything leaves an empty file, and still there is a page") {
  const examples::Folder folder;
  fill(folder);
  tests::write_text(folder / "steps.tsv", "3\tfigures\tfailed\t2\t40\texit status 139\n");
  for (const char* const name : {"figures.txt", "nvbandwidth.txt", "torch.txt", "counters.txt"})
    tests::write_text(folder / name, "");
  const std::string page = app::gpu_report(app::read_gpu_results(folder.path()));
  CHECK(contains(page, "| 3 | figures | failed | 2 of 40 s | exit status 139 |"));
  CHECK(contains(page, "| DRAM copy | 4.28 TB/s |"));
  CHECK_FALSE(contains(page, "Copies, events"));
}

TEST_CASE("a folder that is none, empty, half-written or of two devices is refused in one sentence") {
  const examples::Folder folder;
  check_refused(folder / "nowhere", "nowhere' is no folder");
  check_refused(folder.path(), "holds no steps.tsv");
  tests::write_text(folder / "steps.tsv", "");
  check_refused(folder.path(), "steps.tsv is empty: expected a line for each step");
  tests::write_text(folder / "steps.tsv", "1\tdevices\tok\t1\t40\t\n2\troofs-co");
  check_refused(folder.path(), "steps.tsv:2: expected part, step, outcome");
  tests::write_text(folder / "steps.tsv", "1\tdevices\tperhaps\t1\t40\t\n");
  check_refused(folder.path(), "steps.tsv:1: expected part");
  fill(folder);
  for (const char* const bad : {"figure\tx\tbyte\t1", "figure\tx\tbyte\t1\t1,nan", "figure\tx\tbyte\tmany\t1",
                                "figure\tx\tbyte\t1\t-1", "figure\tx\tbyte\t1\t", "figure\tx\tbyte\t1\t1\t-1",
                                "figure\tx\tbyte\t1\t1\t1\t1"}) {
    tests::write_text(folder / "figures.txt", bad);
    check_refused(folder.path(), "figures.txt:1: expected \"figure\", name");
  }
  fill(folder);
  tests::write_text(folder / "sweep.json", engine::to_json(h200(4e12)).substr(0, 500));
  check_refused(folder.path(), "sweep.json");
  engine::Session other = h200(4e12);
  other.device.name = "NVIDIA H100 80GB HBM3";
  save(folder, "sweep.json", other);
  check_refused(folder.path(), "sweep.json was measured on NVIDIA H100 80GB HBM3");
  other.device.kind = other.device.id = "cpu";
  save(folder, "sweep.json", other);
  check_refused(folder.path(), "expected a GPU");
}

TEST_CASE("the page goes to a file where one is named") {
  const examples::Folder folder;
  fill(folder);
  app::Output output;
  const std::string file = (folder / "page.md").string();
  CHECK(app::report_gpu_command({folder.path().string(), file}, output) == app::Exit::done);
  CHECK(tests::read_file(file).starts_with("# GPU check: NVIDIA H200\n"));
}
