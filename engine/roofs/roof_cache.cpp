#include "engine/roofs/roof_cache.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "engine/build_info.hpp"
#include "engine/session/session_file.hpp"
#include "kernels/kept/own_folder.hpp"
#include "kernels/kept/sha256.hpp"

namespace engine {
namespace {

namespace fs = std::filesystem;

/// All that the fastest shape may depend on.
std::string key_of(const kernels::DeviceInfo& device) {
  const AppInfo app = app_info();
  return fmt::format("{}\n{}\n{}\n{}\n{}\n{}\n{}\n{}\n{}\n{}\n{}\n{}\n{}\n{}", device.name,
                     device.driver, device.partition, device.compute_capability,
                     device.multiprocessors, device.threads, device.l1_bytes, device.l2_bytes,
                     device.l3_bytes, device.memory_bytes, app.version, app.commit, app.compiler,
                     build_flags);
}

bool tells_of_shape(const Point& point) {
  const bool held_back = point.disturbed || point.conditions.throttled.value_or(false);
  return point.status == Status::skipped || (point.status == Status::ok && !held_back);
}

}  // namespace

RoofCache::RoofCache(const fs::path& folder, const kernels::DeviceInfo& device)
    : session_(new_session(device)) {
  if (folder.empty()) return;
  folder_ = folder;
  name_ = fmt::format("roofs-{}.json", kernels::sha256(key_of(device)).substr(0, 16));
  const fs::path file = this->file();
  if (!kernels::is_ours(file)) return;
  try {
    Session found = load_session(file);
    // Two devices with one key are one device; anything else is not what we wrote.
    if (key_of(found.device) == key_of(device)) session_ = std::move(found);
  } catch (const BadInput& bad) {
    warning_ = fmt::format(
        "the kernel shapes are searched again, since the cache cannot be read: {}", bad.what());
  }
}

fs::path RoofCache::file() {
  try {
    const kernels::OwnFolder own = kernels::own_folder(folder_);  // it may have been removed
    if (!own.why_elsewhere.empty()) {
      warning_ = fmt::format("the kernel shapes of roofs are kept in {}, because {}",
                             own.path.string(), own.why_elsewhere);
    }
    return own.path / name_;
  } catch (const kernels::Unsupported& none) {
    warning_ = none.what();
    return {};
  }
}

std::optional<kernels::Shape> RoofCache::winner(const std::string& roof) const {
  const auto found = std::ranges::find(session_.roofs, roof, &Roof::name);
  if (found == session_.roofs.end()) return std::nullopt;
  return found->shape;
}

void RoofCache::forget(const std::string& roof) {
  if (std::erase_if(session_.roofs, [&](const Roof& one) { return one.name == roof; }) > 0)
    changed_ = true;
}

void RoofCache::keep(const Roof& roof, const std::vector<Point>& tried) {
  add_roof(session_, roof);
  for (Point point : tried) {
    std::erase_if(session_.points, [&](const Point& old) { return old.what == point.what; });
    if (!tells_of_shape(point)) continue;
    point.run = 0;
    point.cached = true;
    add_point(session_, std::move(point));
  }
  changed_ = true;
}

void RoofCache::save() {
  if (!std::exchange(changed_, false) || name_.empty()) return;
  const fs::path file = this->file();
  if (file.empty()) return;
  const std::string why = kernels::replace_file(file, to_json(session_));
  if (!why.empty()) {
    warning_ = fmt::format("the kernel shapes were not cached for the next time: {}: {}",
                           file.string(), why);
  }
}

std::string RoofCache::take_warning() { return std::exchange(warning_, {}); }

}  // namespace engine
