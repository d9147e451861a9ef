// Events of a sweep as lines of JSON, for `sweep --stream`.
#pragma once

#include <cstddef>
#include <string>

#include "engine/session/session.hpp"
#include "engine/worker/worker.hpp"

namespace app {

/// What the lines hold; part of `sweep --help`.
inline constexpr const char* stream_help =
    R"(With --stream, standard output holds one JSON object per line and nothing else:
  {"event": "start", "device": {...}, "cases": 11}
  {"event": "roof", "roof": {...}}
  {"event": "point", "point": {...}}    measured, skipped or failed
  {"event": "progress", "done": 3, "total": 12, "seconds_left": 4.1, "now": "..."}
  {"event": "warning", "text": "..."}
  {"event": "end", "end": "complete" | "stopped" | "failed", "why": null | "...",
   "ok": 10, "skipped": 1, "failed": 0}
device, roof and point are the objects of the session file, in SI units.)";

/// The line of one event; empty for events that say nothing to a reader (devices opened, sweep
/// replaced). `session` is the one that the event belongs to, after it was applied.
std::string stream_line(const engine::Event&, const engine::Session& session);

/// How many points of a session have this status.
std::size_t count_points(const engine::Session&, engine::Status);

}  // namespace app
