// Files as tests read and write them.
#pragma once

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

namespace tests {

/// Empty where there is no such file.
inline std::string read_file(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

inline void write_text(const std::filesystem::path& path, const std::string& text) {
  std::ofstream(path, std::ios::binary) << text;
}

}  // namespace tests
