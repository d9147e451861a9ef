#include <doctest/doctest.h>
#include <fcntl.h>
#include <unistd.h>

#include "program.hpp"

namespace {

struct BadUsage {
  std::vector<std::string> arguments;
  std::string said;  ///< part of the sentence
};

void check_refused(const BadUsage& bad) {
  std::string typed;
  for (const std::string& argument : bad.arguments) typed += " " + argument;
  CAPTURE(typed);
  const Ended ended = run(bad.arguments);
  CHECK(ended.code == 2);
  CHECK(ended.out == "");
  CHECK(ended.err.starts_with("ridgepoint: "));
  CHECK(lines_in(ended.err) == 1);
  CHECK_MESSAGE(ended.err.find(bad.said) != std::string::npos, ended.err);
}

}  // namespace

TEST_CASE("help of the program and of every command goes to standard output and ends well") {
  const std::vector<std::pair<std::vector<std::string>, std::string>> helps{
      {{"--help"}, "sweep"},
      {{"sweep", "--help"}, "--max-time"},
      {{"plot", "--help"}, "--panel"},
      {{"explain", "--help"}, "SESSION.json"},
      {{"compare", "--help"}, "A.json [B.json]"},
      {{"devices", "--help"}, "--json"}};
  for (const auto& [arguments, word] : helps) {
    const Ended ended = run(arguments);
    CHECK(ended.code == 0);
    CHECK(ended.err == "");
    CHECK_MESSAGE(ended.out.find(word) != std::string::npos, ended.out);
  }
  CHECK(run({"sweep", "--help"}).out.find("\"event\": \"point\"") != std::string::npos);
}

TEST_CASE("the version names the program, a number and the compiler, then the license") {
  const Ended ended = run({"--version"});
  CHECK(ended.code == 0);
  CHECK(ended.out.starts_with("ridgepoint 0."));
  CHECK(ended.out.ends_with(")\nMIT License, the Ridgepoint authors\n"));
  CHECK(lines_in(ended.out) == 2);
}

TEST_CASE("sweep --list names every experiment with a sentence and measures nothing") {
  const Ended ended = run({"sweep", "--list"});
  CHECK(ended.code == 0);
  CHECK(ended.out.starts_with("intensity"));
  CHECK(ended.out.find("\nroofs") != std::string::npos);
}

TEST_CASE("what is no command, file or option is named, with the nearest one that is") {
  for (const BadUsage& bad : std::vector<BadUsage>{
           {{"swep"}, "did you mean 'sweep'"},
           {{"frobnicate"}, "'frobnicate' is neither a command nor a session file"},
           {{"missing.json"}, "missing.json"},
           {{"sweep", "--dtpye", "fp32"}, "did you mean '--dtype'"},
           {{"sweep", "--wibble"}, "there is no option '--wibble'"},
           {{"plot", "--lab", "fma"}, "choose a chart with --panel"},
           {{"sweep", "extra"}, "'extra' was not expected"},
           {{"--wibble"}, "there is no option '--wibble'"},
           {{"none.json", "sweep"}, "'none.json' before the command 'sweep'"}}) {
    check_refused(bad);
  }
}

