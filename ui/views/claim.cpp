#include <algorithm>

#include "engine/labs/lab.hpp"
#include "ui/screen/progress.hpp"
#include "ui/views/views.hpp"

namespace ui {

using engine::LabVerdict;

namespace {

plot::Colour colour_of_outcome(const Theme& theme, engine::Says says) {
  return says == engine::Says::holds     ? theme.good
         : says == engine::Says::differs ? theme.warning
                                         : theme.text_dim;
}

std::string outcome(const Ui& ui, const engine::Lab& lab, const LabVerdict& verdict) {
  if (verdict.says != engine::Says::not_yet) return said_of(lab, verdict);
  if (runs_lab_on_screen(ui.state)) return "Measuring...";
  return no_points_text(ui.state);
}

/// Who claims what, what came out, and what would help.
void words(Ui& ui, const engine::Lab& lab, const LabVerdict& verdict, float width) {
  ImGui::BeginGroup();
  if (!lab.claim.text.empty()) {
    wrapped(ui, std::string(lab.claim.text), width, ui.theme.text);
    text_within(ui, std::string(lab.claim.source), width, small_size, false, ui.theme.text_dim);
  } else {
    wrapped(ui, std::string(lab.question), width, ui.theme.text);
  }
  ImGui::Dummy({0, ui.theme.px(2)});
  const std::string said = outcome(ui, lab, verdict);
  wrapped(ui, said, width,
          lab.claim.text.empty() ? ui.theme.text : colour_of_outcome(ui.theme, verdict.says));
  ui.map.controls["claim"] = {last_item(), true, said};
  std::vector<Sentence> advice;
  for (const std::string& one : verdict.advice) advice.push_back({"→ " + one, ui.theme.text});
  sentences(ui, "claim.more", advice, width);
  ImGui::EndGroup();
}

void cell(Ui& ui, const std::string& what, plot::Colour colour, bool bold = false) {
  ImGui::TableNextColumn();
  const double room = ImGui::GetContentRegionAvail().x;
  if (!text_within(ui, what, room, small_size, bold, colour)) tip_on_hover(ui, what);
}

/// "claim | this machine"; scrolls where the rows need more room.
void table(Ui& ui, const LabVerdict& verdict, ImVec2 size) {
  constexpr ImGuiTableFlags flags = ImGuiTableFlags_ScrollY | ImGuiTableFlags_RowBg;
  const bool claims = std::ranges::any_of(
      verdict.rows, [](const engine::VerdictRow& row) { return row.claimed.has_value(); });
  if (!ImGui::BeginTable("claims", claims ? 4 : 3, flags, size)) return;
  // Values are shown whole where they leave a third for the names.
  const auto width_of = [&](const std::string& words, bool bold) {
    return static_cast<float>(text_width(ui, words, small_size, bold)) + ui.theme.px(12);
  };
  float names = 0, claimed = claims ? width_of("claim", false) : 0, here = 0, says = 0;
  for (const engine::VerdictRow& row : verdict.rows) {
    names = std::max(names, width_of(row.what, false));
    if (claims) claimed = std::max(claimed, width_of(text_of(row.claimed, row.unit), false));
    here = std::max(here, width_of(text_of(row.here, row.unit), true));
    says = std::max(says, width_of(std::string(word_of(row.says)), false));
  }
  const float scrollbar = ImGui::GetStyle().ScrollbarSize;
  const float padding = 8 * ImGui::GetStyle().CellPadding.x;
  const float rest = size.x - claimed - here - says - scrollbar - padding;
  names = std::min(names, std::max(rest, size.x / 3));
  ImGui::TableSetupScrollFreeze(0, 1);
  ImGui::TableSetupColumn("", ImGuiTableColumnFlags_WidthFixed, names);
  if (claims) ImGui::TableSetupColumn("claim", ImGuiTableColumnFlags_WidthFixed, claimed);
  ImGui::TableSetupColumn("here", ImGuiTableColumnFlags_WidthStretch);
  ImGui::TableSetupColumn("says", ImGuiTableColumnFlags_WidthFixed, says);
  ImGui::TableNextRow();
  cell(ui, "", ui.theme.text_dim);
  if (claims) cell(ui, "claim", ui.theme.text_dim);
  const engine::Session* session = lab_session(ui.state);
  const bool from_file = session != nullptr && file_of(ui.state, *session) != nullptr;
  cell(ui, from_file ? session->device.name : "this machine", ui.theme.text_dim);
  cell(ui, "", ui.theme.text_dim);
  for (const engine::VerdictRow& row : verdict.rows) {
    ImGui::TableNextRow();
    cell(ui, row.what, ui.theme.text_dim);
    if (claims) cell(ui, text_of(row.claimed, row.unit), ui.theme.accent);
    cell(ui, text_of(row.here, row.unit), ui.theme.text, true);
    cell(ui, std::string(word_of(row.says)), colour_of_outcome(ui.theme, row.says));
  }
  ImGui::EndTable();
}

}  // namespace

void draw_claim(Ui& ui) {
  const engine::Lab& lab = lab_on_screen(ui.state);
  const LabVerdict verdict = lab_verdict(ui.state);
  const ImVec2 at = ImGui::GetCursorPos();
  const ImVec2 size = ImGui::GetContentRegionAvail();
  const float gap = ui.theme.px(22);
  const float left = std::round((size.x - gap) * (verdict.rows.empty() ? 1.0F : 0.36F));
  words(ui, lab, verdict, left);
  if (verdict.rows.empty()) return;
  ImGui::SetCursorPos({at.x + left + gap, at.y});
  table(ui, verdict, {size.x - left - gap, size.y});
}

}  // namespace ui
