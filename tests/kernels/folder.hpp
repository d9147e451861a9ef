// A folder below /tmp for one test.
#pragma once

#include <stdlib.h>

#include <filesystem>
#include <string>

/// A folder that goes with its test.
class Folder {
 public:
  Folder() {
    std::string name = "/tmp/ridgepoint-test-XXXXXX";
    path_ = mkdtemp(name.data());
  }
  ~Folder() { std::filesystem::remove_all(path_); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};
