// The points of a session as text for a terminal: a table, the verdict, and what was left out.
// Pure.
#pragma once

#include <string>
#include <vector>

#include "engine/session.hpp"

namespace app {

/// Rows of cells as lines with columns aligned by display width; the first row is the head,
/// underlined. Columns are right-aligned except those whose index is in `left`.
std::string aligned(const std::vector<std::vector<std::string>>& rows,
                    const std::vector<std::size_t>& left);

/// The measured points: series, repeat, FLOP/byte, time and its interval, rates, share of the
/// roofs, regime.
std::string results_table(const engine::Session&);

/// The verdict headline of each series at its lowest and highest repeat, and the measured roofs.
std::string verdict_lines(const engine::Session&);

/// One sentence per series and reason for the points that were skipped or failed, with their
/// repeats.
std::vector<std::string> left_out(const engine::Session&);

}  // namespace app
