#include "kernels/cpu/trials/tables.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "kernels/families/family.hpp"
#include "kernels/families/matmul/matmul.hpp"
#include "kernels/families/pointwise/pointwise_reference.hpp"
#include "kernels/family_list.hpp"

namespace kernels::cpu {

namespace {

/// The op of a matrix peak is a product of tiles: fma and mma are both its name.
bool answers(const Row& row, const Case& c) {
  const bool matrix_peak = row.family == Family::peak && row.units == Units::matrix;
  const bool same_op = row.op == c.op() || (matrix_peak && c.op() == Op::mma);
  return c.by != By::library && row.family == c.family && same_op && row.dtype == c.dtype &&
         row.units == c.units;
}

/// What it computes with where that is not the dtype, with a comma before it.
std::string arithmetic_of(const Row& row) {
  if (row.family == Family::stream || row.dtype == row.arithmetic) return "";
  if (row.dtype == Dtype::int8) return ", products summed in int32";
  if (row.units == Units::matrix || row.summing == Summing::dots)
    return ", products summed in fp32";
  return fmt::format(", {} storage, {} arithmetic", name_of(row.dtype), name_of(row.arithmetic));
}

}  // namespace

const FamilyOnCpu* on_cpu(Family family) {
  const auto* found = std::ranges::find(families_on_cpu, family, &FamilyOnCpu::family);
  return found == families_on_cpu.end() ? nullptr : *found;
}

Case usual_of(Family family) {
  Case c{.family = family, .ops = Op::mma};
  for (const AxisInfo& axis : family->axes) c = with(c, axis.name, axis.usual);
  return c;
}

std::string note_of(const Choice& choice) {
  const Row& row = choice.row;
  const bool apart =
      row.op == Op::fma && row.units == Units::vector && !choice.isa.fused_multiply_add;
  // Of products of matrices, how they are computed.
  const std::string tiles =
      row.family == Family::matmul ? fmt::format(", tiles of {0} x {0}", matmul_tile) : "";
  return choice.isa.name + arithmetic_of(row) + tiles +
         (apart ? ", fma as a multiply and an add" : "");
}

std::vector<Table> all_tables(const Abilities& abilities) {
  const Features& features = abilities.features;
  return {{isa_baseline, true},
          {isa_avx2, features.avx2_fma},
          {isa_avxvnni, features.avx_vnni},
          {isa_avx512, features.avx512},
          {isa_avx512fp16, features.avx512_fp16},
          {isa_avx512bf16, features.avx512_bf16},
          {isa_avx512vnni, features.avx512_vnni},
          {isa_amx, abilities.amx}};
}

std::vector<Isa> usable_tables(const Abilities& abilities) {
  std::vector<Isa> tables;
  for (const Table& table : all_tables(abilities)) {
    if (table.usable) tables.push_back(table.isa);
  }
  return tables;
}

Selection::Selection(const Abilities& abilities) : Selection(abilities, usable_tables(abilities)) {}

Selection::Selection(const Abilities& abilities, std::vector<Isa> tables)
    : abilities_(abilities), tables_(std::move(tables)) {
  for (const Isa& isa : tables_) {
    for (std::size_t i = 0; i < isa.count; ++i) choices_.push_back({isa.rows[i], isa});
  }
}

const Choice* Selection::find(const Case& c) const {
  const auto found = std::find_if(choices_.rbegin(), choices_.rend(),
                                  [&](const Choice& choice) { return answers(choice.row, c); });
  return found == choices_.rend() ? nullptr : &*found;
}

std::vector<const Choice*> Selection::find_all(const Case& c) const {
  std::vector<const Choice*> all;
  for (auto choice = choices_.rbegin(); choice != choices_.rend(); ++choice) {
    if (!answers(choice->row, c)) continue;
    const Choice& best = all.empty() ? *choice : *all.front();
    const bool same_fma = c.op() != Op::fma || c.family == Family::stream ||
                          choice->isa.fused_multiply_add == best.isa.fused_multiply_add;
    if (same_fma && choice->row.arithmetic == best.row.arithmetic) all.push_back(&*choice);
  }
  return all;
}

const Choice& Selection::fma_chain(const Case& c) const {
  const Choice* chain =
      find({.ops = Op::fma, .dtype = Dtype::fp32, .elements = c.elements, .repeat = c.repeat});
  if (chain == nullptr) throw Unsupported("this CPU has no chain of fma in fp32");
  return *chain;
}

std::vector<Kernel> Selection::kernels() const {
  std::vector<Kernel> rows;
  for (const FamilyOnCpu* here : families_on_cpu) {
    const Family family = here->family;
    for (const Units units : {Units::vector, Units::matrix}) {
      const bool in_tables = here->in_tables && here->by_tables();
      if (!in_tables || (family->for_labs && !family->runs_on(units))) continue;
      std::span<const Op> ops = here->ops.empty() ? family->ops : here->ops;
      if (units == Units::matrix) ops = family->ops.first(1);
      for (const Op op : ops) {
        for (const DtypeInfo& info : dtypes)
          rows.push_back(describe(family, op, info.dtype, units));
      }
    }
  }
  for (const FamilyOnCpu* here : families_on_cpu) {
    if (here->more != nullptr) std::ranges::move(here->more(*this), std::back_inserter(rows));
    if (!here->by_tables())
      rows.push_back({.family = here->family,
                      .op = here->family->ops.front(),
                      .dtype = here->dtype,
                      .note = here->note});
  }
  return rows;
}

std::vector<std::string> Selection::names() const {
  std::vector<std::string> names;
  for (const Isa& isa : tables_) {
    const bool new_name = isa.count > 0 && std::ranges::find(names, isa.name) == names.end();
    if (new_name) names.emplace_back(isa.name);
  }
  return names;
}

Kernel Selection::describe(Family family, Op op, Dtype dtype, Units units) const {
  Kernel kernel{.family = family, .op = op, .dtype = dtype, .units = units};
  Case c = usual_of(family);
  c.ops = op;
  c.dtype = dtype;
  c.units = units;
  const bool lacks_math =
      family->for_labs && calls_function(op) && !abilities_.why_no_vector_math.empty();
  if (const Choice* choice = find(c); choice != nullptr && !lacks_math) {
    kernel.note = note_of(*choice);
    if (abilities_.features.sve) kernel.note += "; SVE is not used";
  } else {
    kernel.runs = false;
    kernel.why_not = refusal_of(c);
    if (kernel.why_not.empty() && lacks_math) kernel.why_not = abilities_.why_no_vector_math;
    if (kernel.why_not.empty()) kernel.why_not = why_not(family, dtype, units);
  }
  return kernel;
}

std::string Selection::why_not(Family family, Dtype dtype, Units units) const {
  const FamilyOnCpu* here = on_cpu(family);
  if (here != nullptr && here->why_not != nullptr) {
    std::string why = here->why_not(abilities_, dtype, units);
    if (!why.empty()) return why;
  }
  if (dtype == Dtype::tf32) return "tf32 exists only inside GPU tensor cores: use fp32";
  if (dtype == Dtype::fp8) return "CPUs have no fp8 arithmetic: use fp16 or bf16";
  if (units == Units::matrix) {
    if (dtype != Dtype::bf16 && dtype != Dtype::int8) {
      return fmt::format("AMX multiplies bf16 and int8 tiles, not {}", name_of(dtype));
    }
    return abilities_.why_no_amx.empty() ? "AMX is disabled in this selection"
                                         : abilities_.why_no_amx;
  }
  if (dtype == Dtype::int8) return "8-bit integers run as tiles only: use tile";
  return fmt::format("{} runs as a chain only: use chain", name_of(dtype));
}

}  // namespace kernels::cpu
