#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <nlohmann/json.hpp>
#include <string_view>

#include "program.hpp"
#include "tests/text.hpp"

using nlohmann::json;
using tests::contains;

namespace {

/// One sweep with every kind of file, shared by the cases below.
struct Measured {
  TemporaryFolder folder;
  Ended ended;
  json session;

  Measured() {
    ended = run(small_sweep({"--dtype", "fp32,fp64", "--fusion", "both", "--max-time", "1s",
                             "--noise", "50%", "-o", folder / "a.json", "--csv", folder / "a.csv",
                             "--plot", folder / "a.png", "--size", "800x600"}));
    session = json::parse(read_file(folder / "a.json"));
  }
};

const Measured& measured() {
  static const Measured once;
  return once;
}

double median_of(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const std::size_t n = values.size();
  return n % 2 == 1 ? values[n / 2] : (values[n / 2 - 1] + values[n / 2]) / 2;
}

/// Big-endian 32 bits of a PNG.
int png_number(const std::string& png, std::size_t at) {
  int value = 0;
  for (std::size_t i = 0; i < 4; ++i) value = value * 256 + static_cast<unsigned char>(png[at + i]);
  return value;
}

}  // namespace

TEST_CASE("a sweep ends with a table of its points and a verdict on standard output") {
  const Ended& ended = measured().ended;
  CHECK(ended.code == 0);
  CHECK(ended.signal == 0);
  const std::string head = ended.out.substr(0, ended.out.find('\n'));
  for (const char* column :
       {"series", "repeat", "FLOP/byte", "time", "FLOP/s", "byte/s", "of roof", "regime"}) {
    CHECK_MESSAGE(head.find(column) != std::string::npos, column, " in ", head);
  }
  // What the regimes are is up to the machine; a headline stands for both ends of each series.
  for (const char* line : {"\nMeasured roofs: DRAM copy ", "\nfp32 fused, repeat 1: ",
                           "\nfp32 fused, repeat 8: ", "\nfp64 unfused, repeat 8: "}) {
    CHECK_MESSAGE(ended.out.find(line) != std::string::npos, line, " in ", ended.out);
  }
  const std::size_t table_end = ended.out.find("\n\n");
  REQUIRE(table_end != std::string::npos);
  CHECK(lines_in(ended.out.substr(0, table_end)) == 8);  // the head, then 8 points but the last \n
  CHECK(ended.err.find("\x1b") == std::string::npos);    // no bar: not a terminal
}

TEST_CASE("the session holds the fields of the contract") {
  const json& session = measured().session;
  CHECK(session.at("format") == "ridgepoint-session");
  CHECK(session.at("version") == 1);
  CHECK(session.at("created").get<std::string>().size() == 20);
  CHECK(session.at("created").get<std::string>().back() == 'Z');
  for (const char* field : {"version", "commit", "compiler", "cuda"}) {
    CHECK(session.at("app").contains(field));
  }
  CHECK(!session.at("host").at("os").get<std::string>().empty());
  CHECK(!session.at("host").at("cpu").get<std::string>().empty());
  CHECK(session.at("device").at("id") == "cpu");
  CHECK(session.at("device").at("kind") == "cpu");
  CHECK(session.at("device").at("multiprocessors").get<int>() >= 1);
  bool copy_roof = false;
  for (const json& roof : session.at("roofs")) {
    CHECK(roof.at("rate").get<double>() > 0);
    CHECK(!roof.at("cite").get<std::string>().empty());
    const bool measured_copy = roof.at("name") == "DRAM copy" && roof.at("source") == "measured";
    if (measured_copy) CHECK(roof.at("kind") == "bandwidth");
    copy_roof = copy_roof || measured_copy;
  }
  CHECK(copy_roof);
}