TEST_CASE("a bad value of a sweep's option is refused with what was expected") {
  for (const BadUsage& bad :
       std::vector<BadUsage>{{{"sweep", "--device", "tpu"}, "cpu or cuda:N"},
                             {{"sweep", "--device", "cuda:x"}, "cpu or cuda:N"},
                             {{"sweep", "--device", ""}, "cpu or cuda:N"},
                             {{"sweep", "--dtype", "fp33"}, "fp32"},
                             {{"sweep", "--dtype", "fp32,,fp64"}, "--dtype"},
                             {{"sweep", "--op", "div"}, "mul, add, fma or sqrt"},
                             {{"sweep", "--kernel", "stream"}, "chain or tile"},
                             {{"sweep", "--experiment", "all"}, "intensity"},
                             {{"sweep", "--fusion", "half"}, "fused"},
                             {{"sweep", "--units", "tensor"}, "matrix"},
                             {{"sweep", "--repeat", "0"}, "4096"},
                             {{"sweep", "--repeat", "-1"}, "4096"},
                             {{"sweep", "--repeat=-1"}, "4096"},
                             {{"sweep", "--repeat", "many"}, "many"},
                             {{"sweep", "--repeat", "1e3"}, "1e3"},
                             {{"sweep", "--repeat", "1000000000000"}, "4096"},
                             {{"sweep", "--repeat", "99999999999999999999999"}, "4096"},
                             {{"sweep", "--repeat", "1:1024:x1"}, "1:1024:x1"},
                             {{"sweep", "--repeat", "8:1:x2"}, "8:1:x2"},
                             {{"sweep", "--elements", "0"}, "--elements"},
                             {{"sweep", "--elements", "-5"}, "--elements"},
                             {{"sweep", "--elements", "64Qi"}, "64Qi"},
                             {{"sweep", "--elements", "1.5"}, "whole number"},
                             {{"sweep", "--max-time", "0"}, "above 0"},
                             {{"sweep", "--max-time", "-1s"}, "above 0"},
                             {{"sweep", "--max-time", "inf"}, "above 0"},
                             {{"sweep", "--max-time", "soon"}, "soon"},
                             {{"sweep", "--noise", "0"}, "--noise"},
                             {{"sweep", "--noise", "nan"}, "--noise"},
                             {{"sweep", "--noise", "200%"}, "--noise"},
                             {{"sweep", "--kernel", "tile", "--op", "mul"}, "--op mul"},
                             {{"sweep", "--kernel", "chain", "--units", "matrix"}, "--units"},
                             {{"sweep", "--repeat"}, "--repeat needs a value"},
                             {{"sweep", "--repeat", "1", "--repeat", "2"}, "more than once"},
                             {{"sweep", "--output", ""}, "--output"},
                             {{"sweep", "--plot", "picture.gif"}, ".png, .svg, .pdf or .html"},
                             {{"sweep", "--plot", "a.html", "--scale", "2"}, "a page of HTML"},
                             {{"sweep", "--plot", "a.png", "--theme", "dim"}, "light, dark or bw"},
                             {{"sweep", "--plot", "a.png", "--size", "big"}, "WIDTHxHEIGHT"},
                             {{"sweep", "--remeasure"}, "--lab roofs"},
                             {{"sweep", "--data", "ones"}, "--data"},
                             {{"sweep", "--experiment", "roofs", "--dtype", "bf16"},
                              "--dtype has no effect with --lab roofs"},
                             {{"sweep", "--repeat", "1", "--experiment", "roofs"},
                              "only --device, --data, --noise, --max-time and --time"},
                             {{"sweep", "-o", "same", "--csv", "same"}, "the same file"},
                             {{"sweep", "--stream", "-o", "/dev/stdout"}, "--stream"}}) {
    check_refused(bad);
  }
}

TEST_CASE("more elements than memory holds are refused before anything is measured") {
  check_refused({{"sweep", "--device", "cpu", "--elements", "100G"}, "--elements"});
  check_refused({{"sweep", "--device", "cpu", "--elements", "9007199254740991"}, "--elements"});
}

TEST_CASE("plot, explain and devices say what they miss") {
  for (const BadUsage& bad : std::vector<BadUsage>{
           {{"plot"}, "SESSION.json"},
           {{"plot", "none.json"}, "--output"},
           {{"plot", "none.json", "-o", "picture"}, ".png, .svg, .pdf or .html"},
           {{"plot", "none.json", "-o", "a.jpeg"}, ".png, .svg, .pdf or .html"},
           {{"plot", "none.json", "-o", "a.png", "--size", "0x0"}, "from 200 to 16384"},
           {{"plot", "none.json", "-o", "a.png", "--size", "1600"}, "from 200 to 16384"},
           {{"plot", "none.json", "-o", "a.png", "--size", "99999x1000"}, "from 200 to 16384"},
           {{"plot", "none.json", "-o", "a.png", "--size", "-800x600"}, "from 200 to 16384"},
           {{"plot", "none.json", "-o", "a.png", "--panel", "roof"}, "roofline"},
           {{"plot", "none.json", "-o", "a.png", "--theme", "drak"}, "did you mean 'dark'"},
           {{"plot", "none.json", "-o", "a.png", "--preset", "slides"}, "did you mean 'slide'"},
           {{"plot", "none.json", "-o", "a.png", "--scale", "7"}, "from 1 to 4"},
           {{"plot", "none.json", "-o", "a.svg", "--scale", "2"}, "expected a .png"},
           {{"plot", "none.json", "-o", "a.html", "--scale", "2"}, "no effect on a page of HTML"},
           {{"plot", "none.json", "-o", "a.png", "--transparant"}, "did you mean '--transparent'"},
           {{"plot", "none.json", "-o", "a.png"}, "none.json"},
           {{"explain"}, "SESSION.json"},
           {{"explain", "none.json", "b.json"}, "'b.json' was not expected"},
           {{"explain", "nowhere.json"}, "nowhere.json"},
           {{"devices", "--yaml"}, "there is no option '--yaml'"},
           {{"devices", "cpu"}, "'cpu' was not expected"}}) {
    check_refused(bad);
  }
}

