#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "kernels/units.hpp"
#include "ui/actions/intents.hpp"
#include "ui/panels/panels.hpp"
#include "ui/screen/progress.hpp"
#include "ui/views/panel_cache.hpp"

namespace ui {

namespace {

std::string device_text(const AppState& state) {
  const engine::Place* device = current_device(state);
  if (device == nullptr) return state.worker.looking ? "Looking for devices..." : "No device";
  const kernels::DeviceInfo& info = device->info;
  std::string words = info.name;
  if (info.multiprocessors > 0)
    words += ", " + units::counted(info.multiprocessors, info.kind == "cuda" ? "SM" : "core");
  if (info.memory_bytes > 0) words += fmt::format(", {}", units::bytes(info.memory_bytes));
  if (!info.partition.empty()) words += fmt::format(" ({})", info.partition);
  return words;
}

void item(Ui& ui, const std::string& name, const std::string& words, double x, double width,
          plot::Colour colour, bool bold) {
  const ImVec2 origin = ImGui::GetWindowPos();
  const float height = ImGui::GetWindowSize().y;
  const std::string shown = elided(ui, words, width, ui.theme.pixels(small_size), bold);
  ImGui::SetCursorPos({static_cast<float>(x), 0});
  ImGui::Dummy({static_cast<float>(width), height});
  text_at(ui, {origin.x + x, origin.y + height / 2}, shown, small_size, bold, colour);
  ui.map.controls[name] = {last_item(), true, words};
  if (shown != words) tip_on_hover(ui, words);
}

/// What it takes to be read as a whole.
double width_of(Ui& ui, const std::string& words, bool bold) {
  return std::ceil(text_width(ui, words, small_size, bold));
}

void progress_bar(Ui& ui, double x, double width, double share) {
  const ImVec2 origin = ImGui::GetWindowPos();
  const double middle = origin.y + ImGui::GetWindowSize().y / 2;
  const double half = ui.theme.pixels(3);
  const auto bar = [&](double length, plot::Colour colour) {
    fill_rect(*ImGui::GetWindowDrawList(), {origin.x + x, middle - half, length, 2 * half}, colour,
              static_cast<float>(half));
  };
  bar(width, ui.theme.control);
  bar(std::max(2 * half, width * std::clamp(share, 0.0, 1.0)), ui.theme.run_hover);
}

/// Nothing runs: what of the newest run could not be measured, or what Run would add.
void ready(Ui& ui, double x, double width) {
  const engine::Session* session = current_session(ui.state);
  const Unmeasured unmeasured =
      session == nullptr ? Unmeasured() : unmeasured_of(*session, lab_on_screen(ui.state).name);
  const std::string missing = ui.panels.unswept.get({seen_on_screen(ui.state), ui.state.spec},
                                                    [&] { return unswept_text(ui.state); });
  std::string words = missing.empty() ? "ready" : missing;
  if (unmeasured.count > 0)
    words += fmt::format("{} {} not measured", missing.empty() ? "," : ";", unmeasured.count);
  item(ui, "status.now", words, x, std::min(width, width_of(ui, words, false)),
       missing.empty() ? ui.theme.text_dim : ui.theme.text, false);
  if (unmeasured.count == 0 || !ImGui::IsItemHovered()) return;
  tip_on_hover(ui, words + "\n" + unmeasured.why + "Click to list what was not measured.");
  if (ImGui::IsMouseClicked(ImGuiMouseButton_Left)) show_results(ui.state, "unmeasured");
}

void progress(Ui& ui, double x, double width) {
  const Running& running = ui.state.worker.running;
  if (!running.any()) return ready(ui, x, width);
  const double most = ui.theme.pixels(140);
  const double bar = running.sweep ? std::min(width * 0.3, most) : 0;
  const double left = running.sweep ? ui.theme.pixels(76) : 0;
  const double gap = ui.theme.pixels(10);
  item(ui, "status.now", progress_text(ui.state), x, width - bar - left - 2 * gap, ui.theme.text,
       false);
  if (!running.sweep) return;
  const auto done = static_cast<double>(running.progress.done);
  const auto total = static_cast<double>(running.progress.total);
  progress_bar(ui, x + width - bar - left - gap, bar, total > 0 ? done / total : 0);
  const double seconds = seconds_left(ui.state);
  if (seconds <= 0) return;
  item(ui, "status.left", units::seconds(seconds, 2) + " left", x + width - left, left,
       ui.theme.text_dim, false);
}

const std::string& words_of(const Notice& notice) {
  return notice.brief.empty() ? notice.text : notice.brief;
}

void notice(Ui& ui, const Notice& newest, double x, double width) {
  item(ui, "status.notice", words_of(newest), x, width,
       newest.warning ? ui.theme.warning : ui.theme.text_dim, false);
  if (!ImGui::IsItemHovered()) return;
  tip_on_hover(ui, newest.text + "\nClick for all messages.");
  if (ImGui::IsMouseClicked(ImGuiMouseButton_Left)) toggle_log(ui.state);
}

}  // namespace

void draw_status_bar(Ui& ui) {
  const double width = ImGui::GetWindowSize().x;
  const double pad = ui.theme.pixels(12);
  const double log = ui.theme.pixels(26);
  const double free = width - 5 * pad - log;
  // Device and notice have what they need, up to a third, and to half of the rest. The progress has
  // what is left: its words change all the time, and nothing else moves with them.
  const std::string device = device_text(ui.state);
  const double for_device = std::min(width_of(ui, device, true), free * 0.34);
  const double rest = free - for_device;
  const Notice* const newest = newest_notice(ui.state);
  const double for_notice =
      newest == nullptr ? 0 : std::min(width_of(ui, words_of(*newest), false), rest * 0.5);
  item(ui, "status.device", device, pad, for_device, ui.theme.text, true);
  progress(ui, 2 * pad + for_device, rest - for_notice);
  // A copy: a click on it opens the log.
  if (newest != nullptr) notice(ui, Notice(*newest), 3 * pad + free - for_notice, for_notice);
  item(ui, "status.log", "Log", 4 * pad + free, log, ui.theme.text_dim, false);
  tip_on_hover(ui, "All messages since the start (Ctrl+J).");
  if (ImGui::IsItemClicked()) toggle_log(ui.state);
}

}  // namespace ui
