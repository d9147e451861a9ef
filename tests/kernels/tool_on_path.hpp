// A program that a test writes, as the only one beside those of the system.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "tests/kernels/folder.hpp"

/// PATH with a tool that is this script of a shell; without one: PATH with nothing.
class ToolOnPath {
 public:
  ToolOnPath(const std::string& tool, const std::string& script) : before_(std::getenv("PATH")) {
    if (!script.empty()) {
      const auto file = folder_.path() / tool;
      std::ofstream(file) << "#!/bin/sh\n" << script;
      std::filesystem::permissions(file, std::filesystem::perms::owner_all);
    }
    // What the script itself calls comes from /bin.
    setenv("PATH", (folder_.path().string() + (script.empty() ? "" : ":/bin:/usr/bin")).c_str(), 1);
  }
  ~ToolOnPath() { setenv("PATH", before_.c_str(), 1); }
  ToolOnPath(const ToolOnPath&) = delete;
  ToolOnPath& operator=(const ToolOnPath&) = delete;

 private:
  Folder folder_;
  std::string before_;
};
