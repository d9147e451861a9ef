// Files that nobody should believe. Each gets a sentence that names the place.
#include <doctest/doctest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "engine/session/session_file.hpp"
#include "tests/files.hpp"
#include "tests/session/examples.hpp"
#include "tests/text.hpp"

using namespace engine;
using nlohmann::json;
using tests::contains;

namespace {

json good() {
  Session session = examples::session();
  for (const std::uint64_t repeat : {1, 2, 4, 8}) {
    session.points.push_back(examples::point(examples::chain(repeat), 0.01));
  }
  return json::parse(to_json(session));
}

/// The message for a text that must be refused.
std::string refusal(const std::string& text) {
  try {
    from_json(text, "bad.json");
  } catch (const BadInput& bad) {
    return bad.what();
  }
  return "accepted";
}

std::string refusal_with(const char* pointer, const json& value) {
  json document = good();
  document[json::json_pointer(pointer)] = value;
  return refusal(document.dump());
}

std::string refusal_without(const char* parent, const char* key) {
  json document = good();
  json& object = document[json::json_pointer(parent)];
  REQUIRE(object.contains(key));
  object.erase(key);
  return refusal(document.dump());
}

}  // namespace

TEST_CASE("the session that the bad ones are made of is good") {
  CHECK(from_json(good().dump(), "good.json").points.size() == 4);
}

TEST_CASE("empty files are named as such") {
  CHECK(contains(refusal(""), "bad.json: line 1: the file is empty"));
  CHECK(contains(refusal(" \n\n "), "the file is empty"));
}

TEST_CASE("a file truncated anywhere is refused with line and column") {
  Session session = examples::session();
  session.points.push_back(examples::point(examples::chain(1), 0.01));
  const std::string text = to_json(session);
  const std::size_t end = text.rfind('}');
  for (std::size_t size = 1; size < end; size += 7) {
    const std::string message = refusal(text.substr(0, size));
    CAPTURE(message);
    CHECK(contains(message, "bad.json: line "));
    CHECK(contains(message, ", column "));
  }
}

TEST_CASE("binary files are refused with line and column") {
  std::string bytes;
  for (int i = 0; i < 4096; ++i) bytes += static_cast<char>((i * 37 + 11) % 256);
  CHECK(contains(refusal(bytes), "bad.json: line 1, column 1"));
  CHECK(contains(refusal(std::string("\x7f"
                                     "ELF\0\0\0",
                                     7)),
                 "line 1, column 1"));
}

TEST_CASE("what is no session is told from a session that was cut off") {
  const std::string no_json = "this is not JSON; expected a session, as Save or";
  for (const char* text : {"hello\n", "a,b\n1,2\n", "<svg/>", "%PDF-1.5", "\x89PNG\r\n"}) {
    CHECK(contains(refusal(text), "bad.json: line 1, column 1: " + no_json));
  }
  const std::string whole = good().dump(2);
  for (const std::size_t size : {std::size_t{1}, whole.size() / 3, whole.size() - 1}) {
    CHECK(contains(refusal(whole.substr(0, size)),
                   "the file ends too early; expected the rest of a session"));
  }
  CHECK(contains(refusal("{\"a\": 1}"), "the document is an object; expected a session"));
  CHECK(contains(refusal("{}"), "format is missing"));
}

TEST_CASE("every byte changed at random is either still a session or refused, never worse") {
  const std::string text = to_json(from_json(good().dump(), "good.json"));
  std::uint32_t state = 1;
  for (int i = 0; i < 500; ++i) {
    std::string changed = text;
    state = state * 1664525U + 1013904223U;
    const std::size_t at = (state >> 8U) % changed.size();
    state = state * 1664525U + 1013904223U;
    changed[at] = static_cast<char>(state >> 24U);
    try {
      const Session session = from_json(changed, "bad.json");
      CHECK(session.points.size() <= 4);
    } catch (const BadInput& bad) {
      CHECK(contains(bad.what(), "bad.json: "));
    }
  }
}

