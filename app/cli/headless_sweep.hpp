// One headless sweep from opening the devices to the last file: follows the worker's events, keeps
// the session and its files, and decides how the program ends.
#pragma once

#include <algorithm>
#include <array>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "app/cli/exit_codes.hpp"
#include "app/cli/picture_options.hpp"
#include "app/output/output.hpp"
#include "app/output/progress_bar.hpp"
#include "app/output/targets.hpp"
#include "engine/labs/lab.hpp"
#include "engine/worker/worker.hpp"

namespace app {

/// What a sweep leaves behind.
struct SweepFiles {
  Target session;
  Target csv;
  Target plot;
  PictureOptions picture;
  plot::Format format = plot::Format::png;

  std::array<const Target*, 3> targets() const { return {&session, &csv, &plot}; }
  bool any() const { return std::ranges::any_of(targets(), &Target::wanted); }
  bool use_stdout() const { return std::ranges::any_of(targets(), &Target::is_stdout); }
};

class HeadlessSweep {
 public:
  HeadlessSweep(const engine::Spec&, const SweepFiles&, bool stream, engine::Worker&, Output&,
                const std::optional<engine::Session>& roofs = {});

  /// Returns done, failed or interrupted. Throws Failure and engine::BadInput before anything is
  /// measured.
  Exit run();

 private:
  void start(const engine::DevicesOpened&);
  void follow();
  bool nothing_waits_for_results() const;
  void handle(const engine::Event&);
  /// Whether there is what a file is worth replacing for: a point, or a measured roof where the
  /// lab has no points.
  bool has_results() const;
  bool measured_anything() const;
  /// Of its own; a lab that watches measures none.
  bool measured_roofs() const;
  /// A line a second of what is watched.
  void tell_of(const engine::Point& window);
  void save_now_and_then();
  void save_session(bool last);
  void write_rest();
  void write_target(const Target&, const std::function<std::string()>& bytes);
  std::string sweep_report() const;
  void report();
  Exit verdict_on_the_run();

  const engine::Lab& lab_;
  engine::Spec spec_;
  const SweepFiles& files_;
  bool stream_;
  engine::Worker& worker_;
  Output& output_;
  Console console_;
  engine::Session session_;
  std::optional<engine::Session> roofs_;  // measured before, of the same device
  std::size_t cases_ = 0;                 // of the lab
  double next_line_ = 0;                  // s since the first window
  std::optional<engine::SweepFinished> finished_;
  bool unsaved_points_ = false;
  double last_save_ = 0;          // s on the steady clock; the first points are saved at once
  double save_took_ = 0;          // s, the last time
  bool session_unsaved_ = false;  // the last attempt to write it failed
  bool file_failed_ = false;
  std::vector<std::string> written_;  // files that hold the results, quoted
};

}  // namespace app
