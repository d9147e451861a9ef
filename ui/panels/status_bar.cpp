#include "ui/panels/status_bar.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "kernels/units.hpp"
#include "ui/actions/intents.hpp"
#include "ui/model/progress.hpp"
#include "ui/views/panel_cache.hpp"

namespace ui {

namespace {

std::string device_text(const AppState& state) {
  const engine::Place* device = current_device(state);
  if (device == nullptr) return state.worker.looking ? "Looking for devices..." : "No device";
  const kernels::DeviceInfo& info = device->info;
  const char* what = info.kind == "cuda" ? "SMs" : info.multiprocessors == 1 ? "core" : "cores";
  std::string words = info.name;
  if (info.multiprocessors > 0) words += fmt::format(", {} {}", info.multiprocessors, what);
  if (info.memory_bytes > 0) words += fmt::format(", {}", units::bytes(info.memory_bytes));
  return words;
}

void item(Ui& ui, const std::string& name, const std::string& words, double x, double width,
          plot::Colour colour, bool bold) {
  const double size = static_cast<double>(ui.theme.px(small_size));
  ImGuiCanvas canvas(*ImGui::GetWindowDrawList(), ui.fonts);
  const ImVec2 origin = ImGui::GetWindowPos();
  const float height = ImGui::GetWindowSize().y;
  const std::string shown = elided(ui, words, width, size, bold);
  ImGui::SetCursorPos({static_cast<float>(x), 0});
  ImGui::Dummy({static_cast<float>(width), height});
  canvas.text({origin.x + x, static_cast<double>(origin.y + height / 2)}, shown, size, colour,
              plot::Align::left, 0, bold);
  ui.map.controls[name] = {last_item(), true, words};
  if (shown != words) tip_on_hover(ui, words);
}

void progress_bar(Ui& ui, double x, double width, double share) {
  const ImVec2 origin = ImGui::GetWindowPos();
  const double middle = static_cast<double>(origin.y + ImGui::GetWindowSize().y / 2);
  const double half = static_cast<double>(ui.theme.px(3));
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const double left = origin.x + x;
  const auto round = static_cast<float>(half);
  list.AddRectFilled(vec_of({left, middle - half}), vec_of({left + width, middle + half}),
                     colour_of(ui.theme.control), round);
  const double filled = std::max(2 * half, width * std::clamp(share, 0.0, 1.0));
  list.AddRectFilled(vec_of({left, middle - half}), vec_of({left + filled, middle + half}),
                     colour_of(ui.theme.run_hover), round);
}

/// What of the chosen series has no points yet; the roofs view does not sweep.
std::string unswept(Ui& ui) {
  return ui.panels.unswept().get({seen_on_screen(ui.state), ui.state.spec},
                                 [&] { return unswept_text(ui.state); });
}

/// Nothing runs: what of the newest run could not be measured, or what Run would add.
void ready(Ui& ui, double x, double width) {
  const engine::Session* session = current_session(ui.state);
  const Unmeasured unmeasured = session == nullptr ? Unmeasured() : unmeasured_of(*session);
  const std::string missing = unswept(ui);
  std::string words = missing.empty() ? "ready" : missing;
  if (unmeasured.count > 0)
    words += fmt::format("{} {} not measured", missing.empty() ? "," : ";", unmeasured.count);
  ImGuiCanvas canvas(*ImGui::GetWindowDrawList(), ui.fonts);
  const double size = static_cast<double>(ui.theme.px(small_size));
  const double needed = std::ceil(canvas.text_extent(words, size, false).x);
  item(ui, "status.now", words, x, std::min(width, needed),
       missing.empty() ? ui.theme.text_dim : ui.theme.text, false);
  if (unmeasured.count == 0 || !ImGui::IsItemHovered()) return;
  tip_on_hover(ui, words + "\n" + unmeasured.why + "Click to list what was not measured.");
  if (ImGui::IsMouseClicked(ImGuiMouseButton_Left)) show_results(ui.state, "unmeasured");
}

void progress(Ui& ui, double x, double width) {
  const Running& running = ui.state.worker.running;
  if (!running.any()) return ready(ui, x, width);
  const double bar = running.sweep ? width * 0.3 : 0;
  const double left = running.sweep ? static_cast<double>(ui.theme.px(76)) : 0;
  const double gap = static_cast<double>(ui.theme.px(10));
  item(ui, "status.now", progress_text(ui.state), x, width - bar - left - 2 * gap, ui.theme.text,
       false);
  if (!running.sweep) return;
  const double share = running.total > 0
                           ? static_cast<double>(running.done) / static_cast<double>(running.total)
                           : 0;
  progress_bar(ui, x + width - bar - left - gap, bar, share);
  if (running.seconds_left <= 0) return;
  item(ui, "status.left", units::seconds(running.seconds_left, 2) + " left", x + width - left, left,
       ui.theme.text_dim, false);
}

/// The newest one that the log has not shown.
void notice(Ui& ui, double x, double width) {
  const std::vector<Notice>& notices = ui.state.notices;
  if (notices.empty() || notices.back().seen) return;
  const Notice newest = notices.back();
  item(ui, "status.notice", newest.brief.empty() ? newest.text : newest.brief, x, width,
       newest.warning ? ui.theme.warning : ui.theme.text_dim, false);
  if (!ImGui::IsItemHovered()) return;
  tip_on_hover(ui, newest.text + "\nClick for all messages.");
  if (ImGui::IsMouseClicked(ImGuiMouseButton_Left)) toggle_log(ui.state);
}

void log_entry(Ui& ui, double x, double width) {
  item(ui, "status.log", "Log", x, width, ui.theme.text_dim, false);
  tip_on_hover(ui, "All messages since the start (Ctrl+J).");
  if (ImGui::IsItemClicked()) toggle_log(ui.state);
}

}  // namespace

void draw_status_bar(Ui& ui) {
  const double width = static_cast<double>(ImGui::GetWindowSize().x);
  const double pad = static_cast<double>(ui.theme.px(12));
  const double log = static_cast<double>(ui.theme.px(26));
  const double free = width - 5 * pad - log;
  item(ui, "status.device", device_text(ui.state), pad, free * 0.28, ui.theme.text, true);
  progress(ui, 2 * pad + free * 0.28, free * 0.38);
  notice(ui, 3 * pad + free * 0.66, free * 0.34);
  log_entry(ui, 4 * pad + free, log);
}

}  // namespace ui
