#include "kernels/check.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "kernels/random.hpp"

namespace kernels {

std::vector<Window> sampled_windows(const Checkable& of, std::uint64_t elements,
                                    std::uint64_t most) {
  constexpr std::uint64_t side = 8;
  if (elements <= most) return {{0, elements}};
  const std::uint64_t places = std::min(most, of.most_windows());
  const std::uint64_t width = most / places;
  std::vector<Window> windows{{0, width}, {elements - width, width}};
  for (std::uint64_t i = 2; i < places; ++i)
    windows.push_back({random_bits(Dtype::fp64, of.seed(), i) % (elements - width + 1), width});
  for (const std::uint64_t border : of.borders(elements)) {
    const std::uint64_t wide = std::clamp<std::uint64_t>(most / side, 1, side);
    const std::uint64_t first = border - std::min(border, wide);
    windows.push_back({first, std::min(elements, border + wide) - first});
  }
  return windows;
}

Check compare(const Checkable& of, const Covered& covered, Window elements, std::uint64_t most,
              const std::stop_token& stop,
              const std::function<Check(std::uint64_t index, double got)>& judge) {
  if (!covered.check.ok) return covered.check;
  std::vector<Window> windows;
  for (const std::uint64_t one : covered.doubtful)
    if (one - elements.first < elements.count) windows.push_back({one - elements.first, 1});
  std::ranges::copy(sampled_windows(of, elements.count, most), std::back_inserter(windows));
  for (const Window& window : windows) {
    if (stop.stop_requested()) throw Cancelled();
    const std::vector<double> got = of.read({elements.first + window.first, window.count});
    for (std::uint64_t i = 0; i < window.count; ++i) {
      const Check check = judge(window.first + i, got[i]);
      if (!check.ok) return check;
    }
  }
  return {.ok = true};
}

Check compare_chain(Checkable& of, const Case& chain,
                    const std::function<Operands(std::uint64_t index)>& operands,
                    const std::stop_token& stop) {
  Deviation deviation;
  const auto judge = [&](std::uint64_t i, double got) -> Check {
    const double x = of.input(0, i);
    const double expected = reference_chain(chain, of.arithmetic(), operands(i), x);
    if (got != expected) return {false, mismatch(i, chain.elements, expected, got)};
    deviation.add(exact_chain(chain, operands(i), x), got);
    return {.ok = true};
  };
  Check check = compare(of, of.run_poisoned(of.timed(), of.operands(), stop), {0, chain.elements},
                        samples_for(chain.repeat), stop, judge);
  check.error = deviation.share();
  return check;
}

std::uint64_t samples_for(std::uint64_t ops_of_one, std::uint64_t ops) {
  return std::clamp<std::uint64_t>(ops / std::max<std::uint64_t>(ops_of_one, 1), 256, 16384);
}

std::string mismatch(std::uint64_t index, std::uint64_t elements, double expected, double got) {
  return fmt::format("element {} of {}: expected {}, got {}", index, elements, expected, got);
}

}  // namespace kernels
