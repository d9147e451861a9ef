// A PATH that holds only the programs that a test puts there.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "tests/cli/program.hpp"

class PathFolder {
 public:
  PathFolder() { setenv("PATH", folder_.path().c_str(), 1); }
  ~PathFolder() { setenv("PATH", path_.c_str(), 1); }
  PathFolder(const PathFolder&) = delete;
  PathFolder& operator=(const PathFolder&) = delete;

  std::string operator/(const std::string& name) const { return folder_ / name; }
  /// A program of this name that runs a shell script.
  void install(const std::string& program, const std::string& script) const {
    std::ofstream(folder_ / program) << "#!/bin/sh\n" << script << "\n";
    std::filesystem::permissions(folder_ / program, std::filesystem::perms::owner_all);
  }

 private:
  std::string path_ = std::getenv("PATH");
  TemporaryFolder folder_;
};
