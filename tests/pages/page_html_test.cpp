// A page of HTML: complete in itself, and whatever comes from a file is text.

#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include "engine/session/session_file.hpp"
#include "tests/text.hpp"
#include "ui/pages/html_page.hpp"

namespace {

using tests::contains;

engine::Session recording(const std::string& name) {
  return engine::load_session("../../assets/recordings/" + name);
}

std::string html_of(const engine::Session& session, plot::Theme theme = plot::Theme::light) {
  return ui::page_html(ui::page_of({&session}, nullptr, {}), {&session}, theme, "page.csv");
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
  const nlohmann::json data = data_in(html), drawn = data["groups"][0]["figures"];
  REQUIRE(data["groups"].size() == 1);
  REQUIRE(drawn.size() == page.figures.size());
  for (std::size_t i = 0; i < page.figures.size(); ++i) {
    const plot::Figure& figure = page.figures[i];
    CHECK(drawn[i]["title"] == figure.title);
    REQUIRE(drawn[i]["series"].size() == figure.series.size());
    for (std::size_t k = 0; k < figure.series.size(); ++k)
      CHECK(drawn[i]["series"][k]["y"] == figure.series[k].points->y);
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
  CHECK(data_in(html)["groups"].size() > 0);
}

TEST_CASE("charts of a page that show other series have a legend of their own") {
  const engine::Session session = recording("h200-lab-bert.json");
  const nlohmann::json groups = data_in(html_of(session))["groups"];
  REQUIRE(groups.size() > 1);
  std::size_t figures = 0;
  for (const nlohmann::json& group : groups) figures += group["figures"].size();
  CHECK(figures == ui::page_of({&session}, nullptr, {}).figures.size());
}

TEST_CASE("where no script runs, every chart of a page is a drawing") {
  const engine::Session session = recording("h200.json");
  const std::string html = html_of(session);
  const std::size_t from = html.find("<noscript>\n<figure>"), to = html.find("</noscript>", from);
  REQUIRE(to != std::string::npos);
  std::size_t drawings = 0;
  for (std::size_t at = html.find("<svg", from); at < to; at = html.find("<svg", at + 1))
    ++drawings;
  CHECK(drawings == ui::page_of({&session}, nullptr, {}).figures.size());
}

TEST_CASE("a file is what its format says, and the table of a page has the name of its file") {
  const engine::Session session = recording("h200.json");
  const plot::Page page = ui::page_of({&session}, nullptr, {});
  CHECK(ui::file_of(page, {&session}, {}, plot::Format::svg, "a.svg") ==
        plot::render(page, {}, plot::Format::svg));
  const std::string html =
      ui::file_of(page, {&session}, {.caption = false}, plot::Format::html, "/tmp/of <b>.HTML");
  CHECK(contains(html, "Download of &lt;b&gt;.csv</button>"));
  CHECK(data_in(html)["file"] == "of <b>.csv");
  CHECK_FALSE(contains(html, page.caption.front()));
}

TEST_CASE("regions, guides, bars' labels and a second scale are in the data of a page") {
  plot::Figure figure;
  figure.title = "All";
  figure.above = plot::AxisAbove{"Intensity", "FLOP/byte", 0.25};
  figure.regions = {{"bandwidth-bound", plot::Regime::bandwidth, {1, 2}, {1, 2}}};
  figure.guides = {{3, "L2"}};
  plot::Series bars;
  bars.bar = 0.5;
  bars.points = plot::Points{.x = {0}, .y = {7}, .labels = {"7 of 9"}};
  figure.series = {bars};
  ui::HtmlPage page("Title", plot::Theme::light);
  page.add_charts({figure});
  const nlohmann::json drawn = data_in(page.finish("a.csv"))["groups"][0]["figures"][0];
  CHECK(drawn["above"]["factor"] == 0.25);
  CHECK(drawn["regions"][0]["name"] == "bandwidth-bound");
  CHECK(drawn["guides"][0]["label"] == "L2");
  CHECK(drawn["series"][0]["labels"][0] == "7 of 9");
}

TEST_CASE("a page of HTML is dark where that is asked for") {
  const engine::Session session = recording("h200.json");
  CHECK(contains(html_of(session, plot::Theme::dark), "<html lang=\"en\" class=\"dark\">"));
  CHECK(contains(html_of(session), "<html lang=\"en\">"));
}