TEST_CASE("a syntax error is found where it is") {
  const std::string message =
      refusal("{\n  \"format\": \"ridgepoint-session\",\n  \"version\" 1\n}");
  CAPTURE(message);
  CHECK(contains(message, "line 3, column 13"));
  CHECK(contains(message, "':'"));
}

TEST_CASE("nesting a million levels deep is refused without a deep stack") {
  for (const char* open : {"[", "{\"a\":"}) {
    std::string text;
    for (int i = 0; i < 1'000'000; ++i) text += open;
    CHECK(contains(refusal(text), "more than 64 levels deep"));
  }
  const std::string inside =
      refusal("{\"format\": \"ridgepoint-session\", \"x\": " + std::string(1'000'000, '[') +
              std::string(1'000'000, ']') + "}");
  CHECK(contains(inside, "line 1, column "));
}

TEST_CASE("brackets inside text do not count as levels") {
  CHECK(refusal_with("/points/0/note", "\\\"" + std::string(200, '[')) == "accepted");
}

TEST_CASE("more values than any session has are refused before they fill the memory") {
  std::string text = "[0";
  for (int i = 0; i < 16'000'000; ++i) text += ",0";
  CHECK(contains(refusal(text + "]"), "more than 16000000 values"));
}

TEST_CASE("more points, roofs or text than anybody could look through are refused") {
  CHECK(contains(refusal_with("/points", std::vector<json>(20'001)),
                 "points is an array of 20001; expected an array of at most 20000"));
  CHECK(contains(refusal_with("/roofs", std::vector<json>(1001, good()["roofs"][0])),
                 "roofs is an array"));
  CHECK(contains(refusal_with("/device/name", std::string(20'000, 'n')),
                 "text of at most 16384 bytes"));
}

TEST_CASE("files larger than 256 MiB are refused") {
  CHECK(contains(refusal(std::string((std::size_t{256} << 20) + 1, ' ')), "larger than 256 MiB"));
}

TEST_CASE("text that is no UTF-8 is refused") {
  CHECK(contains(refusal("{\"format\": \"\xff\xfe\"}"), "line 1, column "));
}

TEST_CASE("NaN, infinity and numbers beyond any machine are refused") {
  for (const char* number : {"NaN", "Infinity", "-Infinity", "nan", "1e999", "-1e999"}) {
    std::string text = good().dump();
    const std::string field = "\"median\":";
    const auto at = text.find(field) + field.size();
    text.replace(at, text.find(',', at) - at, number);
    const std::string message = refusal(text);
    CAPTURE(message);
    CHECK(contains(message, "bad.json: "));
    CHECK(contains(message, "expected"));
  }
  CHECK(contains(refusal_with("/points/3/seconds/median", 1e308),
                 "points[3].seconds.median is 1e+308"));
  CHECK(contains(refusal_with("/points/3/seconds/median", 1e-308), "points[3].seconds.median"));
  CHECK(
      contains(refusal_with("/roofs/0/rate", 1e308), "roofs[0].rate is 1e+308; expected a number"));
  CHECK(contains(refusal_with("/points/0/flops", 1e308), "points[0].flops"));
  CHECK(contains(refusal_with("/points/0/bytes", 1e308), "points[0].bytes"));
  CHECK(contains(refusal_with("/device/memory_bytes", 1e308), "device.memory_bytes"));
  CHECK(contains(refusal_with("/points/0/conditions/power_w", 1e308),
                 "points[0].conditions.power_w"));
}

TEST_CASE("negative and zero rates, times and counts are refused") {
  CHECK(contains(refusal_with("/roofs/1/rate", -1), "roofs[1].rate is -1; expected"));
  CHECK(contains(refusal_with("/roofs/1/rate", 0), "roofs[1].rate is 0"));
  CHECK(contains(refusal_with("/points/2/seconds/median", -1), "points[2].seconds.median is -1"));
  CHECK(contains(refusal_with("/points/2/seconds/low", 0), "points[2].seconds.low is 0"));
  CHECK(contains(refusal_with("/points/2/seconds/samples/0", -2),
                 "points[2].seconds.samples[0] is -2"));
  CHECK(contains(refusal_with("/points/2/flops", -1), "points[2].flops"));
  CHECK(contains(refusal_with("/points/2/launches", -1), "points[2].launches"));
  CHECK(contains(refusal_with("/points/2/conditions/clock_hz", -1), "conditions.clock_hz"));
  CHECK(contains(refusal_with("/points/2/conditions/temperature_c", -300), "temperature_c"));
}

TEST_CASE("repeats and elements out of range are refused") {
  CHECK(contains(refusal_with("/points/1/repeat", 0),
                 "points[1].repeat is 0; expected a whole number"));
  CHECK(contains(refusal_with("/points/1/repeat", 1'000'000'000'000), "from 1 to 4096"));
  CHECK(contains(refusal_with("/points/1/repeat", -4), "points[1].repeat is -4"));
  CHECK(contains(refusal_with("/points/1/repeat", 1.5), "points[1].repeat is 1.5"));
  CHECK(contains(refusal_with("/points/1/elements", 0), "points[1].elements is 0"));
  CHECK(contains(refusal_with("/points/1/elements", ~std::uint64_t{0}), "points[1].elements"));
  CHECK(contains(refusal_with("/device/multiprocessors", 1e12), "device.multiprocessors"));
}

TEST_CASE("shares, visits, looks and rounds that cannot be are refused") {
  const json visit{{"first", 1'000'000}, {"at", 0}};
  const json look{{"first", 0}, {"at", 0}, {"looks", {{{"roof", "x"}, {"rate", -1}}}}};
  CHECK(contains(refusal_with("/points/0/share", json{{"roof", "x"}, {"median", -1}}),
                 "points[0].share.median is -1"));
  CHECK(contains(refusal_with("/points/0/share", json{{"median", 1}}), "points[0].share.roof"));
  CHECK(contains(refusal_with("/points/0/visits", json::array({visit})),
                 "points[0].visits[0].first is 1000000"));
  CHECK(contains(refusal_with("/points/0/visits", json::array({look})),
                 "points[0].visits[0].looks[0].rate is -1"));
  CHECK(contains(refusal_with("/roofs/0/best", -1), "roofs[0].best is -1"));
  CHECK(contains(refusal_with("/roofs/0/rounds", json::array({"x"})), "roofs[0].rounds[0]"));
}

TEST_CASE("an interval that does not hold its median is refused") {
  CHECK(contains(refusal_with("/points/0/seconds/low", 0.02), "points[0].seconds.low is 0.02"));
  CHECK(contains(refusal_with("/points/0/seconds/high", 0.001), "points[0].seconds.high is 0.001"));
  CHECK(contains(refusal_with("/roofs/0/rate_low", 1e12), "roofs[0].rate_low"));
  CHECK(contains(refusal_with("/points/0/seconds/outliers", json::array({7})),
                 "points[0].seconds.outliers[0] is 7; expected a whole number from 0 to 6"));
}

TEST_CASE("wrong types are refused with what was expected") {
  CHECK(contains(refusal("[]"), "the document is an array of 0; expected an object"));
  CHECK(contains(refusal("1"), "the document is 1; expected an object"));
  CHECK(contains(refusal("null"), "the document is null; expected an object"));
  CHECK(contains(refusal_with("/points", "many"), "points is \"many\"; expected an array"));
  CHECK(contains(refusal_with("/points/0", 1), "points[0] is 1; expected an object"));
  CHECK(
      contains(refusal_with("/points/0/seconds", json::array()), "points[0].seconds is an array"));
  CHECK(contains(refusal_with("/points/0/seconds/samples", 1), "expected an array of numbers"));
  CHECK(contains(refusal_with("/points/0/seconds/samples", {1, "x"}), "samples[1] is \"x\""));
  CHECK(contains(refusal_with("/points/0/checked", "yes"),
                 "points[0].checked is \"yes\"; expected true"));
  CHECK(contains(refusal_with("/points/0/seconds/median", "fast"), "expected a number"));
  CHECK(contains(refusal_with("/device/name", 5), "device.name is 5; expected text"));
  CHECK(contains(refusal_with("/created", 5), "created is 5; expected text"));
  CHECK(contains(refusal_with("/points/0/conditions/throttled", 1), "throttled is 1"));
}

TEST_CASE("a shape or state of the device that makes no sense is refused") {
  CHECK(contains(refusal_with("/points/0/shape", "wide"), "shape is \"wide\"; expected an object"));
  CHECK(contains(refusal_with("/points/0/shape", {{"chains", 8}}),
                 "points[0].shape.chains is 8; expected text"));
  CHECK(contains(refusal_with("/roofs/0/shape", {{"\x1b[2J", 8}}), "roofs[0].shape.\\x1b[2J is 8"));
  json many;
  for (int i = 0; i < 33; ++i) many[std::to_string(i)] = "x";
  CHECK(contains(refusal_with("/points/0/shape", many), "expected an object of at most 32"));
  CHECK(contains(refusal_with("/points/0/data", "ones"), "expected \"random\" or \"zeros\""));
  CHECK(contains(refusal_with("/points/0/limit", "patience"), "points[0].limit is \"patience\""));
  CHECK(contains(refusal_with("/points/0/discarded", -1), "points[0].discarded is -1"));
  CHECK(contains(refusal_with("/points/0/disturbed", 1), "points[0].disturbed is 1"));
  CHECK(contains(refusal_with("/points/0/conditions/stolen", -0.5), "conditions.stolen is -0.5"));
  CHECK(contains(refusal_with("/points/0/before", 3), "points[0].before is 3; expected an object"));
}

TEST_CASE("every field of the contract that is missing is named") {
  for (const char* key :
       {"format", "version", "app", "created", "host", "device", "roofs", "points"}) {
    CHECK(contains(refusal_without("", key), std::string(key) + " is missing"));
  }
  for (const char* key : {"id", "kind", "name"}) {
    CHECK(contains(refusal_without("/device", key), "device." + std::string(key) + " is missing"));
  }
  for (const char* key : {"name", "kind", "rate", "source"}) {
    CHECK(
        contains(refusal_without("/roofs/0", key), "roofs[0]." + std::string(key) + " is missing"));
  }
  for (const char* key : {"experiment", "kernel", "op", "dtype", "fusion", "units", "elements",
                          "repeat", "flops", "bytes", "launches", "status", "seconds", "checked"}) {
    CHECK(contains(refusal_without("/points/3", key),
                   "points[3]." + std::string(key) + " is missing"));
  }
  for (const char* key : {"median", "samples"}) {
    CHECK(contains(refusal_without("/points/3/seconds", key), "seconds." + std::string(key)));
  }
}

TEST_CASE("names that nobody knows are refused with the known ones") {
  CHECK(contains(refusal_with("/format", "other"), "expected \"ridgepoint-session\""));
  CHECK(contains(refusal_with("/device/kind", "tpu"), "expected \"cpu\" or \"cuda\""));
  CHECK(contains(refusal_with("/points/0/dtype", "fp33"),
                 "points[0].dtype is \"fp33\"; expected one of fp64"));
  CHECK(contains(refusal_with("/points/0/kernel", "brick"), "points[0].kernel is \"brick\""));
  CHECK(contains(refusal_with("/points/0/op", "div"), "points[0].op is \"div\""));
  CHECK(contains(refusal_with("/points/0/fusion", "half"), "expected \"fused\" or \"unfused\""));
  CHECK(contains(refusal_with("/points/0/units", "scalar"), "expected \"vector\" or \"matrix\""));
  CHECK(contains(refusal_with("/points/0/status", "fine"),
                 "expected \"ok\", \"skipped\" or \"failed\""));
  CHECK(contains(refusal_with("/roofs/0/kind", "glass"), "roofs[0].kind is \"glass\""));
  CHECK(contains(refusal_with("/roofs/0/source", "hearsay"),
                 "expected \"measured\", \"datasheet\" or \"theoretical\""));
  CHECK(contains(refusal_with("/points/0/dtype", std::string(1000, 'x')), "..."));
}

TEST_CASE("a session of a newer version asks for an update") {
  const std::string message = refusal_with("/version", 2);
  CHECK(contains(message, "version is 2"));
  CHECK(contains(message, "newer"));
  CHECK(contains(refusal_with("/version", 0), "version is 0"));
  CHECK(contains(refusal_with("/version", "1"), "version is \"1\""));
  CHECK(contains(refusal_with("/version", 1e300), "version is 1e+300"));
}

TEST_CASE("a newer version is said even when nothing else is as expected") {
  CHECK(contains(refusal("{\"format\": \"ridgepoint-session\", \"version\": 9}"), "newer"));
}

TEST_CASE("a message never carries control characters of the file") {
  const std::string message = refusal_with("/points/0/op", "\x1b[31mred\n");
  CHECK(message.find('\x1b') == std::string::npos);
  CHECK(message.find('\n') == std::string::npos);
}

TEST_CASE("control characters of the second set, in UTF-8, are replaced, and letters are not") {
  const std::string message = refusal_with("/points/0/op",
                                           "\xC2\x9B"
                                           "31mred \xC2\xA9 \xC3\x9B");
  CHECK(message.find("\xC2\x9B") == std::string::npos);
  CHECK(contains(message, "31mred \xC2\xA9 \xC3\x9B"));
  json changed = good();
  changed["device"]["name"] =
      "a\xC2\x9B"
      "2Jb\xC2\x80\xC2\x9F";
  const Session session = from_json(changed.dump(), "good.json");
  CHECK(session.device.name == "a\\x9b2Jb\\x80\\x9f");
  Session own = session;
  own.device.name = "x\xC2\x9Bz";
  CHECK(to_json(own).find("\xC2\x9B") == std::string::npos);
}

TEST_CASE("files that cannot be read say why") {
  const examples::Folder folder;
  const auto message = [](const std::filesystem::path& path) {
    try {
      load_session(path);
    } catch (const BadInput& bad) {
      return std::string(bad.what());
    }
    return std::string("accepted");
  };
  CHECK(contains(message(folder / "none.json"), "No such file"));
  CHECK(contains(message(folder.path()), "Is a directory"));
  CHECK(contains(message("/dev/zero"), "line 1, column 1"));
  tests::write_text(folder / "large.json", "{");
  std::filesystem::resize_file(folder / "large.json", std::size_t{1} << 40);
  CHECK(contains(message(folder / "large.json"), "larger than 256 MiB"));
  CHECK(contains(message("/dev/null"), "the file is empty"));
}

TEST_CASE("a member that appears twice is refused with its place, however it is spelled") {
  const std::string text = good().dump();
  const auto twice = [&](const std::string& member) {
    return refusal("{\n\n  " + member + "," + text.substr(1));
  };
  CHECK(contains(twice(R"("format": "ridgepoint-session")"), "\"format\" appears twice"));
  CHECK(contains(twice(R"("format": "ridgepoint-session")"), "line 3"));
  CHECK(contains(twice(R"("form\u0061t": "ridgepoint-session")"), "\"format\" appears twice"));
  const std::string inside = R"({"a": [{"x": "a:\"b"}, {"y": 1, "x": 2, "y": 3}]})";
  CHECK(contains(refusal(inside), "line 1, column 41: \"y\" appears twice"));
  CHECK_FALSE(contains(refusal(R"({"a": {"x": 1}, "b": {"x": 1}})"), "twice"));
}

TEST_CASE("a clock below one hertz is refused: every rate per clock would be absurd") {
  CHECK(contains(refusal_with("/points/0/conditions/clock_hz", 1e-300),
                 "conditions.clock_hz is 1e-300; expected 0 or a clock of at least 1 Hz"));
  CHECK(contains(refusal_with("/roofs/0/conditions/memory_clock_hz", 0.5), "at least 1 Hz"));
  CHECK(contains(refusal_with("/device/clock_hz", 1e-9), "at least 1 Hz"));
  CHECK(refusal_with("/device/clock_hz", 0) == "accepted");
}