TEST_CASE("every point's FLOP, bytes and launches follow the formulas, and its times agree") {
  const json& points = measured().session.at("points");
  CHECK(points.size() == 8);
  for (const json& point : points) {
    const double n = point.at("elements").get<double>();
    const double r = point.at("repeat").get<double>();
    const double size = point.at("dtype") == "fp64" ? 8 : 4;
    const bool fused = point.at("fusion") == "fused";
    CAPTURE(point.dump());
    CHECK(point.at("experiment") == "intensity");
    CHECK(point.at("kernel") == "chain");
    CHECK(point.at("op") == "fma");
    CHECK(point.at("units") == "vector");
    CHECK(n == 65536);
    CHECK(point.at("flops").get<double>() == n * r * 2);
    CHECK(point.at("bytes").get<double>() == (fused ? 1 : r) * 2 * n * size);
    CHECK(point.at("launches").get<double>() == (fused ? 1 : r));
    REQUIRE(point.at("status") == "ok");
    CHECK(point.at("why").is_null());
    CHECK(point.at("checked") == true);
    const json& seconds = point.at("seconds");
    const double median = seconds.at("median").get<double>();
    const auto samples = seconds.at("samples").get<std::vector<double>>();
    REQUIRE(!samples.empty());
    if (samples.size() < 6) {
      CHECK(seconds.at("low").is_null());
      CHECK(seconds.at("high").is_null());
    } else {
      CHECK(seconds.at("low").get<double>() > 0);
      CHECK(seconds.at("low").get<double>() <= median);
      CHECK(median <= seconds.at("high").get<double>());
    }
    CHECK(median_of(samples) == doctest::Approx(median).epsilon(1e-9));
    CHECK(point.at("conditions").is_object());
  }
}

TEST_CASE("the CSV has a head and one row per point") {
  const std::string csv = read_file(measured().folder / "a.csv");
  CHECK(lines_in(csv) == 9);
  CHECK(csv.find("repeat") < csv.find('\n'));
}

TEST_CASE("the picture is a PNG of the size asked for") {
  const std::string png = read_file(measured().folder / "a.png");
  REQUIRE(png.size() > 1000);
  CHECK(png.starts_with("\x89PNG\r\n\x1a\n"));
  CHECK(png_number(png, 16) == 800);
  CHECK(png_number(png, 20) == 600);
}

TEST_CASE("plot draws the saved session in every format, panel and theme") {
  const TemporaryFolder folder;
  const std::string session = measured().folder / "a.json";
  for (const auto& [name, begin] : std::vector<std::pair<std::string, std::string>>{
           {"b.png", "\x89PNG"}, {"b.svg", "<?xml"}, {"b.pdf", "%PDF"}}) {
    const Ended ended = run({"plot", session, session, "-o", folder / name, "--panel", "roofline"});
    CHECK(ended.code == 0);
    CHECK(ended.out == "");
    CHECK(read_file(folder / name).starts_with(begin));
  }
  for (const char* panel : {"runtime", "flops", "bandwidth", "levels", "all"}) {
    CHECK(run({"plot", session, "-o", folder / "c.svg", "--panel", panel}).code == 0);
  }
  CHECK(run({"plot", session, "-o", folder / "light.png"}).code == 0);
  CHECK(run({"plot", session, "-o", folder / "dark.png", "--theme", "dark"}).code == 0);
  CHECK(read_file(folder / "light.png") != read_file(folder / "dark.png"));
}

TEST_CASE("plot draws for slides and paper, without caption, background or colour") {
  const TemporaryFolder folder;
  const std::string session = RIDGEPOINT_CLI_TESTS "/three_regimes.json";
  const auto plot = [&](const std::string& file, std::vector<std::string> options) {
    options.insert(options.begin(), {"plot", session, "-o", folder / file});
    const Ended ended = run(options);
    CHECK(ended.code == 0);
    CHECK(ended.err == "");
    return read_file(folder / file);
  };
  const std::string paper = plot("paper.svg", {"--preset", "paper", "--panel", "flops"});
  CHECK(paper.find("width=\"237.6pt\"") != std::string::npos);
  CHECK(plot("again.svg", {"--preset", "paper", "--panel", "flops"}) == paper);
  CHECK(plot("bw.svg", {"--preset", "paper", "--panel", "flops", "--theme", "bw"}) != paper);
  CHECK(paper.find("Ridgepoint") != std::string::npos);
  CHECK(plot("bare.svg", {"--preset", "paper", "--panel", "flops", "--no-caption"})
            .find("Ridgepoint") == std::string::npos);
  const std::string sized =
      plot("sized.svg", {"--preset", "paper", "--panel", "flops", "--size", "400x300"});
  CHECK(sized.find("width=\"400pt\"") != std::string::npos);
  const std::string large = plot("large.png", {"--scale", "2", "--size", "300x200"});
  CHECK(static_cast<unsigned char>(large.at(18)) == 600 / 256);
  CHECK(static_cast<unsigned char>(large.at(19)) == 600 % 256);
  CHECK(large.at(25) == 2);  // colours without alpha
  CHECK(plot("clear.png", {"--transparent", "--size", "300x200"}).at(25) == 6);
}

