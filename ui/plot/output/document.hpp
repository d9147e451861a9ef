// A PDF of several pages, which others fill through its canvas. Needs no display.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "ui/plot/canvas.hpp"

namespace plot {

class Document {
 public:
  /// Every page has this size, in points. Throws std::runtime_error when Cairo cannot.
  Document(double width, double height, const std::string& title);
  ~Document();

  Canvas& canvas();
  void next_page();

  /// A place of the page at hand that links lead to, and an entry of the reader's list of contents.
  /// Names have letters, digits and hyphens.
  void add_place(const std::string& name, const std::string& title);
  /// What `draw` draws leads to that place, also to one that is still to come.
  void link(const std::string& name, const std::function<void()>& draw);

  /// The whole file; nothing can be drawn afterwards. Throws std::runtime_error if a stroke failed.
  std::string finish();

 private:
  struct File;
  std::unique_ptr<File> file_;
};

}  // namespace plot
