// docs/labs.md is made from the list of labs: RIDGEPOINT_UPDATE_GOLDENS=1 writes it anew.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "engine/labs/lab.hpp"
#include "tests/files.hpp"

namespace {

using engine::Lab;

/// Lines of at most 125 columns, as in the other documents.
std::string folded(std::string_view text) {
  constexpr std::size_t columns = 125;
  std::string lines(text);
  for (std::size_t begin = 0; lines.size() - begin > columns;) {
    const std::size_t space = lines.rfind(' ', begin + columns);
    if (space == std::string::npos || space <= begin) break;
    lines[space] = '\n';
    begin = space + 1;
  }
  return lines + "\n";
}

std::string row_of(const engine::LabKnob& knob) {
  const std::string choices =
      knob.choices.empty() ? "" : fmt::format(" ({})", fmt::join(knob.choices, ", "));
  return fmt::format("| `--{}` | {}{} | {} |\n", knob.name, knob.help, choices, knob.usual);
}

std::string section_of(const Lab& lab) {
  std::string text = fmt::format("\n### {}\n\n    ridgepoint sweep --lab {}\n\n**{}**\n\n{}",
                                 lab.title, lab.name, lab.question, folded(lab.about));
  if (!lab.claim.text.empty())
    text += "\n" + folded(fmt::format("The claim: *{}* ({}).", lab.claim.text, lab.claim.source));
  text += "\n" + folded(fmt::format("Its points: {}", lab.needs));
  if (lab.knobs.empty()) return text;
  text += "\n| option | means | usually |\n|---|---|---|\n";
  for (const engine::LabKnob& knob : lab.knobs) text += row_of(knob);
  return text;
}

std::string page() {
  constexpr std::string_view intro =
      "Each lab answers one question on your machine, compares the answer with a claim if there is "
      "one, and shows the charts. `ridgepoint tour -o tour.html` runs all of them. This page is "
      "made from the list of labs.";
  std::string text = "# Labs\n\n" + folded(intro);
  std::vector<std::string_view> groups;
  for (const Lab* lab : engine::labs())
    if (std::ranges::find(groups, lab->group) == groups.end()) groups.push_back(lab->group);
  for (const std::string_view group : groups) {
    text += fmt::format("\n## {}\n", group);
    for (const Lab* lab : engine::labs())
      if (lab->group == group) text += section_of(*lab);
  }
  return text;
}

}  // namespace

TEST_CASE("docs/labs.md says what the list of labs says") {
  const std::string path = RIDGEPOINT_LABS_PAGE, now = page();
  const char* update = std::getenv("RIDGEPOINT_UPDATE_GOLDENS");
  if (update != nullptr && *update != '\0') tests::write_text(path, now);
  CHECK_MESSAGE(tests::read_file(path) == now,
                "RIDGEPOINT_UPDATE_GOLDENS=1 ctest -R labs_page_test writes it anew");
}
