#include "tests/bench/draw_scenes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "app/window/window.hpp"
#include "engine/verdict/predict.hpp"
#include "ui/actions/events.hpp"
#include "ui/panels/panels.hpp"

namespace bench {
namespace {

const ImVec2 screen_size{1600, 1000};

/// Uniform numbers that are the same with every standard library.
class Dice {
 public:
  explicit Dice(unsigned seed) : engine_(seed) {}
  double between(double low, double high) {
    return low + (high - low) * (static_cast<double>(engine_()) / 4294967296.0);
  }

 private:
  std::mt19937 engine_;
};

engine::Roof roof(const std::string& name, engine::RoofKind kind, double rate) {
  engine::Roof made;
  made.name = name;
  made.kind = kind;
  made.rate = rate;
  return made;
}

engine::Session session_with_roofs() {
  engine::Session session;
  session.created = "2026-11-21T10:00:00Z";
  session.device.name = "a device";
  session.roofs = {roof("DRAM copy", engine::RoofKind::bandwidth, 35e9)};
  for (const auto& [dtype, rate] : {std::pair{kernels::Dtype::fp64, 118e9},
                                    {kernels::Dtype::fp32, 237e9},
                                    {kernels::Dtype::fp16, 474e9},
                                    {kernels::Dtype::bf16, 119e9}}) {
    session.roofs.push_back(roof(engine::compute_roof_name(dtype, kernels::Units::vector),
                                 engine::RoofKind::compute, rate));
    session.roofs.back().dtype = dtype;
    session.roofs.back().units = kernels::Units::vector;
  }
  return session;
}

/// Near the roofs, with two per cent of noise.
void add_point(engine::Session& session, const kernels::Case& what, Dice& dice) {
  engine::Point& point = session.points.emplace_back();
  point.what = what;
  point.work = kernels::work_of(what);
  const double seconds =
      engine::predict(session, what, point.work).seconds() / dice.between(0.90, 0.94);
  point.seconds = {seconds, 0.99 * seconds, 1.01 * seconds, std::vector<double>(9, seconds), {}};
  point.checked = true;
}

}  // namespace

Screen::Screen() : imgui_(screen_size) {
  imgui_.use(app::make_fonts(1));
  ui::apply_to_imgui(theme_);
}

void Screen::frame(ImVec2 pointer, const std::function<void()>& contents) {
  ImGui::GetIO().MousePos = pointer;
  imgui_.frame(contents);
}

engine::Session usual_sweep() {
  Dice dice(3);
  engine::Session session = session_with_roofs();
  for (const auto fusion : {kernels::Fusion::fused, kernels::Fusion::unfused}) {
    for (const auto dtype :
         {kernels::Dtype::fp64, kernels::Dtype::fp32, kernels::Dtype::fp16, kernels::Dtype::bf16}) {
      kernels::Case what;
      what.fusion = fusion;
      what.dtype = dtype;
      what.elements = 64 << 20;
      for (what.repeat = 1; what.repeat <= kernels::max_repeat; what.repeat *= 2)
        add_point(session, what, dice);
    }
  }
  return session;
}

std::vector<engine::Session> long_sweeps(std::size_t series, std::uint64_t points,
                                         std::size_t series_per_session) {
  Dice dice(1);
  std::vector<engine::Session> sessions;
  for (std::size_t i = 0; i < series; ++i) {
    if (i % series_per_session == 0) sessions.push_back(session_with_roofs());
    kernels::Case what;
    what.elements = 1'000'000 * (1 + i);
    for (what.repeat = 1; what.repeat <= points; ++what.repeat)
      add_point(sessions.back(), what, dice);
  }
  return sessions;
}

std::vector<engine::Session> fleet(std::size_t count) {
  Dice dice(2);
  std::vector<engine::Session> sessions;
  for (std::size_t i = 0; i < count; ++i) {
    engine::Session& session = sessions.emplace_back(session_with_roofs());
    session.device.name = fmt::format("machine {}", i + 1);
    const double speed = dice.between(0.7, 1.4);
    for (engine::Roof& one : session.roofs) one.rate *= speed;
    kernels::Case what;
    what.elements = 64 << 20;
    for (int j = 0; j < 31; ++j) {
      what.repeat = static_cast<std::uint64_t>(std::lround(j + std::exp2(12.0 * j / 31)));
      add_point(session, what, dice);
    }
  }
  return sessions;
}

ui::AppState state_with(std::vector<engine::Session> sessions) {
  ui::AppState state = ui::new_state();
  engine::DevicesOpened opened;
  opened.usable.emplace_back();
  opened.usable.back().info.id = "cpu";
  opened.usable.back().info.name = "a device";
  ui::apply(state, opened);
  // The slider meets the points of a series.
  if (!sessions.empty() && !sessions.front().points.empty())
    state.spec.elements = sessions.front().points.front().what.elements;
  for (std::size_t i = 0; i < sessions.size(); ++i) {
    if (i == 0) {
      state.documents.sessions[state.spec.device] = std::move(sessions[i]);
    } else {
      state.documents.opened.push_back({fmt::format("{}.json", i), std::move(sessions[i])});
    }
  }
  return state;
}

void Scene::frame(ImVec2 pointer) {
  screen.frame(pointer, [&] {
    ui::Ui ui{state, screen.theme(), screen.fonts(), map, panels, {}, 0};
    ui::draw_screen(ui);
  });
}

}  // namespace bench
