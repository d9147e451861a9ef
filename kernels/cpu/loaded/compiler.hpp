// The C++ compiler of this system: compiles a text into a library that is loaded at once. Results
// are kept in a folder, so that the same text is compiled once.
#pragma once

#include <filesystem>
#include <map>
#include <stop_token>
#include <string>
#include <vector>

namespace kernels::cpu {

struct CompilerChoice {
  /// Names, paths or commands with arguments, as a shell reads them; the first that answers is
  /// taken.
  std::vector<std::string> programs;
  std::filesystem::path folder;  ///< of results, see own_folder()
  double limit = 30;             ///< seconds for one compilation
};

/// $RIDGEPOINT_CXX, else c++, g++ or clang++; cache_folder().
CompilerChoice usual_compiler();

class Compiler {
 public:
  explicit Compiler(CompilerChoice choice) : choice_(std::move(choice)) {}

  struct Result {
    void* function = nullptr;
    std::filesystem::path source;  ///< the text, as a file
    /// First line of what the compiler says of itself; why the source is not in the usual folder.
    std::string version;
  };
  /// The function `symbol` of a text in C++, compiled with `flags`. Loaded once. Throws Unsupported
  /// with a sentence where there is no compiler, where it fails or takes too long; Cancelled.
  Result load(const std::string& text, const std::vector<std::string>& flags, const char* symbol,
              const std::stop_token&);
  /// Of all that it ran so far, whether that succeeded or not.
  double seconds() const { return seconds_; }

 private:
  void find(const std::stop_token&);
  /// The bytes of the library.
  std::string compile(const std::filesystem::path& source, const std::filesystem::path& library,
                      const std::vector<std::string>& flags, const std::stop_token&);
  std::string run(const std::vector<std::string>& arguments, const std::stop_token&);

  CompilerChoice choice_;
  std::vector<std::string> command_;  // what runs before the flags; empty: not found yet
  std::string version_;
  double seconds_ = 0;
  std::string hung_;  // once is enough: what it was doing
  std::map<std::filesystem::path, Result> loaded_;
};

/// The one that all trials share. Made when it is first asked for.
Compiler& shared_compiler();

}  // namespace kernels::cpu
