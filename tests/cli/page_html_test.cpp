// A page of HTML: complete in itself, and whatever comes from a file is text.
#include "app/output/page_html.hpp"

#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include "engine/session/session_file.hpp"
#include "tests/text.hpp"
#include "ui/figures/figures.hpp"

namespace {

using tests::contains;

engine::Session recording(const std::string& name) {
  return engine::load_session("../../assets/recordings/" + name);
}

std::string html_of(const engine::Session& session, plot::Theme theme = plot::Theme::light) {
  const engine::Session* const sessions[] = {&session};
  return app::page_html(ui::page_of({&session}, nullptr, {}), sessions, theme, "page.csv");
}

nlohmann::json data_in(const std::string& html) {
  const std::string_view begin = "id=\"data\">";
  const std::size_t from = html.find(begin) + begin.size();
  return nlohmann::json::parse(html.substr(from, html.find("</script>", from) - from));
}

}  // namespace

TEST_CASE("a page of HTML holds all points of its charts, and stays small") {
  const engine::Session session = recording("h200.json");
  const std::string html = html_of(session);
  CHECK(html.size() < 1'000'000);
  const plot::Page page = ui::page_of({&session}, nullptr, {});
  const nlohmann::json data = data_in(html);
  REQUIRE(data["figures"].size() == page.figures.size());
  for (std::size_t i = 0; i < page.figures.size(); ++i) {
    const plot::Figure& figure = page.figures[i];
    CHECK(data["figures"][i]["title"] == figure.title);
    REQUIRE(data["figures"][i]["series"].size() == figure.series.size());
    for (std::size_t k = 0; k < figure.series.size(); ++k)
      CHECK(data["figures"][i]["series"][k]["y"] == figure.series[k].points->y);
  }
  CHECK(data["csv"] == ui::csv_of(page));
  CHECK(contains(html, "<pre>NVIDIA H200 (cuda:0"));
  CHECK(contains(html, "\nThe claim holds here."));
}

TEST_CASE("a page of HTML asks no network for anything") {
  const std::string html = html_of(recording("h200.json"));
  CHECK(contains(html, "default-src 'none'"));
  for (const char* outside :
       {"src=", "@import", "url(h", "url(/", "url('", "<link", "fetch(", "XMLHttpRequest"})
    CHECK_FALSE(contains(html, outside));
  std::size_t addresses = 0;
  for (std::size_t at = html.find("http"); at != std::string::npos; at = html.find("http", at + 1))
    addresses += html.compare(at, 26, "http://www.w3.org/2000/svg") != 0 &&
                         html.compare(at, 10, "http-equiv") != 0
                     ? 1
                     : 0;
  CHECK(addresses == 0);
}

TEST_CASE("a session whose names are HTML stays text") {
  engine::Session session = recording("h200.json");
  const std::string evil = "</script><script>alert(1)</script><img src=x onerror=alert(2)>";
  session.device.name = evil;
  for (engine::Point& point : session.points) point.note = evil;
  for (engine::Roof& roof : session.roofs) roof.name = evil;
  const std::string html = html_of(session);
  CHECK_FALSE(contains(html, "<script>alert"));
  CHECK_FALSE(contains(html, "<img"));
  CHECK(data_in(html)["figures"].size() > 0);
}

TEST_CASE("a page of HTML is dark where that is asked for") {
  const engine::Session session = recording("h200.json");
  CHECK(contains(html_of(session, plot::Theme::dark), "<html lang=\"en\" class=\"dark\">"));
  CHECK(contains(html_of(session), "<html lang=\"en\">"));
}
