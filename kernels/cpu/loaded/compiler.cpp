#include "kernels/cpu/loaded/compiler.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>
#include <wordexp.h>

#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <system_error>
#include <thread>

#include "kernels/cpu/loaded/kept_library.hpp"
#include "kernels/device.hpp"
#include "kernels/host/child.hpp"
#include "kernels/kept/kept_source.hpp"
#include "kernels/kept/own_folder.hpp"
#include "kernels/scoped.hpp"
#include "kernels/units.hpp"

namespace kernels::cpu {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

constexpr auto look_every = std::chrono::milliseconds(2);

std::string first_line(const std::string& text) {
  constexpr std::size_t longest = 160;
  return units::printable(units::shortened(text.substr(0, text.find('\n')), longest));
}

/// The line that says what is wrong.
std::string error_in(const std::string& output) {
  const auto at = output.find("error");
  const auto line = at == std::string::npos ? at : output.rfind('\n', at);
  return first_line(line == std::string::npos ? output : output.substr(line + 1));
}

/// A path, or words as a shell reads them without running anything: "ccache g++", "g++ -O2".
std::vector<std::string> command_of(const std::string& text) {
  if (access(text.c_str(), X_OK) == 0) return {text};
  std::vector<std::string> command;
  wordexp_t words{};
  if (wordexp(text.c_str(), &words, WRDE_NOCMD | WRDE_UNDEF) == 0)
    command.assign(words.we_wordv, words.we_wordv + words.we_wordc);
  wordfree(&words);
  if (command.empty()) command.push_back(text);
  return command;
}

}  // namespace

CompilerChoice usual_compiler() {
  CompilerChoice choice{.programs = {"c++", "g++", "clang++"}, .folder = cache_folder()};
  if (const char* named = std::getenv("RIDGEPOINT_CXX"); named != nullptr && *named != '\0')
    choice.programs = {named};
  return choice;
}

std::string Compiler::run(const std::vector<std::string>& arguments, const std::stop_token& stop) {
  if (!hung_.empty()) throw Unsupported(hung_);
  const CountedTime counted(seconds_);
  Child child(arguments);
  if (!child.started()) throw Unsupported(fmt::format("{} cannot be started", arguments[0]));
  const auto limit = Clock::now() + std::chrono::duration<double>(choice_.limit);
  while (!child.ended()) {
    if (stop.stop_requested()) throw Cancelled();
    if (Clock::now() > limit) {
      hung_ = fmt::format("the compiler {} took longer than {:.0f} s and was ended",
                          units::printable(arguments[0]), choice_.limit);
      throw Unsupported(hung_);
    }
    std::this_thread::sleep_for(look_every);
  }
  if (!child.succeeded()) {
    throw Unsupported(fmt::format("the compiler {} failed: {}", units::printable(arguments[0]),
                                  error_in(child.output())));
  }
  return child.output();
}

void Compiler::find(const std::stop_token& stop) {
  std::string why;
  for (const std::string& program : choice_.programs) {
    try {
      std::vector<std::string> asked = command_of(program);
      command_ = asked;
      asked.emplace_back("--version");
      version_ = first_line(run(asked, stop));
      return;
    } catch (const Unsupported& reason) {
      why = reason.what();
      command_.clear();
      if (!hung_.empty()) throw;  // the others are there for those that are missing
    }
  }
  throw Unsupported(
      fmt::format("no C++ compiler here (tried {}; {}): install g++, or name one in RIDGEPOINT_CXX",
                  units::printable(fmt::format("{}", fmt::join(choice_.programs, ", "))), why));
}

std::string Compiler::compile(const fs::path& source, const fs::path& library,
                              const std::vector<std::string>& flags, const std::stop_token& stop) {
  fs::path fresh;  // another process may compile the same
  const int made = open_beside(library, fresh);
  if (made < 0)
    throw Unsupported(fmt::format("{} cannot be written: {}", fresh.string(),
                                  std::generic_category().message(errno)));
  close(made);
  std::vector<std::string> arguments = command_;
  arguments.insert(arguments.end(), {"-shared", "-fPIC", "-std=c++17"});
  arguments.insert(arguments.end(), flags.begin(), flags.end());
  arguments.insert(arguments.end(), {"-o", fresh.string(), source.string()});
  std::error_code error;
  try {
    run(arguments, stop);
  } catch (...) {
    fs::remove(fresh, error);
    throw;
  }
  std::ifstream in(fresh, std::ios::binary);
  std::string bytes{std::istreambuf_iterator<char>(in), {}};
  const bool whole = in.good() || in.eof();
  fs::remove(fresh, error);
  if (!whole || bytes.empty())
    throw Unsupported(fmt::format("the compiler {} wrote no library that can be read",
                                  units::printable(arguments[0])));
  return bytes;
}

Compiler::Result Compiler::load(const std::string& text, const std::vector<std::string>& flags,
                                const char* symbol, const std::stop_token& stop) {
  if (command_.empty()) find(stop);
  const std::string program = fmt::format("{}", fmt::join(command_, " "));
  const OwnFolder folder = own_folder(choice_.folder);  // it may have been removed
  const fs::path source = source_file(
      folder.path, fmt::format("{}\n{}\n{}\n{}", text, program, version_, fmt::join(flags, " ")),
      ".cpp");
  const fs::path library = fs::path(source).replace_extension(".so");
  if (const auto known = loaded_.find(source); known != loaded_.end()) return known->second;
  write_source(source, text);
  std::string why_not;
  const std::string name = library.filename().string();
  const std::string kept = kept_library(library);
  void* function = kept.empty() ? nullptr : symbol_in(kept, name, symbol, why_not);
  if (function == nullptr) {
    const std::string bytes = compile(source, library, flags, stop);
    function = symbol_in(bytes, name, symbol, why_not);
    // Only now: one that crashes must not crash the next start.
    if (function != nullptr) keep_library(library, bytes);
  }
  if (function == nullptr) {
    throw Unsupported(fmt::format("what {} compiled from {} cannot be loaded: {}", program,
                                  source.string(), first_line(why_not)));
  }
  return loaded_[source] = {function, source, version_ + elsewhere(folder)};
}

Compiler& shared_compiler() {
  static Compiler one(usual_compiler());
  return one;
}

}  // namespace kernels::cpu
