// The report of a tour: every lab's question, claim, verdict and charts, first as values and then
// as a page of HTML or a PDF that needs nothing beside it. Pure.
#pragma once

#include <array>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/labs/lab.hpp"
#include "ui/plot/draw.hpp"

namespace app {

/// A lab of a tour and what came of it.
struct TourStop {
  const engine::Lab* lab = nullptr;
  std::string why_not{};                ///< why it did not run, in a sentence; empty: it did
  std::vector<std::string> warnings{};  ///< sentences, in the order in which they came
  bool interrupted = false;             ///< before it had ended
};

/// Words, two columns of numbers, and a word on them.
using TourRow = std::array<std::string, 4>;

/// One lab, in words and charts.
struct TourSection {
  std::string name, title, question, about, claim, source;
  /// For the list of contents: "holds", "differs", "not sure", "measured", "stopped", "did not
  /// run".
  std::string outcome = "measured";
  std::string reason{};         ///< of the outcome, in a sentence
  std::string verdict{};        ///< both: "The claim holds here. Fused, cos,cos is 1.98x as fast."
  std::vector<TourRow> rows{};  ///< what, claim, this machine, whether that holds
  std::vector<std::string> advice{}, warnings{};
  std::vector<plot::Figure> charts{};
};

/// All of it.
struct TourReport {
  std::string machine;
  std::vector<std::string> facts{};  ///< device, date, program, how long it took: a line each
  std::string note;                  ///< why labs are missing at its end; empty: none are
  std::vector<TourRow> roofs{};      ///< name, median, best, "disturbed" where it was
  std::vector<TourSection> sections{};
};

/// `seconds` is how long the tour has taken; nothing where it was not measured now.
TourReport tour_report(const engine::Session&, std::span<const TourStop>, const std::string& note,
                       std::optional<double> seconds);

/// The numbers of its charts can be downloaded under the name `data_file`.
std::string tour_html(const TourReport&, const std::string& data_file);
/// Throws std::runtime_error where charts cannot be drawn: without Cairo.
std::string tour_pdf(const TourReport&);

}  // namespace app