TEST_CASE("a replay says what it misses") {
  const TemporaryFolder folder;
  write_text(
      folder / "a.json",
      R"({"format":"ridgepoint-session","version":1,"app":{},"created":"2026-01-01T00:00:00Z",)"
      R"("host":{},"device":{"id":"cpu","kind":"cpu","name":"x"},"roofs":[],"points":[]})");
  for (const BadUsage& bad : std::vector<BadUsage>{
           {{"--replay"}, "SESSION.json"},
           {{"--replay", "nowhere.json"}, "nowhere.json"},
           {{"--replay", folder / "a.json", "--speed", "0"},
            "--speed 0: expected a number above 0"},
           {{"--replay", folder / "a.json", "--speed", "fast"}, "expected a number above 0"},
           {{"--speed", "2"}, "--speed without --replay"},
           {{"--replay", folder / "a.json", "devices"}, "without a command"}}) {
    check_refused(bad);
  }
}

TEST_CASE("without a display the program says so and names the headless command") {
  const TemporaryFolder folder;
  const Ended ended = run({{},
                           {{"DISPLAY", std::nullopt},
                            {"WAYLAND_DISPLAY", std::nullopt},
                            {"XDG_CONFIG_HOME", folder.path().string()}}});
  CHECK(ended.code == 1);
  CHECK(ended.out == "");
  CHECK(lines_in(ended.err) == 1);
  CHECK(ended.err.find("ridgepoint sweep") != std::string::npos);
}

TEST_CASE("whatever is echoed holds no character that a terminal obeys") {
  const std::string evil = "\x1b[2J\u009b\u202e\xff\n.json";
  const std::string shown = "\\x1b[2J\\x9b\\u202e\\xff\\x0a.json";
  for (const std::vector<std::string>& arguments :
       std::vector<std::vector<std::string>>{{evil},
                                             {"explain", evil},
                                             {"explain", "a", evil},
                                             {"plot", evil, "-o", "a.png"},
                                             {"sweep", "--" + evil},
                                             {"sweep", "--csv", "none/" + evil},
                                             {"plot", "a", "-o", "a.png", "--panel", evil}}) {
    const Ended ended = run(arguments);
    CHECK(ended.code != 0);
    CHECK(lines_in(ended.err) == 1);
    CHECK_MESSAGE(ended.err.find(shown) != std::string::npos, ended.err);
  }
}

TEST_CASE("a chain of no, too many or unknown operators is bad usage") {
  std::string many = "cos";
  for (int i = 1; i < 10'000; ++i) many += ",cos";
  for (const std::string& chain : {std::string(), std::string("cos,sinus"), many})
    check_refused({{"sweep", "--lab", "fusion", "--chain", chain}, "expected 1 to 16 operators"});
  check_refused({{"sweep", "--lab", "fusion", "--length", "17"}, "--length"});
}

TEST_CASE("messages that nobody can read change neither the exit code nor what is written") {
  const auto with_full_stderr = [](std::vector<std::string> arguments) {
    return run(Launch{.arguments = std::move(arguments), .before_exec = [] {
                        const int full = open("/dev/full", O_WRONLY);
                        if (full < 0 || dup2(full, 2) != 2) _exit(99);
                      }});
  };
  CHECK(with_full_stderr({"sweep", "--wibble"}).code == 2);
  CHECK(with_full_stderr({"explain", "missing.json"}).code == 2);
  const TemporaryFolder folder;
  const Ended swept = with_full_stderr(
      small_sweep({"--dtype", "fp32,fp8", "-o", folder / "a.json", "--csv", folder / "a.csv"}));
  CHECK(swept.code == 0);
  CHECK(std::filesystem::exists(folder / "a.json"));
  CHECK(std::filesystem::exists(folder / "a.csv"));
}

TEST_CASE("a file name that is too long is refused before anything is measured") {
  const TemporaryFolder folder;
  const Ended ended = run(small_sweep({"-o", folder / (std::string(252, 'a') + ".json")}));
  CHECK(ended.code == 1);
  CHECK(ended.out.empty());
  CHECK(ended.err.find("File name too long; choose a shorter name") != std::string::npos);
}
