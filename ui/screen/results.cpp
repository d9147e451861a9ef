#include "ui/screen/results.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <iterator>
#include <map>
#include <sstream>
#include <string>
#include <system_error>
#include <tuple>
#include <utility>

#include "engine/labs/lab.hpp"
#include "engine/session/session_file.hpp"
#include "engine/verdict/precision.hpp"
#include "engine/verdict/predict.hpp"
#include "engine/watch/windows.hpp"
#include "kernels/units.hpp"
#include "ui/figures/point_facts.hpp"
#include "ui/pages/markdown.hpp"

namespace ui {

using engine::Point;
using engine::Session;

namespace {

/// A row with what it stands for.
using Row = engine::CsvRow;

bool measured(const Point& point) { return point.status == engine::Status::ok; }

/// 0 with too few samples for an interval.
double relative_spread(const Point& point) {
  const engine::Seconds& seconds = point.seconds;
  if (!seconds.has_interval() || seconds.median <= 0) return 0;
  return engine::reach_of(seconds);
}

/// Empty for what is measured here.
std::string name_of_file(const AppState& state, const Session& session) {
  const OpenedFile* file = file_of(state, session);
  return file != nullptr ? file->name : std::string();
}

/// What its rows are sorted by (0: no number; null: by its words), and its cells in words.
struct Column {
  ResultColumn id;
  std::string_view title;
  double (*number)(const Row&);
  std::string (*text)(const Row&, double number);
  bool more_is_better = false;
  bool timed = false;  ///< empty for a point that was not measured
};

constexpr std::array columns{
    Column{ResultColumn::series, "Series", nullptr,
           [](const Row& row, double) {
             if (engine::is_window(row.point))
               return fmt::format("{:6.1f} s", engine::value_of(row.point, engine::time_value));
             return point_name(row.point) + (row.point.probe ? " · slider" : "");
           }},
    Column{ResultColumn::lab, "Lab", nullptr, [](const Row& row, double) { return row.point.lab; }},
    Column{ResultColumn::run, "Run",
           [](const Row& row) { return row.point.probe ? 0 : static_cast<double>(row.point.run); },
           [](const Row& row, double number) {
             return number > 0 ? std::to_string(row.point.run) : std::string();
           }},
    Column{ResultColumn::repeat, "Ops",
           [](const Row& row) { return static_cast<double>(row.point.what.repeat); },
           [](const Row& row, double) { return std::to_string(row.point.what.repeat); }},
    Column{ResultColumn::elements, "Elements",
           [](const Row& row) { return static_cast<double>(row.point.what.elements); },
           [](const Row&, double number) { return units::count(number); }},
    Column{ResultColumn::intensity, "Intensity",
           [](const Row& row) { return row.point.work.intensity(); },
           [](const Row& row, double number) {
             return units::intensity(number, kernels::info_of(row.point.what.dtype).integer);
           }},
    Column{ResultColumn::runtime, "Runtime",
           [](const Row& row) { return row.point.seconds.median; },
           [](const Row&, double number) { return units::seconds(number); }, false, true},
    Column{ResultColumn::spread, "95 %", [](const Row& row) { return relative_spread(row.point); },
           [](const Row&, double number) { return engine::spread_in_words(number); }, false, true},
    Column{ResultColumn::flops, "Performance",
           [](const Row& row) { return row.point.flops_per_second(); },
           [](const Row& row, double number) {
             return units::flops_per_second(number, kernels::info_of(row.point.what.dtype).integer);
           },
           true, true},
    Column{ResultColumn::bandwidth, "Bandwidth",
           [](const Row& row) { return row.point.bytes_per_second(); },
           [](const Row&, double number) { return units::bytes_per_second(number); }, true, true},
    Column{ResultColumn::share, "Of roof",
           [](const Row& row) { return engine::share_of_roofs(row.session, row.point); },
           [](const Row&, double number) { return units::percent(number); }, true, true},
    Column{ResultColumn::bound, "Bound", nullptr,
           [](const Row& row, double) {
             return std::string(measured(row.point) ? engine::limit_of(row.session, row.point)
                                                    : word_for(row.point.status));
           }},
    Column{ResultColumn::remarks, "Remarks", nullptr,
           [](const Row& row, double) {
             return measured(row.point) ? flags_of(row.session, row.point) : row.point.why;
           }},
};
static_assert(columns.size() == result_columns.size());

constexpr const Column& column_of(ResultColumn id) { return columns[static_cast<std::size_t>(id)]; }
static_assert(std::ranges::all_of(result_columns,
                                  [](ResultColumn id) { return column_of(id).id == id; }));

/// What numbers are sorted by; 0 where there is none.
double number_of(const Row& row, ResultColumn id) {
  const Column& column = column_of(id);
  if (column.number == nullptr || (column.timed && !measured(row.point))) return 0;
  return column.number(row);
}

/// `file`: its session was read from, or empty.
std::string text_of(const Row& row, ResultColumn id, const std::string& file) {
  const Column& column = column_of(id);
  const double number = number_of(row, id);
  if (column.timed && !(number > 0)) return "";
  const bool names_file = id == ResultColumn::series && !file.empty();
  return column.text(row, number) + (names_file ? " · " + file : "");
}

struct ResultsFilter {
  std::vector<std::string> beginnings;  // of words in the cells of a row, in small letters
  std::vector<std::uint64_t> repeats;   // whole numbers
};

/// What was typed, word by word, in any order and whatever the case of their letters.
ResultsFilter results_filter(const std::string& typed) {
  ResultsFilter wanted;
  std::istringstream in(lower(typed));
  for (std::string word; in >> word;) {
    std::uint64_t repeat = 0;
    const char* end = word.data() + word.size();
    const auto [stopped, error] = std::from_chars(word.data(), end, repeat);
    if (error == std::errc() && stopped == end) {
      wanted.repeats.push_back(repeat);
    } else {
      wanted.beginnings.push_back(word);
    }
  }
  return wanted;
}

/// Whether a word of the text begins like this: "fused" is no part of "unfused". Words are of
/// ASCII: "±8" has the word "8", too.
bool has_word(std::string_view text, std::string_view beginning) {
  std::size_t at = text.find(beginning);
  while (at != std::string_view::npos && at > 0 &&
         std::isalnum(static_cast<unsigned char>(text[at - 1])) != 0)
    at = text.find(beginning, at + 1);
  return at != std::string_view::npos;
}

/// The order in which a filter looks through a row: words are quick to make, and mostly meant.
/// Repeats are compared as numbers; the number of a run is nobody's word, and labs have a switch.
constexpr std::array searched_columns{
    ResultColumn::series,    ResultColumn::remarks, ResultColumn::elements, ResultColumn::bound,
    ResultColumn::intensity, ResultColumn::spread,  ResultColumn::runtime,  ResultColumn::flops,
    ResultColumn::bandwidth, ResultColumn::share};
static_assert(searched_columns.size() == result_columns.size() - 3);

/// Whether every word begins one in a cell of the row, and it has that repeat.
bool has_all(const Row& row, const std::string& file, RowText& text, const ResultsFilter& wanted) {
  const auto is_own = [&](std::uint64_t repeat) { return repeat == row.point.what.repeat; };
  return std::ranges::all_of(wanted.repeats, is_own) &&
         std::ranges::all_of(wanted.beginnings, [&](const std::string& word) {
           if (text.cells.empty() && !measured(row.point)) text.cells = "unmeasured\n";
           while (!has_word(text.cells, word)) {
             if (text.columns == searched_columns.size()) return false;
             text.cells += lower(text_of(row, searched_columns[text.columns++], file)) + "\n";
           }
           return true;
         });
}

/// Whose points are listed; empty: those of all labs.
std::string_view lab_of_rows(const AppState& state) {
  return state.look.results.all_labs ? std::string_view() : lab_on_screen(state).name;
}

/// What a row is sorted by.
struct Keyed {
  Hovered row;
  double number = 0;
  std::string words;
  bool missing = false;
};

Keyed key_of(const AppState& state, const Session& session, const Hovered& row,
             ResultColumn column) {
  if (!is_number(column)) {
    const std::string words =
        text_of({session, session.points[row.point]}, column, name_of_file(state, session));
    return {row, 0, words, words.empty()};
  }
  const double number = number_of({session, session.points[row.point]}, column);
  return {row, number, {}, !(number > 0)};
}

}  // namespace

std::string lower(std::string words) {
  std::ranges::transform(words, words.begin(),
                         [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return words;
}

std::string_view title_of(ResultColumn column) { return column_of(column).title; }

bool is_number(ResultColumn column) { return column_of(column).number != nullptr; }

void settle(AppState& state) {
  state.look.view.cursor = cursor_case(state);
  auto shown = sessions_shown(state);
  ResultsTable& table = state.look.results;
  if (shown == table.sessions) return;
  table.sessions = std::move(shown);
  table.selected.clear();
  table.last.reset();
  table.pointed.reset();
}

std::string cell_text(const AppState& state, const Hovered& row, ResultColumn column) {
  const auto shown = sessions_shown(state);
  const Session& session = *shown[row.session];
  return text_of({session, session.points[row.point]}, column, name_of_file(state, session));
}

std::vector<Hovered> result_rows(const AppState& state, RowTexts& kept) {
  const auto shown = sessions_shown(state);
  const ResultsTable& table = state.look.results;
  const ResultsFilter wanted = results_filter(table.filter);
  const bool reads = !wanted.beginnings.empty();
  const std::string_view lab = lab_of_rows(state);
  RowTexts still_wanted;
  std::vector<Hovered> rows;
  for (std::size_t s = 0; s < shown.size(); ++s) {
    const Session& session = *shown[s];
    const std::string file = name_of_file(state, session);
    std::vector<RowText>* texts = nullptr;
    if (reads) {
      const std::pair key(version_of(state, session), file);
      still_wanted.insert(kept.extract(key));
      texts = &still_wanted[key];
      texts->resize(session.points.size());
    }
    for (std::size_t p = 0; p < session.points.size(); ++p) {
      const Point& point = session.points[p];
      if (!in_sweep(point) || (!lab.empty() && point.lab != lab)) continue;
      RowText unread;
      if (has_all({session, point}, file, texts != nullptr ? (*texts)[p] : unread, wanted))
        rows.push_back({s, p});
    }
  }
  kept = std::move(still_wanted);
  if (!table.column) return rows;
  // Keys once for each row, not once for each comparison.
  std::vector<Keyed> keyed;
  keyed.reserve(rows.size());
  for (const Hovered& row : rows)
    keyed.push_back(key_of(state, *shown[row.session], row, *table.column));
  std::ranges::stable_sort(keyed, [&](const Keyed& a, const Keyed& b) {
    if (a.missing != b.missing) return b.missing;  // last, whichever way it is sorted
    const Keyed& first = table.ascending ? a : b;
    const Keyed& second = table.ascending ? b : a;
    return std::tie(first.number, first.words) < std::tie(second.number, second.words);
  });
  std::ranges::transform(keyed, rows.begin(), &Keyed::row);
  return rows;
}

ResultsKey results_key(const AppState& state) {
  const ResultsTable& table = state.look.results;
  ResultsKey key{{}, lab_of_rows(state), table.filter, table.column, table.ascending};
  for (const Session* session : sessions_shown(state)) {
    key.sessions.emplace_back(version_of(state, *session), name_of_file(state, *session));
  }
  return key;
}

Varying varying_in(const AppState& state, const std::vector<Hovered>& rows) {
  Varying varying;
  const auto shown = sessions_shown(state);
  const auto point_of = [&](const Hovered& row) -> const Point& {
    return shown[row.session]->points[row.point];
  };
  std::map<std::string, std::uint64_t> elements;  // by series
  for (const Hovered& row : rows) {
    const Point &first = point_of(rows.front()), &point = point_of(row);
    const auto [same, is_new] = elements.emplace(point_name(point), point.what.elements);
    const auto tell = [&](ResultColumn column, bool differs) {
      if (differs) varying.same.erase(column);
    };
    tell(ResultColumn::lab, point.lab != first.lab);
    tell(ResultColumn::run, point.run != first.run);
    tell(ResultColumn::repeat, point.what.repeat != first.what.repeat);
    tell(ResultColumn::elements, point.what.elements != same->second);
  }
  return varying;
}

std::vector<Hovered> rows_to_copy(const AppState& state, const std::vector<Hovered>& rows) {
  std::vector<Hovered> chosen;
  std::ranges::copy_if(rows, std::back_inserter(chosen), [&](const Hovered& row) {
    return state.look.results.selected.contains(row);
  });
  return state.look.results.selected.empty() ? rows : chosen;
}

std::string markdown_of(const AppState& state, const std::vector<Hovered>& rows) {
  std::vector<ResultColumn> written(result_columns.begin(), result_columns.end());
  if (!varying_in(state, rows).in(ResultColumn::lab)) std::erase(written, ResultColumn::lab);
  std::vector<std::size_t> words;
  std::vector<std::vector<std::string>> cells(1);
  for (const ResultColumn column : written) {
    if (!is_number(column)) words.push_back(cells.front().size());
    cells.front().emplace_back(title_of(column));
  }
  for (const Hovered& row : rows) {
    cells.emplace_back();
    for (const ResultColumn column : written) cells.back().push_back(cell_text(state, row, column));
  }
  return markdown_table(std::move(cells), words);
}

std::string csv_of(const AppState& state, const std::vector<Hovered>& rows) {
  const auto shown = sessions_shown(state);
  std::vector<engine::CsvRow> all;
  all.reserve(rows.size());
  for (const Hovered& row : rows)
    all.push_back({*shown[row.session], shown[row.session]->points[row.point]});
  return engine::to_csv(all);
}

void sort_by(ResultsTable& table, ResultColumn column) {
  const bool more_is_better = column_of(column).more_is_better;
  if (table.column != column) {
    table.column = column;
    table.ascending = !more_is_better;
  } else if (table.ascending == !more_is_better) {
    table.ascending = !table.ascending;
  } else {
    table.column.reset();
    table.ascending = true;
  }
}

void select_row(ResultsTable& table, const std::vector<Hovered>& rows, std::size_t row, bool add,
                bool range) {
  if (row >= rows.size()) return;
  const auto from = table.last ? std::ranges::find(rows, *table.last) : rows.end();
  if (range && from != rows.end()) {
    const auto to = rows.begin() + static_cast<std::ptrdiff_t>(row);
    if (!add) table.selected.clear();
    table.selected.insert(std::min(from, to), std::max(from, to) + 1);
    return;
  }
  const bool alone = table.selected.size() == 1 && table.selected.contains(rows[row]);
  table.last = rows[row];
  if (add) {
    if (table.selected.erase(rows[row]) == 0) table.selected.insert(rows[row]);
    return;
  }
  table.selected.clear();
  if (!alone) table.selected.insert(rows[row]);
}

}  // namespace ui
