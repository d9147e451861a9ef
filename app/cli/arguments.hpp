// What was typed, as values. Knows the options of every command and nothing of what they do.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/cli/commands.hpp"

namespace app {

struct Arguments {
  std::string command{};              ///< its name; empty: the window
  std::string text{};                 ///< help or version, to be printed instead; else empty
  std::vector<std::string> sessions;  ///< gui
  std::optional<std::string> replay;  ///< gui: session file to be played
  std::string speed = "1";            ///< gui: how many times as fast as it was measured
  SweepArguments sweep;               ///< watch, too
  PlotArguments plot;
  ExplainArguments explain;
  CompareArguments compare;
  bool devices_json = false;
  TourArguments tour;
};

/// Throws Failure (exit code 2): what is wrong, where, what was expected.
Arguments parse_arguments(int argc, char** argv);

}  // namespace app
