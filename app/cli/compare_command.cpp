// Two sides compared point by point: a table, what it says in a sentence, and a picture.
#include <fmt/format.h>

#include <optional>

#include "app/cli/commands.hpp"
#include "app/output/results.hpp"
#include "app/output/targets.hpp"
#include "engine/compare/told.hpp"
#include "engine/session/session_file.hpp"
#include "ui/figures/comparison.hpp"
#include "ui/pages/html_page.hpp"

namespace app {
namespace {

/// Of one session the sides have to be told apart.
void refuse_without_sides(const CompareArguments& arguments, const engine::Session& session) {
  if (!arguments.a.empty() && !arguments.b.empty()) return;
  const std::vector<std::string> choices = engine::choices_of(session);
  const std::string such =
      choices.size() < 2 ? "" : fmt::format(", such as --a '{}' --b '{}'", choices[0], choices[1]);
  throw Failure(Exit::usage, fmt::format("compare needs --a and --b, or a second session: expected "
                                         "words of the points in '{}'{}",
                                         arguments.sessions.front(), such));
}

std::string side_line(char letter, const engine::Side& side, const std::string& path) {
  std::string line = fmt::format("{}  {}", letter, side.session->device.name);
  if (!side.words.empty()) line += ", " + side.words;
  return fmt::format("{}, measured {}, {}\n", line, side.session->created, path);
}

/// The whole comparison as lines of text.
std::string comparison_text(const engine::Comparison& comparison) {
  std::string text;
  for (const std::string& note : engine::notes_of(comparison)) text += note + "\n";
  return text + fmt::format("\n{}\n{}\n", aligned(engine::table_of(comparison)),
                            engine::summary_of(comparison));
}

/// The roofs that both sessions measured, as lines of text; empty without any.
std::string roofs_text_of(const engine::Session& a, const engine::Session& b) {
  const std::vector<engine::RoofPair> roofs = engine::compare_roofs(a, b);
  if (roofs.empty()) return "";
  return fmt::format("{}\n{}\n", aligned(engine::table_of(roofs)), engine::summary_of(roofs));
}

/// What limited each of two jobs that were watched, as lines of text; empty where one was not.
std::string watched_text_of(const engine::Session& a, const engine::Session& b) {
  const auto table = engine::table_of_watched(a, b);
  return table.empty() ? "" : aligned(table, {0}) + "\n";
}

/// Two sessions of which one has no points to choose: there is nothing to draw.
Exit compare_without_points(const CompareArguments& arguments, const engine::Session& a,
                            const engine::Session& b, Output& output) {
  const std::string text = watched_text_of(a, b) + roofs_text_of(a, b);
  const bool points_asked = !arguments.a.empty() || !arguments.b.empty() ||
                            !arguments.output.empty() || !arguments.csv.empty();
  if (text.empty() || points_asked) {
    const bool of_a = !engine::has_compared_points(a);
    throw Failure(Exit::usage,
                  fmt::format("'{}' has no measured point of a sweep: expected a session with "
                              "points, {}",
                              arguments.sessions[of_a ? 0 : 1],
                              text.empty() ? "or roofs that both sessions have"
                                           : "or no other option, to compare what both have"));
  }
  output.say(side_line('A', {&a}, arguments.sessions.front()) +
             side_line('B', {&b}, arguments.sessions.back()) + "\n" + text);
  return output.finish();
}

}  // namespace

Exit compare_command(const CompareArguments& arguments, Output& output) {
  const PictureOptions options = parse(arguments.picture);
  if (!arguments.output.empty())
    picture_format("--output", arguments.output, arguments.picture, options);
  const std::string &first = arguments.sessions.front(), &second = arguments.sessions.back();
  const engine::Session one = engine::load_session(first);
  std::optional<engine::Session> other;
  if (second != first) other = engine::load_session(second);
  const engine::Session& two = other ? *other : one;
  if (!other) refuse_without_sides(arguments, one);
  if (other && (!engine::has_compared_points(one) || !engine::has_compared_points(two)))
    return compare_without_points(arguments, one, two, output);
  const Target picture(arguments.output), table(arguments.csv);
  picture.check();
  table.check();
  const engine::Side a = engine::side_of(one, arguments.a, "'" + first + "'");
  const engine::Side b = engine::side_of(two, arguments.b, "'" + second + "'");
  const engine::Comparison comparison = engine::compare(a, b);
  if (comparison.pairs.empty()) throw Failure(Exit::usage, comparison.why_none);
  const std::string roofs = other ? watched_text_of(one, two) + roofs_text_of(one, two) : "";
  if (!picture.is_stdout() && !table.is_stdout())
    output.say(side_line('A', a, first) + side_line('B', b, second) + comparison_text(comparison) +
               (roofs.empty() ? "" : "\n" + roofs));
  if (picture.wanted())
    picture.write(ui::file_of(ui::page_of({&one, &two}, comparison), {}, options.look,
                              *plot::format_of(arguments.output), arguments.output),
                  output);
  if (table.wanted()) table.write(engine::csv_of(comparison), output);
  return output.finish();
}

}  // namespace app
