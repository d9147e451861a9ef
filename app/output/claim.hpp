// A file that one process at a time measures into.
#pragma once

#include <filesystem>

#include "app/output/targets.hpp"

namespace app {

/// While it lives, a second Ridgepoint that claims the same file is refused. Held by a lock on a
/// hidden file beside it, which the system gives up when the process ends, however that ends.
class Claim {
 public:
  /// Throws Failure (exit code 1) where another process holds it, and says which. Claims nothing
  /// where the target is no regular file, and where the file system has no locks.
  explicit Claim(const Target&);
  ~Claim();
  Claim(const Claim&) = delete;
  Claim& operator=(const Claim&) = delete;

 private:
  /// Its lock can be read and not taken.
  void refuse_held_by_another_user(const Target&) const;

  std::filesystem::path lock_;
  int file_ = -1;
};

}  // namespace app
