#include "engine/compare/watched.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "engine/labs/lab.hpp"
#include "engine/watch/windows.hpp"

namespace engine {
namespace {

/// Phases of two jobs are not the same.
bool is_phase(std::string_view row) { return row.starts_with("from "); }

/// 0 without a row: verdicts leave out what is below half a percent.
double share_in(const std::vector<VerdictRow>& rows, std::string_view name) {
  const auto found = std::ranges::find(rows, name, &VerdictRow::what);
  return found == rows.end() || !found->here ? 0 : found->here->median;
}

}  // namespace

std::vector<std::vector<std::string>> table_of_watched(const Session& a, const Session& b) {
  const Lab& lab = *find_lab(watch_lab);
  const Results of_a = results_of(lab.name, a), of_b = results_of(lab.name, b);
  if (of_a.points.empty() || of_b.points.empty()) return {};
  const std::vector<VerdictRow> rows_a = lab.verdict(of_a).rows, rows_b = lab.verdict(of_b).rows;
  std::vector<std::string> names;
  for (const auto* rows : {&rows_a, &rows_b}) {
    for (const VerdictRow& row : *rows) {
      const bool share = row.unit == "%" && row.here && !is_phase(row.what);
      if (share && std::ranges::find(names, row.what) == names.end()) names.push_back(row.what);
    }
  }
  std::vector<std::vector<std::string>> table{{"", "A", "B", "B - A"}};
  for (const std::string& name : names) {
    const double one = share_in(rows_a, name), other = share_in(rows_b, name);
    table.push_back({name, text_of(Interval{one}, "%"), text_of(Interval{other}, "%"),
                     fmt::format("{:+.0f} points", 100 * (other - one))});
  }
  return names.empty() ? std::vector<std::vector<std::string>>() : table;
}

}  // namespace engine