TEST_CASE("plot says of a panel without points why it is empty, and draws it all the same") {
  const TemporaryFolder folder;
  const Ended ended = run({"plot", RIDGEPOINT_CLI_TESTS "/three_regimes.json", "-o",
                           folder / "levels.svg", "--panel", "levels"});
  CHECK(ended.code == 0);
  CHECK(ended.out == "");
  CHECK(ended.err.find("ridgepoint: Memory levels: No level curve yet.") == 0);
  CHECK(ended.err.find("--lab roofs") != std::string::npos);
  CHECK(read_file(folder / "levels.svg").starts_with("<?xml"));
}

TEST_CASE("plot puts the horizontal axis that is asked for into the picture") {
  const TemporaryFolder folder;
  const std::string session = RIDGEPOINT_CLI_TESTS "/three_regimes.json";
  std::vector<std::string> pictures;
  for (const char* axis : {"repeat", "intensity", "both"}) {
    const std::string file = folder / "a.svg";
    CHECK(run({"plot", session, "-o", file, "--panel", "runtime", "--x-axis", axis}).code == 0);
    pictures.push_back(read_file(file));
  }
  CHECK(pictures[0] != pictures[1]);
  CHECK(pictures[0] != pictures[2]);
  CHECK(run({"plot", session, "-o", folder / "b.svg", "--panel", "runtime"}).code == 0);
  CHECK(read_file(folder / "b.svg") == pictures[0]);
}

TEST_CASE("plot --data writes the numbers beside the picture, and refuses to replace it") {
  const TemporaryFolder folder;
  const std::string session = RIDGEPOINT_CLI_TESTS "/three_regimes.json";
  CHECK(run({"plot", session, "-o", folder / "a.png", "--data"}).code == 0);
  CHECK(read_file(folder / "a.csv")
            .starts_with("panel,kind,name,x_axis,y_axis,x,y,y_low,y_high\r\n"));
  std::filesystem::create_symlink(folder / "b.png", folder / "b.csv");
  CHECK(run({"plot", session, "-o", folder / "b.png"}).code == 0);
  const Ended ended = run({"plot", session, "-o", folder / "b.png", "--data"});
  CHECK(ended.code == 2);
  CHECK(ended.err.find("the same file") != std::string::npos);
}

TEST_CASE("explain says the regimes of a session in words") {
  const Ended ended = run({"explain", RIDGEPOINT_CLI_TESTS "/three_regimes.json"});
  CHECK(ended.code == 0);
  CHECK(ended.err == "");
  for (const char* regime : {"overhead-bound", "bandwidth-bound", "compute-bound"}) {
    const auto found = std::search(
        ended.out.begin(), ended.out.end(), regime, regime + std::string_view(regime).size(),
        [](char a, char b) { return std::tolower(a) == std::tolower(b); });
    CHECK_MESSAGE(found != ended.out.end(), regime, " in ", ended.out);
  }
  CHECK(ended.out.back() == '\n');
}

TEST_CASE("a sweep over zeros is kept and named as such") {
  const TemporaryFolder folder;
  const Ended ended = run(small_sweep({"--data", "zeros", "-o", folder / "zeros.json"}));
  CHECK(ended.code == 0);
  CHECK(ended.out.find("\nfp32 fused zeros ") != std::string::npos);
  const json session = json::parse(read_file(folder / "zeros.json"));
  for (const json& point : session.at("points")) CHECK(point.at("data") == "zeros");
}

