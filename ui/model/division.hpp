// How the user has divided the window: where its splitters lie, what is folded away. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "ui/figures/figures.hpp"

namespace ui {

/// What divides the window and follows the pointer.
enum class Splitter : std::uint8_t { controls, bottom, column, row };

/// Sizes in pixels at scale 1, shares of the plots' area. Kept from start to start.
struct Division {
  double controls = 268;           ///< width of the column at the left
  bool controls_open = true;       ///< false: folded away
  bool advanced_open = false;      ///< what few people set
  std::optional<double> bottom{};  ///< height of the panel below the plots; nothing: as fits
  double column = 0.5;             ///< of the plots' width, left of the splitter
  double row = 0.5;                ///< of the plots' height, above the splitter
};

/// The same with every size brought into the limits that any window has.
Division bounded(Division);

/// Where the panels lie, in pixels. Between them are gaps for the splitters.
struct Places {
  plot::Rect labs;      ///< the list; empty when folded away or too narrow: then it is a menu
  plot::Rect controls;  ///< empty when folded away
  plot::Rect fold;      ///< the strip that brings folded controls back; empty when they are there
  plot::Rect header, plots, roofs, bottom, status;
  plot::Rect controls_splitter, bottom_splitter;
};
Places places_of(const Division&, double scale, double width, double height);

/// The panels of the plots' area and the splitters between them.
struct Grid {
  std::vector<plot::Rect> cells;          ///< row by row
  plot::Rect column_splitter;             ///< empty where none is needed
  std::vector<plot::Rect> row_splitters;  ///< left and right of the other
};
/// One or two panels take a row each; of more, two share a row, and a last one that is left takes a
/// row. From five on all rows are alike.
Grid grid_of(const Division&, double scale, const plot::Rect& plots, std::size_t panels);

/// Moves a splitter to the pixel, as far as every panel keeps room for its content.
void move_splitter(Division&, Splitter, double scale, const Places&, plot::Vec pixel);
/// Puts it back where a new window has it.
void reset_splitter(Division&, Splitter);

}  // namespace ui
