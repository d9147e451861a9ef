// An interrupt while a lab measures. A program of its own: an interrupt is never taken back.
#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <filesystem>

#include "app/output/signals.hpp"
#include "engine/session/session_file.hpp"
#include "tests/cli/tours.hpp"
#include "tests/files.hpp"
#include "tests/session/examples.hpp"
#include "tests/text.hpp"

using namespace engine;
using tests::contains;

TEST_CASE("a tour that is interrupted while a lab measures keeps what was measured") {
  const Lab *time = find_lab("where-time-goes"), *intensity = find_lab("intensity");
  const tours::Labs only({time, intensity, find_lab("fma")});
  const examples::Folder folder;
  const std::string page = folder / "tour.html", file = folder / "tour.json";
  std::atomic<bool> asked = false;
  fake::Gate gate;  // never opened: the run that takes the interrupt lasts until it is stopped
  fake::Script script;
  // The second lab is at work once the first one has been written, and has points of fewer ops.
  script.run = [&](const kernels::Case& what, std::stop_token stop) {
    constexpr int among_others = 64;
    const bool of_lab = what.family == kernels::Family::chain && std::filesystem::exists(page);
    if (!of_lab || what.repeat < among_others || asked.exchange(true)) return;
    app::take_interrupt();
    gate.hold(stop);
  };
  CHECK(tours::tour({"-o", page, "--session", file}, script) == app::Exit::interrupted);
  const std::string html = tests::read_file(page);
  CHECK(contains(html, "The tour was stopped: 1 of 3 labs ran."));
  CHECK(contains(html, std::string(time->claim.text)));
  CHECK(contains(html, std::string(intensity->question)));
  CHECK(contains(html, "The tour was stopped in this lab; the charts show what was measured."));
  CHECK_FALSE(contains(html, std::string(find_lab("fma")->question)));
  const Session session = load_session(file);
  CHECK(std::ranges::count(session.points, time->name, &Point::lab) > 0);
  CHECK(std::ranges::count(session.points, intensity->name, &Point::lab) > 0);
}
