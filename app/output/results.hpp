// The points of a session as text: tables, the verdict, and what was left out. Pure.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engine/session/session.hpp"

namespace app {

using Rows = std::vector<std::vector<std::string>>;

/// Rows of cells as lines with columns aligned by display width. Columns are right-aligned except
/// those whose index is in `left`.
std::string aligned(const Rows&, const std::vector<std::size_t>& left);
/// With words in the first and the last column, and numbers between. Empty without rows.
std::string aligned(const Rows&);

/// The measured points of sweeps: series, repeat, FLOP/byte, time and its interval, rates, share of
/// the roofs, regime and what disturbed it. FLOP per clock and core (SM) too, where `columns` hold
/// it and any clock is known.
std::string results_table(const engine::Session&, std::optional<int> columns = {});
/// Its rows, the first with titles; none without points. FLOP per clock and core where that is
/// asked for and known.
Rows results_rows(const engine::Session&, bool per_clock);

/// All roofs: measured with its interval, datasheet, share, rate per clock and core (SM), and the
/// shape that won.
std::string roofs_table(const engine::Session&);
/// Its rows, the first with titles; none without measured roofs.
Rows roofs_rows(const engine::Session&);

/// Where the source of each generated kernel is; empty where none was generated.
std::string kernel_sources(const engine::Session&);

/// The verdict headline of each series at its lowest and highest repeat, and the measured roofs.
std::string verdict_lines(const engine::Session&);

/// A whole session as Markdown, as people paste it into an issue: the device, what was measured,
/// what limits each series, verdicts, the points where they are few, roofs, and what was left out.
std::string markdown_of(const engine::Session&);

/// One sentence per series and reason for the points that were skipped or failed, with their
/// repeats, and one for each roof that cannot be measured.
std::vector<std::string> left_out(const engine::Session&);

}  // namespace app
