// The shapes that a search found fastest, kept for the next time: one session file per device,
// driver and version under the XDG cache folder.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "engine/session/session.hpp"

namespace engine {

class RoofCache {
 public:
  /// Reads what is there, in kernels::own_folder(); no folder: keeps nothing. What cannot be read
  /// counts as empty, and so does what others may write.
  RoofCache(const std::filesystem::path& folder, const kernels::DeviceInfo&);

  /// The fastest shape for a roof of that name, or nothing when it was never searched.
  std::optional<kernels::Shape> winner(const std::string& roof) const;
  /// The shape for that roof is searched again when it is next measured.
  void forget(const std::string& roof);
  /// Every shape that was tried, marked as cached.
  const std::vector<Point>& tried() const { return session_.points; }

  /// Shapes tried and the winner they brought, instead of those of an earlier search; without those
  /// that say nothing of the shape: failed, disturbed, throttled. Written with the next save().
  void keep(const Roof&, const std::vector<Point>& tried);
  void save();

  /// A sentence when the file could not be read or written, given once; else empty.
  std::string take_warning();

 private:
  /// Empty, and a warning, where nothing can be kept.
  std::filesystem::path file();

  std::filesystem::path folder_;
  std::string name_;  // empty: keeps nothing
  Session session_;
  std::string warning_;
  bool changed_ = false;
};

}  // namespace engine
