// Tours in this process, through labs that a test chooses, on a made-up device and its clock.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "app/cli/arguments.hpp"
#include "app/cli/commands.hpp"
#include "engine/labs/lab.hpp"
#include "tests/engine/fake_device.hpp"

namespace tours {

/// Those labs instead of all others, for one test.
struct Labs {
  std::vector<const engine::Lab*> before{engine::labs().begin(), engine::labs().end()};
  explicit Labs(std::vector<const engine::Lab*> now) { engine::use_labs(std::move(now)); }
  ~Labs() { engine::use_labs(before); }
  Labs(const Labs&) = delete;
  Labs& operator=(const Labs&) = delete;
};

inline app::Exit tour(std::vector<std::string> words, fake::Script script = {}) {
  words.insert(words.begin(), {"ridgepoint", "tour"});
  std::vector<char*> typed;
  for (std::string& word : words) typed.push_back(word.data());
  const app::Arguments arguments =
      app::parse_arguments(static_cast<int>(typed.size()), typed.data());
  app::Output output;
  fake::Clock clock;
  script.clock = &clock;
  return app::tour_command(arguments.tour, output, fake::machine_with(std::move(script)),
                           clock.timing());
}

}  // namespace tours
