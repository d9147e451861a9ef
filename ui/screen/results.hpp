// The results table: the measured points of what is shown as rows, filtered and sorted, and as text
// for other programs. Pure.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ui/model/app_state.hpp"

namespace ui {

inline constexpr std::array result_columns{
    ResultColumn::series,   ResultColumn::lab,       ResultColumn::run,     ResultColumn::repeat,
    ResultColumn::elements, ResultColumn::intensity, ResultColumn::runtime, ResultColumn::spread,
    ResultColumn::flops,    ResultColumn::bandwidth, ResultColumn::share,   ResultColumn::bound,
    ResultColumn::remarks};

/// In small letters (ASCII).
std::string lower(std::string words);

std::string_view title_of(ResultColumn);
/// Whether a column holds numbers: those stand at the right.
bool is_number(ResultColumn);

/// Before a frame: the slider's case, and no row chosen in sessions that are not shown any more,
/// since rows are known by place.
void settle(AppState&);

/// A cell in words; empty where the point has no such number.
std::string cell_text(const AppState&, const Hovered& row, ResultColumn);

/// The cells of a row in small letters, made column by column as far as a filter had to look.
struct RowText {
  std::string cells;
  std::size_t columns = 0;
};

/// What filters have looked through of each point of a session, by its version and the name of its
/// file. Kept from one letter typed to the next: making it takes far longer.
using RowTexts = std::map<std::pair<std::uint64_t, std::string>, std::vector<RowText>>;

/// The points of workloads (measured, skipped or failed) of sessions_shown(), of the lab on screen
/// or of all, that the filter lets through: every word of it begins one in the row, whatever the
/// case of its letters, and a whole number is the repeat; "unmeasured" finds what was skipped or
/// failed. Sorted by the table's column; equal rows keep the order in which they were measured.
/// Keeps the texts that it had to make, and forgets those of sessions that it does not look
/// through.
std::vector<Hovered> result_rows(const AppState&, RowTexts&);

/// In which columns the rows differ: where all hold the same, a column tells nothing. Elements are
/// those of rows that nothing else tells apart.
struct Varying {
  std::set<ResultColumn> same{ResultColumn::lab, ResultColumn::run, ResultColumn::repeat,
                              ResultColumn::elements};

  bool in(ResultColumn column) const { return !same.contains(column); }
};
Varying varying_in(const AppState&, const std::vector<Hovered>& rows);

/// All that result_rows() and their order follow from: equal keys make equal rows.
struct ResultsKey {
  std::vector<std::pair<std::uint64_t, std::string>> sessions;  ///< versions, names of files
  std::string_view lab;                                         ///< empty: all
  std::string filter;
  std::optional<ResultColumn> column;
  bool ascending = true;

  bool operator==(const ResultsKey&) const = default;
};
ResultsKey results_key(const AppState&);

/// Those of `rows` that are selected; all of them when nothing is.
std::vector<Hovered> rows_to_copy(const AppState&, const std::vector<Hovered>& rows);

/// The rows with a header, cells in words, for a README or an issue.
std::string markdown_of(const AppState&, const std::vector<Hovered>& rows);
/// The rows as engine::to_csv() writes them: SI units.
std::string csv_of(const AppState&, const std::vector<Hovered>& rows);

/// Sorts by a column, ascending, or the best first where more is better; by the same once more: the
/// other way round; a third time: as measured.
void sort_by(ResultsTable&, ResultColumn);

/// Chooses a row: alone, beside the others (`add`; one that is chosen is let go), or all from the
/// last chosen one to it (`range`).
void select_row(ResultsTable&, const std::vector<Hovered>& rows, std::size_t row, bool add,
                bool range);

}  // namespace ui
