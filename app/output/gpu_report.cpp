#include "app/output/gpu_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <ranges>
#include <string_view>
#include <utility>

#include "app/output/published.hpp"
#include "engine/measure/statistics.hpp"
#include "engine/roofs/roof_facts.hpp"
#include "engine/verdict/predict.hpp"
#include "kernels/units.hpp"

namespace app {
namespace {

using engine::Roof;
using engine::Session;
using Cells = std::vector<std::string>;

/// Published figures are of other machines of the same kind: this near is the same.
constexpr double same_within = 0.05;

/// A cell must not end its row, nor begin markup.
std::string cell(std::string_view text) {
  std::string safe;
  for (const char c : units::printable(text)) {
    if (c == '|' || c == '<' || c == '`') safe += '\\';
    safe += c;
  }
  return safe;
}

std::string row(const Cells& cells) {
  std::string line = "|";
  for (const std::string& text : cells) line += " " + cell(text) + " |";
  return line + "\n";
}

std::string table(const Cells& head, const std::vector<Cells>& rows) {
  std::string text = row(head) + "|";
  for (std::size_t i = 0; i < head.size(); ++i) text += "---|";
  text += "\n";
  for (const Cells& cells : rows) text += row(cells);
  return text + "\n";
}

const Session* session_named(const GpuResults& results, const std::string& name) {
  const auto found = results.sessions.find(name);
  return found == results.sessions.end() ? nullptr : &found->second;
}

const Roof* measured(const Session* session, const std::string& name) {
  if (session == nullptr) return nullptr;
  const auto found = std::ranges::find_if(session->roofs, [&](const Roof& roof) {
    return roof.name == name && roof.source == engine::RoofSource::measured;
  });
  return found == session->roofs.end() ? nullptr : &*found;
}

/// The session whose roofs are shown.
const Session* roofs_of(const GpuResults& results) {
  for (const char* const name : {"roofs-warm", "roofs-cold"}) {
    if (const Session* session = session_named(results, name)) return session;
  }
  return nullptr;
}

std::string heading(const GpuResults& results) {
  if (results.sessions.empty()) return "# GPU check\n\nNo session was measured.\n\n";
  const Session& session = results.sessions.begin()->second;
  const kernels::DeviceInfo& device = session.device;
  std::string text = fmt::format("# GPU check: {}\n\n", cell(device.name));
  text += fmt::format("Compute capability {}, {} SMs, {}, driver {}. Ridgepoint {} (commit {}), "
                      "measured {}.\n",
                      cell(device.compute_capability), device.multiprocessors,
                      units::bytes(device.memory_bytes), cell(device.driver),
                      cell(session.app.version), cell(session.app.commit), cell(session.created));
  for (const kernels::LoadedLibrary& library : device.libraries) {
    text += fmt::format("{}: {}.\n", cell(library.name), cell(library.file));
  }
  return text + "\n";
}

std::string names_with(const std::vector<GpuStep>& steps, std::string_view outcome) {
  std::string names;
  for (const GpuStep& step : steps) {
    if (step.outcome == outcome) names += (names.empty() ? "" : ", ") + step.name;
  }
  return names;
}

std::string steps_section(const GpuResults& results) {
  std::string text = "## What held\n\n";
  const auto held = std::ranges::count(results.steps, "ok", &GpuStep::outcome);
  text += fmt::format("{} of {} steps held.", held, results.steps.size());
  for (const char* const outcome : {"failed", "timed out", "skipped"}) {
    const std::string names = names_with(results.steps, outcome);
    if (!names.empty()) text += fmt::format(" {}: {}.", outcome, cell(names));
  }
  text += "\n\n";
  std::vector<Cells> rows;
  for (const GpuStep& step : results.steps) {
    rows.push_back({fmt::format("{}", step.part), step.name, step.outcome,
                    fmt::format("{:.0f} of {:.0f} s", step.seconds, step.limit), step.why});
  }
  return text + table({"part", "step", "outcome", "time", "reason"}, rows);
}

/// The number that rate_text() shows: a launch is shown as its time.
double shown(const Roof& roof, double rate) {
  return roof.kind == engine::RoofKind::overhead ? 1 / rate : rate;
}

/// Two rates of a roof as they are shown, the smaller number first.
std::string range_text(const Roof& roof, double low, double high) {
  if (shown(roof, low) > shown(roof, high)) std::swap(low, high);
  return fmt::format("{} to {}", engine::rate_text(roof, low), engine::rate_text(roof, high));
}
std::string range_text(const Roof& roof, const Published& published) {
  if (published.low == published.high) return engine::rate_text(roof, published.low);
  return range_text(roof, published.low, published.high);
}

/// Where the number shown of a roof lies with what others published, in words.
std::string against(const Roof& roof, const Published& published) {
  const double here = shown(roof, roof.rate);
  const auto [low, high] = std::minmax({shown(roof, published.low), shown(roof, published.high)});
  if (here < low * (1 - same_within))
    return fmt::format("below, {} of it", units::percent(here / low));
  if (here > high * (1 + same_within))
    return fmt::format("above, {} of it", units::percent(here / high));
  return "agrees";
}

Cells roof_cells(const Session& session, const Session* cold, const Roof& roof) {
  const engine::Stated stated = engine::stated_for(session, roof.name);
  const auto published = published_for(session.device, roof);
  const Roof* first = measured(cold, roof.name);
  const bool interval = roof.rate_low > 0 && roof.rate_high > 0;
  return {roof.name,
          engine::rate_text(roof),
          interval ? range_text(roof, roof.rate_low, roof.rate_high) : "-",
          engine::rate_text(roof, roof.best),
          first != nullptr ? units::percent(shown(roof, first->rate) / shown(roof, roof.rate)) : "-",
          engine::rate_text(roof, stated.rate),
          stated.rate > 0 ? units::percent(roof.rate / stated.rate) : "-",
          published ? fmt::format("{} ({})", range_text(roof, *published), published->source) : "-",
          published ? against(roof, *published) : "-"};
}

std::string roofs_section(const GpuResults& results) {
  const Session* session = roofs_of(results);
  if (session == nullptr) return "## Roofs\n\nNo roofs were measured.\n\n";
  const Session* cold = session_named(results, "roofs-cold");
  std::vector<Cells> rows;
  for (const Roof& roof : session->roofs) {
    if (roof.source == engine::RoofSource::measured) {
      rows.push_back(roof_cells(*session, cold, roof));
    }
  }
  std::string text = fmt::format(
      "## Roofs\n\nThe median of all rounds; \"cold\" is the first run, with its search, as a share "
      "of the second. \"agrees\" means within {} of what others published, on other machines.\n\n",
      units::percent(same_within));
  return text + table({"roof", "measured", "95 % interval", "best", "cold", "datasheet",
                       "of datasheet", "published", "against published"},
                      rows);
}

/// The rate of a run of `seconds`; of what does no work the time.
std::string figure_text(const GpuFigure& figure, double seconds) {
  if (figure.unit == "run" || !(seconds > 0)) return units::seconds(seconds);
  const double rate = figure.amount / seconds;
  return figure.unit == "byte" ? units::bytes_per_second(rate) : units::flops_per_second(rate);
}

Cells figure_cells(const GpuFigure& figure) {
  const double median = engine::median_of(figure.samples);
  return {figure.name, figure_text(figure, median),
          figure_text(figure, std::ranges::min(figure.samples)), units::seconds(median),
          fmt::format("{}", figure.samples.size())};
}

/// The roofs that a library's product of an element type compares with: those of the units that it
/// runs on. A library multiplies fp32 on vector units, and on matrix units all else that they take.
std::vector<std::string> roofs_of_products(const Session& session, kernels::Dtype dtype) {
  const std::string name(name_of(dtype));
  if (measured(&session, name + " matrix") == nullptr) return {name + " FMA"};
  return {name + " matrix", name + " mma.sync"};
}

/// The roofs that another program's figure compares with, by its name: scripts/gpu-check.sh and
/// cuda_gpu_figures give these.
std::vector<std::string> roofs_beside(const Session& session, const GpuFigure& figure) {
  const bool copy = figure.name.starts_with("cudaMemcpy ") || figure.name.starts_with("nvbandwidth ");
  if (copy) return {"DRAM copy"};
  if (!figure.name.starts_with("PyTorch ")) return {};
  for (const kernels::DtypeInfo& info : kernels::dtypes) {
    const std::string dtype(name_of(info.dtype));
    if (figure.name.find(" " + dtype + " matmul") == std::string::npos) continue;
    std::vector<std::string> roofs = roofs_of_products(session, info.dtype);
    roofs.push_back(dtype + " library");
    return roofs;
  }
  return {};
}

Cells peer_cells(const Roof& ours, const std::string& peer, double theirs) {
  return {ours.name, engine::rate_text(ours), peer, engine::rate_text(ours, theirs),
          fmt::format("{:.3f}", ours.rate / theirs)};
}

/// Our kernels beside cuBLASLt, whose roof is called "library".
std::vector<Cells> library_rows(const Session& session) {
  std::vector<Cells> rows;
  for (const Roof& roof : session.roofs) {
    const bool compares =
        roof.source == engine::RoofSource::measured && roof.name.ends_with(" library");
    if (!compares || !(roof.rate > 0) || !roof.dtype) continue;
    for (const std::string& name : roofs_of_products(session, *roof.dtype)) {
      if (const Roof* ours = measured(&session, name))
        rows.push_back(peer_cells(*ours, "cuBLASLt, roof " + roof.name, roof.rate));
    }
  }
  return rows;
}

std::string peers_section(const GpuResults& results) {
  const Session* session = roofs_of(results);
  if (session == nullptr) return "";
  std::vector<Cells> rows = library_rows(*session);
  for (const GpuFigure& figure : results.figures) {
    for (const std::string& name : roofs_beside(*session, figure)) {
      const Roof* ours = measured(session, name);
      if (ours != nullptr && figure.rate() > 0)
        rows.push_back(peer_cells(*ours, figure.name, figure.rate()));
    }
  }
  if (rows.empty()) return "";
  return "## Ours and theirs\n\nMedians, measured one after the other and not in turn: a GPU that warmed up in "
         "between counts as a difference.\n\n" +
         table({"roof", "ours", "peer", "theirs", "ours / theirs"}, rows);
}

/// A roof whose shapes were all measured, each as a figure "ROOF, axis value, ...".
struct SearchedRoof {
  std::string_view roof, heading;
};
constexpr std::array searched_roofs{
    SearchedRoof{"fp32 FMA", "Shapes of the fp32 FMA peak"},
    SearchedRoof{"shared", "Shapes of the reads of shared memory"},
};

bool is_shape_of(const SearchedRoof& searched, const GpuFigure& figure) {
  return figure.name.starts_with(fmt::format("{},", searched.roof));
}

std::string left_out_list(const GpuResults& results) {
  if (results.left_out.empty()) return "";
  std::string text = "Not measured:\n\n";
  for (const std::string& one : results.left_out) text += fmt::format("- {}\n", cell(one));
  return text + "\n";
}

std::string figures_section(const GpuResults& results) {
  std::vector<Cells> rows;
  for (const GpuFigure& figure : results.figures) {
    const bool shape = std::ranges::any_of(searched_roofs, [&](const SearchedRoof& searched) {
      return is_shape_of(searched, figure);
    });
    if (!shape) rows.push_back(figure_cells(figure));
  }
  const std::string left_out = left_out_list(results);
  if (rows.empty() && left_out.empty()) return "";
  std::string text = "## Copies, events, tiles, and what other programs measured\n\n";
  if (!rows.empty()) text += table({"what", "median", "best", "one run", "samples"}, rows);
  return text + left_out;
}

/// "fp32 FMA, chains 8, unroll 256" of a roof's shape, as the figures are named.
std::string name_of_shape(const Roof& roof) {
  std::string name = roof.name;
  for (const kernels::ShapeChoice& choice : roof.shape) {
    name += fmt::format(", {} {}", choice.axis, choice.value);
  }
  return name;
}

std::string chosen_shape(const GpuResults& results, std::string_view searched,
                         const std::vector<const GpuFigure*>& shapes) {
  const Roof* roof = measured(roofs_of(results), std::string(searched));
  if (roof == nullptr) return "The roof was not measured.";
  const std::string name = name_of_shape(*roof);
  const auto chosen = std::ranges::find(shapes, name, &GpuFigure::name);
  if (chosen == shapes.end()) return fmt::format("The search chose another shape: {}.", cell(name));
  return fmt::format("The search chose number {} of them, at {} of the fastest.",
                     chosen - shapes.begin() + 1,
                     units::percent((*chosen)->rate() / shapes.front()->rate()));
}

/// "126 B", of each multiprocessor in one clock.
std::string per_clock(const GpuResults& results, const GpuFigure& figure) {
  if (results.sessions.empty() || !(figure.clock_hz > 0)) return "-";
  const kernels::DeviceInfo& device = results.sessions.begin()->second.device;
  Roof roof;
  roof.kind = figure.unit == "byte" ? engine::RoofKind::bandwidth : engine::RoofKind::compute;
  roof.rate = figure.rate();
  roof.conditions.clock_hz = figure.clock_hz;
  const std::string text = engine::per_clock_text(device, roof);
  return text.empty() ? "-" : text;
}

std::string shapes_section(const GpuResults& results, const SearchedRoof& searched) {
  std::vector<const GpuFigure*> shapes;
  for (const GpuFigure& figure : results.figures) {
    if (is_shape_of(searched, figure)) shapes.push_back(&figure);
  }
  if (shapes.empty()) return "";
  std::ranges::sort(shapes, std::ranges::greater{}, &GpuFigure::rate);
  std::vector<Cells> rows;
  for (const GpuFigure* figure : shapes) {
    Cells cells = figure_cells(*figure);
    cells.insert(cells.begin() + 3, per_clock(results, *figure));
    rows.push_back(std::move(cells));
  }
  return fmt::format("## {}\n\n{} shapes, the fastest first. {}\n\n", searched.heading,
                     shapes.size(), chosen_shape(results, searched.roof, shapes)) +
         table({"shape", "median", "best", "per clk/SM", "one run", "samples"}, rows);
}

/// Lines that keep their columns.
std::string block(const std::string& text) {
  std::string lines = "    " + units::printable(text, units::Lines::kept);
  while (lines.ends_with('\n')) lines.pop_back();
  for (std::size_t at = lines.find('\n'); at != std::string::npos; at = lines.find('\n', at + 5)) {
    lines.insert(at + 1, "    ");
  }
  return lines + "\n\n";
}

std::string sweeps_section(const GpuResults& results) {
  std::string text;
  for (const char* const name : {"sweep", "tile"}) {
    const Session* session = session_named(results, name);
    if (session == nullptr) continue;
    text += fmt::format("## {}\n\n", name == std::string_view("sweep") ? "Default sweep" : "Tiles");
    text += block(engine::explain(*session));
  }
  return text;
}

}  // namespace

std::string gpu_report(const GpuResults& results) {
  std::string text = heading(results) + steps_section(results) + roofs_section(results) +
                     peers_section(results) + figures_section(results);
  for (const SearchedRoof& searched : searched_roofs) text += shapes_section(results, searched);
  text += sweeps_section(results);
  if (!results.counters.empty()) {
    text += "## Counted by the hardware\n\n" + block(results.counters);
  }
  return text;
}

}  // namespace app
