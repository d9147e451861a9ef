#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string_view>

#include "engine/roofs/roof_facts.hpp"
#include "kernels/units.hpp"
#include "ui/figures/parts.hpp"

namespace ui {
namespace {

using engine::Roof;
using engine::RoofSource;

/// Rates this close make one line at any size that a picture has.
constexpr double one_line = 1.02;
/// Two roofs this close leave no room for a label between their lines.
constexpr double close = 1.3;

bool within(const Roof& a, const Roof& b, double factor) {
  return std::max(a.rate, b.rate) <= factor * std::min(a.rate, b.rate);
}

/// Roofs of one source whose lines lie on one another.
struct Cluster {
  std::vector<const Roof*> roofs;
  std::vector<std::size_t> lines;  // of each roof

  const Roof& first() const { return *roofs.front(); }
};

std::vector<Cluster> clusters_of(const std::vector<const Roof*>& roofs) {
  std::vector<Cluster> clusters;
  for (std::size_t i = 0; i < roofs.size(); ++i) {
    auto found = std::ranges::find_if(clusters, [&](const Cluster& cluster) {
      return cluster.first().source == roofs[i]->source && is_one_line(cluster.first(), *roofs[i]);
    });
    if (found == clusters.end()) found = clusters.emplace(clusters.end());
    found->roofs.push_back(roofs[i]);
    found->lines.push_back(i);
  }
  return clusters;
}

/// The name of a roof without its dtype: "FMA".
std::string_view rest_of(const Roof& roof) {
  std::string_view name = roof.name;
  const std::string dtype = roof.dtype ? fmt::format("{} ", kernels::name_of(*roof.dtype)) : "";
  return name.starts_with(dtype) ? name.substr(dtype.size()) : name;
}

/// What roofs of different dtypes have in common, "FMA"; nothing where that is not all.
std::optional<std::string_view> common_rest(const Cluster& cluster) {
  const std::string_view rest = rest_of(cluster.first());
  const bool same = std::ranges::all_of(cluster.roofs, [&](const Roof* roof) {
    return rest_of(*roof) == rest && rest.size() < roof->name.size();
  });
  return same ? std::optional(rest) : std::nullopt;
}

/// The dtypes of a cluster, in the order in which every list has them.
std::string dtypes_of(const Cluster& cluster, std::string_view between) {
  std::vector<kernels::Dtype> dtypes;
  for (const Roof* roof : cluster.roofs) dtypes.push_back(*roof->dtype);
  std::ranges::sort(dtypes);
  std::string text;
  for (const kernels::Dtype dtype : dtypes)
    text += fmt::format("{}{}", text.empty() ? "" : between, kernels::name_of(dtype));
  return text;
}

/// "fp32, bf16 FMA": names that differ in the dtype alone say the rest once.
std::string names_of(const Cluster& cluster) {
  if (const auto rest = common_rest(cluster))
    return fmt::format("{} {}", dtypes_of(cluster, ", "), *rest);
  std::string text;
  for (const Roof* roof : cluster.roofs) text += (text.empty() ? "" : ", ") + roof->name;
  return text;
}

/// One of their rates; FLOP are OP where integers share the line.
std::string rate_text(const Cluster& cluster, const Roof& roof) {
  const auto of_integers = [](const Roof* one) { return is_integer(*one); };
  return engine::rate_text(roof.rate, roof.kind, std::ranges::any_of(cluster.roofs, of_integers));
}

std::string highest_rate(const Cluster& cluster) {
  return rate_text(cluster, *std::ranges::max(cluster.roofs, {}, &Roof::rate));
}

/// The highest, called "about" where they differ.
std::string rate_of(const Cluster& cluster) {
  const std::string most = highest_rate(cluster);
  const bool same = std::ranges::all_of(
      cluster.roofs, [&](const Roof* roof) { return rate_text(cluster, *roof) == most; });
  return same ? most : "about " + most;
}

/// In ids, which stay what they are.
std::string_view source_id(const Roof& roof) {
  return roof.source == RoofSource::measured ? "measured" : "datasheet";
}

/// "measured", "datasheet", "theoretical at 3.86 GHz".
std::string word_for(const Roof& roof) {
  if (!engine::is_theoretical(roof)) return std::string(engine::source_word(roof));
  return fmt::format("theoretical at {}", units::hertz(*roof.conditions.clock_hz));
}

std::string before_name(const RoofOwner& owner) {
  return owner.device.empty() ? "" : owner.device + ": ";
}

void label_first_line(std::vector<plot::Roof>& lines, const Cluster& cluster,
                      const RoofOwner& owner) {
  plot::Roof& line = lines[cluster.lines.front()];
  const std::string device = before_name(owner), names = names_of(cluster), rate = rate_of(cluster);
  line.label = fmt::format("{}{} {} ({})", device, names, rate, word_for(cluster.first()));
  const bool several = cluster.roofs.size() > 1 && common_rest(cluster);
  const std::string short_names = several ? dtypes_of(cluster, "/") : names;
  // A ghost's colour and slope tell which of its few roofs it is.
  line.short_label = owner.ghost
                         ? device + "datasheet " + rate
                         : fmt::format("{}{} {}", device, short_names, highest_rate(cluster));
}

bool share_a_roof(const Cluster& a, const Cluster& b) {
  return std::ranges::any_of(a.roofs, [&](const Roof* roof) {
    return std::ranges::find(b.roofs, roof->name, &Roof::name) != b.roofs.end();
  });
}

/// One label for the measured and the stated rate of the same roof where their lines nearly touch.
void add_stated_rate(std::vector<plot::Roof>& lines, const Cluster& measured,
                     const Cluster& stated) {
  const bool pair = measured.first().source == RoofSource::measured &&
                    stated.first().source == RoofSource::datasheet &&
                    share_a_roof(measured, stated);
  if (!pair || !within(measured.first(), stated.first(), close)) return;
  const std::string of_all = names_of(measured), of_stated = names_of(stated);
  const plot::Roof& own = lines[measured.lines.front()];
  std::string& text = lines[measured.lines.front()].long_label;
  text = fmt::format("{}, {}{} ({})", text.empty() ? own.label : text,
                     of_all == of_stated ? "" : of_stated + " ", rate_of(stated),
                     word_for(stated.first()));
  plot::Roof& line = lines[stated.lines.front()];
  line.label = line.short_label = "";
}

void take_colours(std::vector<plot::Roof>& lines, const Cluster& cluster) {
  const bool same = std::ranges::all_of(
      cluster.roofs, [&](const Roof* roof) { return roof->dtype == cluster.first().dtype; });
  if (same) return;
  for (const std::size_t line : cluster.lines) lines[line].colour = -1;
}

}  // namespace

bool is_one_line(const Roof& a, const Roof& b) { return within(a, b, one_line); }

void name_lines(std::vector<plot::Roof>& lines, const std::vector<const Roof*>& roofs,
                const RoofOwner& owner) {
  for (std::size_t i = 0; i < roofs.size(); ++i) {
    lines[i].id =
        fmt::format("{}{} ({})", before_name(owner), roofs[i]->name, source_id(*roofs[i]));
  }
  const std::vector<Cluster> clusters = clusters_of(roofs);
  for (const Cluster& cluster : clusters) {
    label_first_line(lines, cluster, owner);
    take_colours(lines, cluster);
  }
  for (const Cluster& measured : clusters) {
    for (const Cluster& stated : clusters) add_stated_rate(lines, measured, stated);
  }
}

}  // namespace ui
