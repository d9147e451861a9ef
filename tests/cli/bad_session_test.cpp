#include <doctest/doctest.h>

#include <string>

#include "program.hpp"

namespace {

std::string nested(std::size_t levels) {
  return std::string(levels, '[') + std::string(levels, ']');
}

std::string with_points(const std::string& points) {
  return R"({"format":"ridgepoint-session","version":1,"app":{},"created":"2026-01-01T00:00:00Z","host":{},)"
         R"("device":{"id":"cpu","kind":"cpu","name":"x"},"roofs":[],"points":)" +
         points + "}";
}

struct BadFile {
  const char* name;
  std::string text;
};

const std::vector<BadFile>& bad_files() {
  static const std::vector<BadFile> files{
      {"empty.json", ""},
      {"truncated.json", R"({"format": "ridgepoint-session", "version": 1, "points": [{"exp)"},
      {"binary.json", std::string("\x00\xff\xfe\x7f\x45\x4c\x46\x00", 8)},
      {"other.json", R"({"format": "something-else", "version": 1})"},
      {"newer.json", R"({"format": "ridgepoint-session", "version": 2})"},
      {"number.json", "1e308"},
      {"nan.json", R"({"format": "ridgepoint-session", "version": NaN})"},
      {"deep.json", nested(1000000)},
      {"deep_inside.json", with_points(nested(1000000))},
      {"points_wrong.json", with_points(R"("none")")},
      {"point_huge.json",
       with_points(R"([{"experiment":"intensity","elements":1e308,"repeat":1e308}])")},
      {"missing_fields.json", R"({"format": "ridgepoint-session", "version": 1})"}};
  return files;
}

void check_refused(const Ended& ended, const std::string& file) {
  CAPTURE(file);
  CHECK(ended.code == 2);
  CHECK(ended.out == "");
  CHECK(ended.err.starts_with("ridgepoint: "));
  CHECK(lines_in(ended.err) == 1);
  CHECK(ended.err.size() < 1000);
  CHECK_MESSAGE(ended.err.find(file) != std::string::npos, ended.err);
}

}  // namespace

TEST_CASE("plot, explain and the window refuse a bad session with its name and write nothing") {
  const TemporaryFolder folder;
  for (const BadFile& bad : bad_files()) {
    const std::string path = folder / bad.name;
    write_text(path, bad.text);
    check_refused(run({"explain", path}), bad.name);
    check_refused(run({"plot", path, "-o", folder / "a.png"}), bad.name);
    check_refused(run({path}), bad.name);
    check_refused(run({"--replay", path}), bad.name);
  }
  CHECK(!std::filesystem::exists(folder / "a.png"));
}

TEST_CASE("a folder in place of a session is bad input") {
  const TemporaryFolder folder;
  check_refused(run({"explain", folder.path().string()}), folder.path().filename());
}

TEST_CASE("plot refuses a folder that is not there before it draws") {
  const TemporaryFolder folder;
  write_text(folder / "a.json", with_points("[]"));
  const Ended ended = run({"plot", folder / "a.json", "-o", folder / "none/a.png"});
  CHECK(ended.code == 1);
  CHECK(ended.err.find("create it") != std::string::npos);
}