TEST_CASE(
    "of two processes that measure into one file one is refused, and one whole session is left") {
  const TemporaryFolder folder;
  const std::vector<std::string> arguments = small_sweep({"-o", folder / "same.json"});
  Program first(Launch{arguments}), second(Launch{arguments});
  const Ended ended[] = {first.finish(), second.finish()};
  CHECK(ended[0].code + ended[1].code == 1);
  const Ended& refused = ended[ended[0].code == 1 ? 0 : 1];
  CHECK(refused.err.find("another ridgepoint") != std::string::npos);
  CHECK(json::parse(read_file(folder / "same.json")).at("points").size() == 2);
  const auto files = std::filesystem::directory_iterator(folder.path());
  CHECK(std::distance(begin(files), end(files)) == 1);  // no temporary file stays
}

TEST_CASE("without Cairo SVG and HTML are drawn, and PNG and PDF are refused at once") {
  const TemporaryFolder folder;
  write_text(folder / "libcairo.so.2", "no library");
  const auto without_cairo = [&](std::vector<std::string> arguments) {
    return run(Launch{std::move(arguments), {{"LD_LIBRARY_PATH", folder.path().string()}}});
  };
  const std::string session = folder / "a.json";
  CHECK(without_cairo(small_sweep({"-o", session, "--plot", folder / "swept.svg"})).code == 0);
  CHECK(without_cairo({"plot", session, "-o", folder / "a.svg"}).code == 0);
  CHECK(without_cairo({"tour", session, "-o", folder / "a.html"}).code == 0);
  for (const char* file : {"swept.svg", "a.svg", "a.html"})
    CHECK_MESSAGE(contains(read_file(folder / file), "</text>"), file);
  const std::string why =
      "ridgepoint: PNG and PDF need Cairo (libcairo.so.2), which is not here; install libcairo2, "
      "or take SVG or HTML, which need no library\n";
  const std::vector<std::vector<std::string>> refused{small_sweep({"--plot", folder / "b.png"}),
                                                      {"plot", session, "-o", folder / "b.pdf"},
                                                      {"tour", "-o", folder / "b.pdf"}};
  for (const std::vector<std::string>& arguments : refused) {
    const Ended ended = without_cairo(arguments);
    CHECK(ended.code == 1);
    CHECK(ended.out == "");
    CHECK(ended.err == why);
  }
}

TEST_CASE("markup in the name of a device is only text in a picture") {
  const TemporaryFolder folder;
  const std::string session = folder / "a.json", picture = folder / "a.svg";
  CHECK(run(small_sweep({"-o", session})).code == 0);
  json edited = json::parse(read_file(session));
  edited["device"]["name"] = "<script>alert(1)</script>";
  write_text(session, edited.dump());
  CHECK(run({"plot", session, "-o", picture}).code == 0);
  const std::string svg = read_file(picture);
  CHECK(contains(svg, "&lt;script&gt;alert(1)&lt;/script&gt;"));
  CHECK_FALSE(contains(svg, "<script"));
}

TEST_CASE("-- ends the options, and - is standard input or output") {
  const TemporaryFolder folder;
  const Ended swept = run(small_sweep({"-o", "-"}));
  CHECK(swept.code == 0);
  CHECK(json::parse(swept.out).at("format") == "ridgepoint-session");
  CHECK_FALSE(std::filesystem::exists("-"));
  const std::string file = folder / "-odd.json";
  write_text(file, swept.out);
  const Ended named = run({"explain", file});
  CHECK(named.code == 0);
  const auto in_folder = [&](const std::vector<std::string>& arguments) {
    return run(Launch{.arguments = arguments, .before_exec = [&] {
                        const int input = open(file.c_str(), O_RDONLY);
                        if (chdir(folder.path().c_str()) != 0 || dup2(input, 0) != 0) _exit(99);
                      }});
  };
  CHECK(in_folder({"explain", "--", "-odd.json"}).out == named.out);
  CHECK(in_folder({"explain", "-"}).out == named.out);
  CHECK(in_folder({"plot", "-o", "a.svg", "--", "-odd.json"}).code == 0);
  CHECK(std::filesystem::exists(folder / "a.svg"));
}
