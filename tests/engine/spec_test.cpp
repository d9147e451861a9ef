#include "engine/spec.hpp"

#include <doctest/doctest.h>

#include <set>

#include "engine/labs/lab.hpp"
#include "engine/session/session_file.hpp"

using namespace engine;
using kernels::Dtype;
using Repeats = std::vector<std::uint64_t>;

namespace {

Spec with(std::string_view name, std::string_view text) {
  Spec spec;
  const Knob* knob = find_knob(name);
  REQUIRE(knob != nullptr);
  knob->set(spec, text);
  return spec;
}

std::string refusal(std::string_view name, std::string_view text) {
  try {
    with(name, text);
  } catch (const BadInput& error) {
    return error.what();
  }
  return "";
}

}  // namespace

TEST_CASE("the knobs are the options of the command line, each with a sentence") {
  std::set<std::string_view> names;
  for (const Knob& knob : knobs()) {
    names.insert(knob.name);
    CHECK(knob.help.ends_with("."));
    CHECK_FALSE(knob.metavar.empty());
  }
  CHECK(names == std::set<std::string_view>{"device", "lab", "kernel", "op", "dtype", "fusion",
                                            "units", "repeat", "elements", "noise", "max-time",
                                            "time", "data"});
  CHECK(find_knob("tempo") == nullptr);
}

TEST_CASE("every knob takes back the text it gives, at the default and changed") {
  const struct {
    const char *name, *text;
  } changed[] = {{"device", "cuda:3"}, {"lab", "roofs"},       {"kernel", "tile"},
                 {"op", "mul"},        {"dtype", "bf16,fp64"}, {"fusion", "both"},
                 {"units", "matrix"},  {"repeat", "3,5,100"},  {"elements", "64Mi"},
                 {"noise", "0.5%"},    {"max-time", "300ms"},  {"time", "12s"},
                 {"data", "zeros"}};
  CHECK(std::size(changed) == knobs().size());
  for (const auto& change : changed) {
    const Spec spec = with(change.name, change.text);
    CHECK(spec != Spec{});
    Spec copy = spec;
    for (const Knob& knob : knobs()) knob.set(copy, knob.get(spec));
    CHECK(copy == spec);
  }
  Spec copy;
  for (const Knob& knob : knobs()) knob.set(copy, knob.get(Spec{}));
  CHECK(copy == Spec{});
}

TEST_CASE("a refusal never carries control characters of what was typed") {
  const std::string message = refusal("op",
                                      "\x1b[2J\xC2\x9B"
                                      "31m");
  CHECK(message.find('\x1b') == std::string::npos);
  CHECK(message.find("\xC2\x9B") == std::string::npos);
  CHECK(message.find("\\x1b[2J\\x9b31m") != std::string::npos);
}

TEST_CASE("good input of each knob") {
  CHECK(with("device", "cpu").device == "cpu");
  CHECK(with("device", "cuda:12").device == "cuda:12");
  CHECK(with("lab", "roofs").lab == "roofs");
  CHECK(with("kernel", "tile").kernel == kernels::Family::tile);
  CHECK(with("op", "add").op == kernels::Op::add);
  CHECK(with("dtype", "fp32,bf16,fp32").dtypes == std::vector{Dtype::fp32, Dtype::bf16});
  CHECK(with("fusion", "unfused").fusion == FusionChoice::unfused);
  CHECK(with("units", "both").units == UnitsChoice::both);
  CHECK(with("elements", "1M").elements == 1000000);
  CHECK(with("noise", "2%").noise == doctest::Approx(0.02));
  CHECK(with("max-time", "100ms").max_time == doctest::Approx(0.1));
}

TEST_CASE("bad input of each knob is named, with what was expected") {
  const struct {
    const char *name, *text, *message;
  } rows[] = {
      {"device", "gpu", "--device gpu: expected cpu or cuda:N, such as cuda:0"},
      {"device", "", "--device '': expected cpu or cuda:N"},
      {"device", "CPU", "expected cpu or cuda:N"},
      {"device", "cuda", "expected cpu or cuda:N"},
      {"device", "cuda:", "expected cpu or cuda:N"},
      {"device", "cuda:-1", "expected cpu or cuda:N"},
      {"device", "cuda:99999999999", "expected cpu or cuda:N"},
      {"lab", "speed", "--lab speed: expected one of intensity, roofs"},
      {"kernel", "stream", "--kernel stream: expected chain or tile"},
      {"kernel", "", "expected chain or tile"},
      {"op", "div", "--op div: expected mul, add, fma or sqrt"},
      {"op", "mma", "--op mma: expected mul, add, fma or sqrt"},
      {"dtype", "fp33", "--dtype fp33: expected one or more of fp64 fp32 tf32"},
      {"dtype", "fp32,", "--dtype fp32,: expected one or more of"},
      {"dtype", "", "--dtype '': expected one or more of"},
      {"fusion", "maybe", "--fusion maybe: expected fused, unfused or both"},
      {"units", "tensor", "--units tensor: expected vector, matrix or both"},
      {"elements", "0", "--elements 0: expected a whole number above 0"},
      {"elements", "-4", "--elements -4: expected a whole number"},
      {"elements", "1.5", "expected a whole number"},
      {"elements", "lots", "expected a whole number"},
      {"elements", "1e30", "expected a whole number"},
      {"noise", "0", "--noise 0: expected a share above 0 % up to 100 %"},
      {"noise", "200%", "expected a share"},
      {"noise", "nan", "expected a share"},
      {"max-time", "0", "--max-time 0: expected a time above 0, such as 2s, 500ms or 0.5"},
      {"max-time", "-1s", "expected a time above 0"},
      {"max-time", "soon", "expected a time above 0"},
      {"max-time", "inf", "expected a time above 0"},
      {"time", "0", "--time 0: expected a time above 0, such as 12s, none, or auto"},
  };
  for (const auto& row : rows) {
    CAPTURE(row.name);
    CAPTURE(row.text);
    CHECK(refusal(row.name, row.text).find(row.message) != std::string::npos);
  }
}

