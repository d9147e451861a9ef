// The folder in which the monkey lives, and the files that it finds there.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "tests/model/fake_state.hpp"

namespace monkey {

/// A folder that is the home folder and the working folder for as long as it lives, so that
/// whatever is typed into a dialog lands there.
class Home {
 public:
  Home();
  ~Home();
  Home(const Home&) = delete;
  Home& operator=(const Home&) = delete;

  std::string path_of(const std::string& name) const { return (folder_.path / name).string(); }
  /// Whether a typed path leads to something below the folder.
  bool holds(const std::string& typed) const;
  /// Sessions, good and broken, and what is none.
  const std::vector<std::string>& files() const { return files_; }

 private:
  void write_files();

  std::filesystem::path before_;
  fake::Folder folder_;
  std::vector<std::string> files_;
};

}  // namespace monkey
