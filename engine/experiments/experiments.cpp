// The list of experiments: one line for each.
#include <algorithm>

#include "engine/experiments/intensity.hpp"
#include "engine/experiments/roofs.hpp"
#include "engine/spec.hpp"

namespace engine {

const std::vector<Experiment>& experiments() {
  static const std::vector<Experiment> list{intensity_experiment(), roofs_experiment()};
  return list;
}

const Experiment* find_experiment(std::string_view name) {
  const auto& list = experiments();
  const auto found = std::ranges::find(list, name, &Experiment::name);
  return found == list.end() ? nullptr : &*found;
}

}  // namespace engine
