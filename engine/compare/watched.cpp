#include "engine/compare/watched.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "engine/labs/lab.hpp"
#include "engine/watch/windows.hpp"

namespace engine {

std::vector<std::vector<std::string>> table_of_watched(const Session& a, const Session& b) {
  const Lab& lab = *find_lab(watch_lab);
  const Results of_a = results_of(lab.name, a), of_b = results_of(lab.name, b);
  if (of_a.points.empty() || of_b.points.empty()) return {};
  std::vector<std::vector<std::string>> table{{"", "A", "B", "B - A"}};
  const LabVerdict other = lab.verdict(of_b);
  for (const VerdictRow& row : lab.verdict(of_a).rows) {
    const auto same = std::ranges::find(other.rows, row.what, &VerdictRow::what);
    if (row.unit != "%" || !row.here || same == other.rows.end() || !same->here) continue;
    table.push_back({row.what, text_of(row.here, "%"), text_of(same->here, "%"),
                     fmt::format("{:+.0f} points", 100 * (same->here->median - row.here->median))});
  }
  return table;
}

}  // namespace engine
