// A comparison in words, as the cells of a table, and as a file for spreadsheets. Pure.
#pragma once

#include <string>
#include <vector>

#include "engine/compare/compare.hpp"

namespace engine {

/// "B is faster at 9 of 11 points (1.4x to 1.9x) and equal within 3 % at 1; 1 is undecided.", and
/// how many points have no partner. The reason where there are no pairs.
std::string summary_of(const Comparison&);
/// The same of roofs; empty without any.
std::string summary_of(const std::vector<RoofPair>&);

/// What tells the sides apart: "dtype: fp32 in A, fp16 in B.", and that ratios are of the time for
/// one element, where they are.
std::vector<std::string> notes_of(const Comparison&);

/// The axes in which the pairs differ: they need a column, and the first is that of a chart.
std::vector<std::string> varying_axes(const Comparison&);
/// The size of a pair along an axis, or null.
const SizeOfPair* size_of(const Pair&, std::string_view axis);

/// "0.501 [0.5 to 0.502]"; without an interval the value alone.
std::string ratio_text(const Interval&);

/// A head and a row for each pair: name, sizes, durations of A and B and their ratio, shares of the
/// roof and their ratio, outcome.
std::vector<std::vector<std::string>> table_of(const Comparison&);
/// A head and a row for each roof.
std::vector<std::vector<std::string>> table_of(const std::vector<RoofPair>&);

/// The same numbers in SI units, RFC 4180.
std::string csv_of(const Comparison&);

/// Of sessions of the lab that watches, a head and a row for each share of the time and of the
/// roofs that a verdict tells, but phases: of A, of B, and B less A in percentage points. Empty
/// where either watched nothing.
std::vector<std::vector<std::string>> table_of_watched(const Session& a, const Session& b);

}  // namespace engine
