// A session as Markdown: whatever comes from a file is text, and tables are tables.
#include "ui/pages/markdown.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <sstream>

#include "app/output/results.hpp"
#include "engine/session/session_file.hpp"
#include "tests/text.hpp"

namespace {

using tests::contains;

engine::Session recorded(const std::string& name) {
  return engine::load_session("../../assets/recordings/" + name);
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

/// Bars that end cells.
std::ptrdiff_t bars_in(const std::string& line) {
  std::ptrdiff_t bars = 0;
  for (std::size_t i = 0; i < line.size(); ++i)
    bars += line[i] == '|' && (i == 0 || line[i - 1] != '\\') ? 1 : 0;
  return bars;
}

/// As many cells in every row of a table as in its first.
bool tables_are_whole(const std::string& text) {
  std::ptrdiff_t bars = 0;
  for (const std::string& line : lines_of(text)) {
    if (!line.starts_with('|')) {
      bars = 0;
      continue;
    }
    if (bars == 0) bars = bars_in(line);
    if (bars_in(line) != bars || !line.ends_with('|')) return false;
  }
  return true;
}

}  // namespace

TEST_CASE("a session as Markdown has device, sentences, verdict, points and roofs") {
  const std::string text = app::markdown_of(recorded("h200.json"));
  CHECK(text.starts_with("### NVIDIA H200: chain fma in fp32\n\nNVIDIA H200 · CUDA driver"));
  CHECK(
      contains(text, "\n**chain fma fp32, fused, vector units, 64 Mi elements**\n\n- Repeat 1 to"));
  CHECK(contains(text, "\n- Fusion: at repeat 1024, fused takes 2.12 ms and unfused takes"));
  CHECK(contains(text, "\n**How much arithmetic is free?**\n\n> Until about a hundred ops"));
  CHECK(contains(text, "\n\nThe claim holds here. The knee is where"));
  CHECK(contains(text, "\n#### Points\n\n| series"));
  CHECK(contains(text, "\n#### Roofs\n\n| roof"));
  CHECK(contains(text, "| fp32 FMA  | 66.0 TFLOP/s"));
  CHECK(contains(text, "(ringed)") == false);
  CHECK(tables_are_whole(text));
  CHECK(text.ends_with("|\n"));
  CHECK_FALSE(contains(text, "\n\n\n"));
}

TEST_CASE(
    "the columns of a table in Markdown are aligned as text, and numbers stand at the right") {
  const std::vector<std::string> lines = lines_of(app::markdown_of(recorded("h200.json")));
  const auto head = std::ranges::find_if(
      lines, [](const std::string& line) { return line.starts_with("| series"); });
  REQUIRE(lines.end() - head > 3);
  CHECK(head[1].starts_with("| :-"));
  CHECK(contains(head[1], "-: |"));
  const std::size_t second = head->find('|', 1);
  CHECK(head[1].find('|', 1) == second);
  CHECK(head[2].find('|', 1) == second);
}

TEST_CASE("markup in a session is only text in Markdown") {
  engine::Session session = recorded("h200.json");
  session.device.name = "<script>alert(1)</script> | `rm` *a* _b_ [x](y) @someone\n# heading";
  for (engine::Point& point : session.points) point.note = "a | b\n| c |";
  for (engine::Roof& roof : session.roofs) roof.name += " | <img src=x>";
  const std::string text = app::markdown_of(session);
  CHECK(
      text.starts_with("### &lt;script&gt;alert(1)&lt;/script&gt; \\| \\`rm\\` \\*a\\* \\_b\\_ "
                       "\\[x\\](y) @\u2060someone"));
  CHECK_FALSE(contains(text, "<"));
  CHECK_FALSE(contains(text, "\n# heading"));
  CHECK_FALSE(contains(text, "@someone"));
  CHECK(tables_are_whole(text));
}

TEST_CASE("a line of a session that would open a list or a heading in Markdown stays a sentence") {
  engine::Session session = recorded("h200.json");
  for (const char* name : {"# one", "- one", "12. one", "= one"}) {
    session.device.name = name;
    const std::string text = app::markdown_of(session);
    const std::string escaped =
        std::string(name).insert(std::string(name).find_first_of("#-.="), "\\");
    CHECK_MESSAGE(contains(text, "\n\n" + escaped + " · CUDA driver"), name);
  }
  session.device.name = "1.98 GHz - 2 # of it";
  CHECK(contains(app::markdown_of(session), "\n\n1.98 GHz - 2 # of it · CUDA driver"));
  CHECK(ui::markdown_escaped("a\r\nb\x1b") == "a\\\\x0d b\\\\x1b");
  CHECK(ui::markdown_escaped("-") == "-");
  CHECK(ui::markdown_escaped("https://a.b www.c.d") == "https:\u2060//a.b www.\u2060c.d");
  CHECK(ui::markdown_escaped("_a_b_") == "\\_a_b\\_");
}

TEST_CASE("a session with more points than an issue takes has verdicts instead of them") {
  engine::Session session = recorded("h200.json");
  const std::vector<engine::Point> points = session.points;
  std::uint64_t repeat = 5000;
  while (session.points.size() < 100) {
    session.points.push_back(points.front());
    session.points.back().id.clear();
    session.points.back().what.repeat = ++repeat;
  }
  const std::string text = app::markdown_of(session);
  CHECK(contains(text, "they are not listed here."));
  CHECK_FALSE(contains(text, "| series"));
  CHECK(contains(text, "#### Roofs"));
}

TEST_CASE("a session of roofs alone, and one with what was skipped, say so in Markdown") {
  const std::string roofs = app::markdown_of(recorded("h200-roofs.json"));
  CHECK(contains(roofs, "#### Roofs"));
  CHECK_FALSE(contains(roofs, "#### Points"));
  CHECK(contains(roofs, "\n\nNo point was measured.\n\n"));
  engine::Session session = recorded("h200.json");
  session.points.back().status = engine::Status::skipped;
  session.points.back().why = "no room for <it>";
  CHECK(contains(app::markdown_of(session), "#### Not measured\n\n- Skipped: chain fma"));
  CHECK(contains(app::markdown_of(session), "no room for &lt;it&gt;."));
}
