// A worker as the command line uses it, over the emulated runtime, and what it tells.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "engine/session/session_file.hpp"
#include "engine/worker/sweeper.hpp"
#include "kernels/backends.hpp"
#include "kernels/families/family.hpp"
#include "tests/cuda/fakes/fake_runtime.hpp"

namespace tests {

/// What is wrong with a sentence for people; empty: nothing.
inline std::string flaw_of(const std::string& text) {
  if (text.empty()) return "an empty sentence";
  if (text.size() > 400) return "a sentence of more than 400 characters: " + text;
  if (text.find('\n') != std::string::npos) return "a sentence of several lines: " + text;
  return "";
}

inline std::string flaw_of(const engine::Session& session) {
  for (const engine::Point& point : session.points) {
    if (point.status == engine::Status::ok) continue;
    if (std::string flaw = flaw_of(point.why); !flaw.empty()) return flaw;
  }
  const std::string text = engine::to_json(session);
  const engine::Session again = engine::from_json(text, "the session");
  return engine::to_json(again) == text ? ""
                                        : "a session that reads differently from what was written";
}

/// Every event goes into the session, and to `listener`.
class Run {
 public:
  explicit Run(std::function<void(const engine::Event&)> listener = {})
      : listener_(std::move(listener)), sweeper_(gpus, [] {}, timing(), {}) {
    until([&] { return devices_.has_value(); });
    if (!devices_->usable.empty()) session_ = engine::new_session(devices_->usable.front().info);
  }

  const engine::Session& session() const { return session_; }
  bool has_device() const { return !devices_->usable.empty(); }
  void sweep(engine::Spec spec) {
    spec.device = session_.device.id;
    engine::SweepRequest request;
    request.spec = std::move(spec);
    start(std::move(request));
  }
  void start(engine::SweepRequest request) { follow(sweeper_.start(std::move(request))); }
  void probe() {
    engine::ProbeRequest request;
    request.spec.device = session_.device.id;
    request.what = {.elements = 4096, .repeat = 8};
    follow(sweeper_.probe(std::move(request)));
  }

  /// What is wrong with what was told; empty: nothing.
  std::string flaw() const {
    for (const std::string& sentence : sentences_) {
      if (std::string flaw = flaw_of(sentence); !flaw.empty()) return flaw;
    }
    if (!has_device()) return "";
    // A sweep that ran to its end has all its points, measured or with a reason.
    if (ended_ == engine::End::complete && session_.points.size() < cases_)
      return "a point is missing";
    return flaw_of(session_);
  }
  /// Nothing failed, and nothing was said; else the first word of it. A roof that this GPU cannot
  /// have is no failure.
  std::string complaint() const {
    if (!sentences_.empty()) return sentences_.front();
    for (const engine::Point& point : session_.points) {
      if (point.status == engine::Status::failed) return point.why;
    }
    return "";
  }
  /// Roofs and points of workloads that were measured.
  std::size_t measured() const {
    const auto points = std::ranges::count_if(session_.points, [](const engine::Point& point) {
      return point.status == engine::Status::ok &&
             point.what.family->role == kernels::Role::workload;
    });
    const auto roofs =
        std::ranges::count(session_.roofs, engine::RoofSource::measured, &engine::Roof::source);
    return static_cast<std::size_t>(points + roofs);
  }
  /// What was told of what went wrong: sentences, and reasons of points.
  std::size_t words() const {
    return sentences_.size() + static_cast<std::size_t>(std::ranges::count_if(
                                   session_.points, [](const engine::Point& point) {
                                     return point.status != engine::Status::ok &&
                                            !point.why.empty();
                                   }));
  }
  bool says_why() const {
    const auto of_gpu = [](const std::string& text) {
      return text.find("CUDA") != std::string::npos || text.find("GPU") != std::string::npos;
    };
    return std::ranges::any_of(sentences_, of_gpu) ||
           std::ranges::any_of(session_.points, of_gpu, &engine::Point::why);
  }

 private:
  static kernels::Devices gpus() {
    kernels::Devices devices;
    kernels::open_cuda(devices);
    return devices;
  }
  static engine::Timing timing() {
    return {.now = fake_cuda::now,
            .rest = [](double seconds, const std::stop_token&) { fake_cuda::pass(seconds); }};
  }
  void follow(std::uint64_t number) {
    until([&] { return finished_ == number; });
  }
  void until(const std::function<bool()>& done) {
    while (!done()) {
      sweeper_.wait(std::chrono::seconds(1));
      for (const engine::Event& event : sweeper_.drain()) take(event);
    }
  }
  void take(const engine::Event& event) {
    if (listener_) listener_(event);
    if (const auto* opened = std::get_if<engine::DevicesOpened>(&event)) {
      devices_ = *opened;
      for (const kernels::Unavailable& gone : opened->unavailable) sentences_.push_back(gone.why);
    }
    engine::apply(session_, event);
    if (const auto* one = std::get_if<engine::SweepStarted>(&event)) cases_ = one->cases;
    if (const auto* one = std::get_if<engine::Warning>(&event)) sentences_.push_back(one->text);
    if (const auto* one = std::get_if<engine::SweepFinished>(&event)) {
      finished_ = one->sweep;
      ended_ = one->end;
      if (one->end == engine::End::failed) sentences_.push_back(one->why);
    }
  }

  std::function<void(const engine::Event&)> listener_;
  engine::Sweeper sweeper_;
  std::optional<engine::DevicesOpened> devices_;
  engine::Session session_;
  std::vector<std::string> sentences_;
  std::uint64_t finished_ = 0;
  std::size_t cases_ = 0;
  engine::End ended_ = engine::End::complete;
};

}  // namespace tests