TEST_CASE("what a message quotes is short and printable") {
  const std::string message = refusal("op", "\x1b[2Jx\n" + std::string(5000, 'y'));
  CHECK(message.size() < 120);
  CHECK(message.find('\x1b') == std::string::npos);
  CHECK(message.find('\n') == std::string::npos);
  // 39 letters, then a two-byte character across the cut.
  CHECK(refusal("op", std::string(39, 'a') + "\xc3\xa4 and more") ==
        "--op " + std::string(39, 'a') + "...: expected mul, add, fma or sqrt");
}

TEST_CASE("ranges of repeats hold both ends") {
  CHECK(parse_repeats("1:1024:x2") == Spec{}.repeats);
  CHECK(parse_repeats("1:1000:x10") == Repeats{1, 10, 100, 1000});
  CHECK(parse_repeats("3:100:x4") == Repeats{3, 12, 48, 100});
  CHECK(parse_repeats("1:8:x1.5") == Repeats{1, 2, 3, 5, 8});
  CHECK(parse_repeats("7:7:x2") == Repeats{7});
}

TEST_CASE("lists of repeats are sorted and without doubles, and may hold ranges") {
  CHECK(parse_repeats("8") == Repeats{8});
  CHECK(parse_repeats("3,1,2,3") == Repeats{1, 2, 3});
  CHECK(parse_repeats("1:16:x2,24,4096") == Repeats{1, 2, 4, 8, 16, 24, 4096});
}

TEST_CASE("repeats that make no sense are refused") {
  for (const char* bad : {"",
                          "0",
                          "-1",
                          "4097",
                          "1000000000000",
                          "99999999999999999999999",
                          "1.5",
                          "nan",
                          "inf",
                          "abc",
                          "1,,2",
                          "1,",
                          "1:2",
                          "1:2:2",
                          "1:2:x",
                          "1:2:x1",
                          "1:2:x0.5",
                          "1:2:x-2",
                          "1:2:xnan",
                          "1:2:xinf",
                          "1:2:x1e9",
                          "1:4096:x1.001",
                          "8:1:x2",
                          "0:8:x2",
                          "1:9999:x2",
                          "1:8:x2:x2",
                          " 1",
                          "0x10",
                          "1k"}) {
    CAPTURE(bad);
    CHECK(refusal("repeat", bad).find("expected") != std::string::npos);
  }
  CHECK(refusal("repeat", "0") ==
        "--repeat 0: expected whole numbers from 1 to 4096, such as 1:1024:x2 or 1,2,3");
}

TEST_CASE("more than 1000 different repeats are refused, however they are written") {
  std::string text = "1";
  for (int i = 2; i <= 1000; ++i) text += "," + std::to_string(i);
  CHECK(parse_repeats(text).size() == 1000);
  CHECK(refusal("repeat", text + ",1001").find("at most 1000 different numbers") !=
        std::string::npos);
  CHECK(parse_repeats(text + ",1,2,3").size() == 1000);
}

TEST_CASE("the text of repeats is a range where that says it all") {
  CHECK(repeats_text({1, 2, 4, 8}) == "1:8:x2");
  CHECK(repeats_text({1, 2, 4, 7}) == "1:7:x2");
  CHECK(repeats_text({1, 5}) == "1,5");
  CHECK(repeats_text({1, 2, 3, 5, 9}) == "1,2,3,5,9");
  CHECK(repeats_text({9, 2, 1}) == "9,2,1");
  CHECK(repeats_text({0, 0, 0}) == "0,0,0");
}

TEST_CASE("the family follows the units unless it is said") {
  CHECK(Spec{}.family() == kernels::Family::chain);
  CHECK(with("units", "matrix").family() == kernels::Family::tile);
  CHECK(with("units", "both").family() == kernels::Family::tile);
  CHECK(with("kernel", "tile").family() == kernels::Family::tile);
}

TEST_CASE("every lab has a question, a group and a name of its own") {
  for (const Lab* lab : labs()) {
    CAPTURE(lab->name);
    CHECK(find_lab(lab->name) == lab);
    CHECK(lab->question.ends_with("?"));
    CHECK(!lab->group.empty());
    const bool has_plan = lab->plan != nullptr;
    CHECK(has_plan);
  }
  CHECK(find_lab("speed") == nullptr);
}
