#include "kernels/families/family.hpp"

#include <algorithm>

#include "kernels/family_list.hpp"

namespace kernels {
namespace {

std::vector<const FamilyInfo*>& added() {
  static std::vector<const FamilyInfo*> rows;
  return rows;
}

}  // namespace

const FamilyInfo* Family::operator->() const {
  return row < family_infos.size() ? family_infos[row] : added().at(row - family_infos.size());
}

bool FamilyInfo::runs_on(Units wanted) const {
  return std::ranges::find(units, wanted) != units.end();
}

std::optional<std::size_t> FamilyInfo::axis(std::string_view wanted) const {
  const auto found = std::ranges::find(axes, wanted, &AxisInfo::name);
  if (found == axes.end()) return std::nullopt;
  return static_cast<std::size_t>(found - axes.begin());
}

std::string text_of(const AxisInfo& axis, std::uint64_t value) {
  const std::uint64_t at = value - axis.low;
  return at < axis.words.size() ? std::string(axis.words[at]) : std::to_string(value);
}

std::string_view word_at(std::span<const std::string_view> words, std::uint64_t value) {
  return value - 1 < words.size() ? words[value - 1] : std::string_view();
}

std::string_view memory_roof(double bytes_read, double bytes_written) {
  const double bytes = bytes_read + bytes_written;
  const double written = bytes > 0 ? bytes_written / bytes : 0.5;
  constexpr double none = 0, third = 1.0 / 3, half = 0.5, all = 1;
  if (written < (none + third) / 2) return "DRAM read";
  if (written < (third + half) / 2) return "DRAM triad";
  return written < (half + all) / 2 ? "DRAM copy" : "DRAM write";
}

double tensor_bytes(const Case& c) {
  return static_cast<double>(c.elements) * static_cast<double>(size_of(c.dtype));
}

Case one_granule(Case c) {
  c.elements = granule_of(c.family, c.dtype);
  return c;
}

std::vector<Family> all_families() {
  std::vector<Family> families;
  for (std::size_t row = 0; row < family_infos.size() + added().size(); ++row)
    families.push_back({static_cast<std::uint8_t>(row)});
  return families;
}

Family add_family(const FamilyInfo& row) {
  added().push_back(&row);
  return all_families().back();
}

std::string_view name_of(Family family) { return family->name; }

std::optional<Family> family_named(std::string_view name) {
  for (const Family family : all_families()) {
    if (family->name == name) return family;
  }
  return std::nullopt;
}

Bounds bounds_of(const Case& c) {
  return c.family->bounds != nullptr ? c.family->bounds(c) : Bounds{{}, ""};
}

std::uint64_t granule_of(Family family, Dtype dtype) {
  return family->granule != nullptr ? family->granule(dtype) : 1;
}

std::optional<Case> least_of(const Case& c) {
  if (c.family->least == nullptr) return std::nullopt;
  Case least = c.family->least(c);
  least.fusion = Fusion::fused;
  least.repeat = 1;
  least.data = Data::random;
  least.shape = {};
  return least;
}

std::string refusal_of(const Case& c) {
  return c.family->refuse != nullptr ? c.family->refuse(c) : "";
}

std::string tag_of(const Case& c) {
  return c.family->tag != nullptr ? c.family->tag(c) : std::string(c.family->name);
}

Family usual_family(Units units) {
  for (const Family family : all_families()) {
    if (family->role == Role::workload && !family->for_labs && family->runs_on(units))
      return family;
  }
  return {};
}

}  // namespace kernels
