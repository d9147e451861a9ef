// The tour through a few labs on a made-up device.
#include <doctest/doctest.h>

#include <map>
#include <regex>

#include "app/output/signals.hpp"
#include "app/output/tour_report.hpp"
#include "engine/session/session_file.hpp"
#include "tests/cli/tours.hpp"
#include "tests/files.hpp"
#include "tests/session/examples.hpp"
#include "tests/text.hpp"

using namespace engine;
using tests::contains;
using tours::Labs;
using tours::tour;

namespace {

std::string nowhere(const Place&) { return "It needs a <device> that nobody has."; }

Plan no_plan(const Spec&, const Place&, const Results&) { return {}; }

const Lab nowhere_lab{.name = "nowhere",
                      .title = "Nowhere",
                      .group = "Compute",
                      .question = "Does it run?",
                      .about = "It does not.",
                      .why_not = nowhere,
                      .plan = no_plan};

Plan interrupting_plan(const Spec&, const Place&, const Results&) {
  app::take_interrupt();
  return {};
}

const Lab interrupting_lab{.name = "interrupting",
                           .title = "Interrupting",
                           .group = "Compute",
                           .question = "Who presses Ctrl-C?",
                           .about = "This one.",
                           .plan = interrupting_plan};

/// The charts of a page.
std::vector<std::string> drawings(const std::string& html) {
  std::vector<std::string> all;
  for (std::size_t at = html.find("<svg"); at != html.npos; at = html.find("<svg", at + 1))
    all.push_back(html.substr(at, html.find("</svg>", at) - at));
  return all;
}

}  // namespace

TEST_CASE("a tour writes the claims, charts and verdicts of all labs into one page") {
  const Lab *intensity = find_lab("intensity"), *time = find_lab("where-time-goes");
  const Labs only({intensity, time, &nowhere_lab});
  const examples::Folder folder;
  const std::string page = folder / "tour.html", file = folder / "tour.json";
  CHECK(tour({"-o", page, "--session", file}) == app::Exit::done);
  const std::string html = tests::read_file(page);
  for (const Lab* lab : {intensity, time}) {
    CAPTURE(lab->name);
    CHECK(contains(html, std::string(lab->question)));
    CHECK(contains(html, std::string(lab->claim.text)));
    const Session session = load_session(file);
    CHECK(contains(html, lab->verdict(results_of(lab->name, session)).headline));
  }
  CHECK(contains(html, "Did not run: It needs a &lt;device&gt; that nobody has."));
  CHECK(contains(html, "DRAM copy"));
  // A browser takes the first of equal ids, and a page that is sent alone has nothing beside it.
  std::map<std::string, int> ids;
  const std::regex id("id=\"([^\"]*)\"");
  for (std::sregex_iterator at(html.begin(), html.end(), id), end; at != end; ++at) ++ids[(*at)[1]];
  CHECK(ids.size() > 2);
  for (const auto& [name, times] : ids) CHECK_MESSAGE(times == 1, name);
  CHECK_FALSE(contains(html, "src="));
  CHECK(contains(html, "<text "));
  const std::vector<std::string> charts = drawings(html);
  CHECK(charts.size() > 2);
  for (const std::string& chart : charts) CHECK(chart.size() < 60'000);
}

TEST_CASE("a session that was measured before becomes the same report, and nothing is measured") {
  const Labs only({find_lab("intensity"), find_lab("where-time-goes")});
  const examples::Folder folder;
  const std::string page = folder / "tour.html", file = folder / "tour.json";
  CHECK(tour({"-o", page, "--session", file}) == app::Exit::done);
  int runs = 0;
  const auto count = [&](const kernels::Case&, std::stop_token) { ++runs; };
  CHECK(tour({file, "-o", folder / "again.html"}, {.run = count}) == app::Exit::done);
  CHECK(runs == 0);
  const std::string html = tests::read_file(page), again = tests::read_file(folder / "again.html");
  CHECK(contains(again, "Drawn from a session that was measured before."));
  CHECK(drawings(html) == drawings(again));
  CHECK_THROWS_WITH_AS(tour({file, "-o", page, "--device", "cpu"}),
                       doctest::Contains("a report from a session measures nothing"), app::Failure);
  CHECK_THROWS_AS(tour({folder / "none.json", "-o", page}), engine::BadInput);
}

TEST_CASE("a report from a session without points of a lab is refused") {
  const examples::Folder folder;
  const std::string file = folder / "empty.json", page = folder / "tour.html";
  kernels::DeviceInfo device;
  device.id = device.kind = "cpu";
  device.name = "Fake";
  engine::write_file(file, to_json(engine::new_session(device)));
  CHECK_THROWS_WITH_AS(tour({file, "-o", page}), doctest::Contains("has no points of a lab"),
                       app::Failure);
  CHECK_FALSE(std::filesystem::exists(page));
}

TEST_CASE("markup in the name of a device is only text in the report") {
  const Labs only({find_lab("where-time-goes"), find_lab("intensity")});
  const examples::Folder folder;
  const std::string page = folder / "tour.html", file = folder / "tour.json";
  CHECK(tour({"-o", page, "--session", file}) == app::Exit::done);
  Session session = load_session(file);
  session.device.name = "<script>alert(1)</script>";
  for (engine::Roof& roof : session.roofs) roof.name += " \"><img src=x onerror=alert(2)>";
  engine::write_file(file, to_json(session));
  CHECK(tour({file, "-o", page}) == app::Exit::done);
  const std::string html = tests::read_file(page);
  CHECK(contains(html, "<h1>Ridgepoint tour: &lt;script&gt;alert(1)&lt;/script&gt;</h1>"));
  CHECK_FALSE(contains(html, "<script>alert"));
  CHECK_FALSE(contains(html, "<img"));
}

TEST_CASE("the charts of a report are live, a group for each lab, and it needs nothing beside it") {
  const Labs only({find_lab("where-time-goes"), find_lab("intensity"), &nowhere_lab});
  const examples::Folder folder;
  CHECK(tour({"-o", folder / "of today.html"}) == app::Exit::done);
  const std::string html = tests::read_file(folder / "of today.html");
  std::size_t groups = 0;
  for (std::size_t at = html.find("<div class=\"legend\""); at != html.npos;
       at = html.find("<div class=\"legend\"", at + 1))
    ++groups;
  CHECK(groups == 2);
  CHECK(contains(html, "default-src 'none'"));
  CHECK(contains(html, "Download of today.csv</button>"));
  CHECK(contains(html, "panel,kind,name,x_axis,y_axis"));
}

TEST_CASE("the page lists every lab with what came of it, and says how long the tour took") {
  const Labs only({find_lab("where-time-goes"), &nowhere_lab});
  const examples::Folder folder;
  CHECK(tour({"-o", folder / "tour.html"}) == app::Exit::done);
  const std::string html = tests::read_file(folder / "tour.html");
  const std::string contents = html.substr(0, html.find("<section"));
  CHECK(contains(contents, "<a href=\"#where-time-goes\">"));
  CHECK(contains(contents, "<a href=\"#nowhere\">Nowhere</a>"));
  CHECK(contains(contents, "did not run</td><td>It needs a &lt;device&gt; that nobody has."));
  // Of the made-up device: the lab ends at its noise goals, or at its limit of time.
  CHECK(std::regex_search(contents, std::regex("The tour took [1-9][0-9.]* m?s")));
  CHECK(contains(contents, "Ridgepoint "));
  CHECK(contains(contents, "prefers-color-scheme: dark"));
  CHECK_FALSE(contains(html, "The tour has not ended"));
}

TEST_CASE("a tour writes a PDF where the name asks for one") {
  const Labs only({find_lab("intensity"), find_lab("where-time-goes"), &nowhere_lab});
  const examples::Folder folder;
  CHECK(tour({"-o", folder / "tour.PDF"}) == app::Exit::done);
  const std::string pdf = tests::read_file(folder / "tour.PDF");
  CHECK(pdf.starts_with("%PDF-1."));
  CHECK(contains(pdf, "%%EOF"));
  CHECK(contains(pdf, "/MediaBox [ 0 0 595.28"));
  for (const char* entry : {"(Where time goes)", "(Nowhere)", "(Measured roofs)"})
    CHECK_MESSAGE(contains(pdf, entry), entry);
}

namespace {

std::string page_so_far, session_so_far;
const examples::Folder* writes_to = nullptr;

Plan looking_plan(const Spec&, const Place&, const Results&) {
  page_so_far = tests::read_file(*writes_to / "tour.html");
  session_so_far = tests::read_file(*writes_to / "tour.json");
  return {};
}

const Lab looking_lab{.name = "looking",
                      .title = "Looking",
                      .group = "Compute",
                      .question = "What is there already?",
                      .about = "The labs before.",
                      .plan = looking_plan};

}  // namespace

TEST_CASE("page and session are written after every lab, so that a crash keeps them") {
  const Labs only({find_lab("where-time-goes"), &looking_lab});
  const examples::Folder folder;
  writes_to = &folder;
  const std::string page = folder / "tour.html", file = folder / "tour.json";
  CHECK(tour({"-o", page, "--session", file}) == app::Exit::done);
  CHECK(contains(page_so_far, "The tour has not ended: 1 of 2 labs ran."));
  CHECK(contains(page_so_far, std::string(find_lab("where-time-goes")->claim.text)));
  CHECK_FALSE(contains(page_so_far, "What is there already?"));
  CHECK(contains(session_so_far, "where-time-goes"));
  CHECK(contains(tests::read_file(page), "What is there already?"));
}

TEST_CASE("a tour refuses what it cannot write, and devices that are not there") {
  const examples::Folder folder;
  const std::string page = folder / "tour.html";
  CHECK_THROWS_WITH_AS(tour({}), doctest::Contains("tour needs --output"), app::Failure);
  CHECK_THROWS_WITH_AS(tour({"-o", page, "--session", page}), doctest::Contains("the same file"),
                       app::Failure);
  CHECK_THROWS_WITH_AS(tour({"-o", folder / "no" / "tour.html"}), doctest::Contains("cannot write"),
                       engine::CannotWrite);
  for (const char* name : {"tour", "tour.htm", "tour.png", "tour.pdf.zip", ".html"}) {
    CHECK_THROWS_WITH_AS(tour({"-o", folder / name}),
                         doctest::Contains("expected a file name that ends in .html or .pdf"),
                         app::Failure);
  }
  CHECK_THROWS_WITH_AS(tour({"-o", page, "--device", "cuda:7"}), doctest::Contains("cuda:7"),
                       app::Failure);
  CHECK_FALSE(std::filesystem::exists(page));
}

TEST_CASE("a tour in which no lab can run fails, and the page says why") {
  const Labs only({&nowhere_lab});
  const examples::Folder folder;
  CHECK(tour({"-o", folder / "tour.html"}) == app::Exit::failed);
  CHECK(contains(tests::read_file(folder / "tour.html"), "Did not run"));
}

// Last: an interrupt is never taken back.
TEST_CASE("a tour that is interrupted keeps the labs that have ended") {
  const Labs only({find_lab("where-time-goes"), &interrupting_lab, find_lab("intensity")});
  const examples::Folder folder;
  const std::string page = folder / "tour.html";
  CHECK(tour({"-o", page}) == app::Exit::interrupted);
  const std::string html = tests::read_file(page);
  CHECK(contains(html, "The tour was stopped: 1 of 3 labs ran."));
  CHECK(contains(html, std::string(find_lab("where-time-goes")->claim.text)));
  CHECK_FALSE(contains(html, "Who presses"));
}
