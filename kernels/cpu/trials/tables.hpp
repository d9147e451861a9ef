// Which kernel of which instruction set answers for a case on this processor, and why none does.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "kernels/cpu/machine/processor.hpp"
#include "kernels/cpu/simd/isa.hpp"
#include "kernels/device.hpp"

namespace kernels::cpu {

/// What of this processor decides which tables it can run.
struct Abilities {
  Features features;
  bool amx = false;
  std::string why_no_amx;
  std::string why_no_vector_math{};  ///< empty: transcendental functions are there
};

/// A kernel and the instruction set that it was compiled for.
struct Choice {
  Row row;
  Isa isa;
};

/// Its instruction set, and what it computes with where that is not the dtype.
std::string note_of(const Choice&);

/// The table of an instruction set, and whether a processor can run it.
struct Table {
  Isa isa;
  bool usable;
};

/// Every table, the widest last: later ones are preferred.
std::vector<Table> all_tables(const Abilities&);

/// The tables that a processor with these abilities can run, the widest last.
std::vector<Isa> usable_tables(const Abilities&);

class Machine;
class Selection;
struct Asked;

/// What a CPU does of one family: its row in the list, beside its trial.
struct FamilyOnCpu {
  Family family;
  bool in_tables = true;  ///< `kernels()` lists it by op, dtype and units
  /// Where its kernels are not those of an instruction set: what its only row says, of the usual op
  /// in `dtype`.
  const char* note = nullptr;
  Dtype dtype = Dtype::fp32;
  std::span<const Op> ops = {};  ///< of the family's those that run here; empty: all
  /// Why no table has a kernel; empty, or null: for a reason of the dtype or the units.
  std::string (*why_not)(const Abilities&, Dtype, Units) = nullptr;
  /// Rows beside those of the tables.
  std::vector<Kernel> (*more)(const Selection&) = nullptr;
  /// What can be chosen of the shape of a case, defaults first.
  std::vector<ShapeAxis> (*axes)(const Selection&, const Machine&, const Case&) = nullptr;
  /// Throws Unsupported, Cancelled.
  std::unique_ptr<Trial> (*prepare)(const Asked&) = nullptr;

  /// Whether its kernels are those of instruction sets.
  bool by_tables() const { return note == nullptr; }
};
/// The row of a family; null: a CPU does nothing of it.
const FamilyOnCpu* on_cpu(Family);

/// A case of that family at its usual sizes.
Case usual_of(Family);

/// The last row of `tables` that computes this; nullptr when none does.
class Selection {
 public:
  explicit Selection(const Abilities&);
  /// Only the given tables (tests try every instruction set).
  Selection(const Abilities&, std::vector<Isa> tables);

  const Choice* find(const Case&) const;
  /// All that compute the same, rounding for rounding, the one that find() prefers first.
  std::vector<const Choice*> find_all(const Case&) const;
  /// The chain of fma in fp32 for the sizes of a case. Throws Unsupported.
  const Choice& fma_chain(const Case&) const;
  /// One row per family x op x dtype x units.
  std::vector<Kernel> kernels() const;
  /// One of them.
  Kernel describe(Family, Op, Dtype, Units) const;
  /// Names of the instruction sets in use, narrow to wide.
  std::vector<std::string> names() const;

 private:
  std::string why_not(Family, Dtype, Units) const;

  Abilities abilities_;
  std::vector<Isa> tables_;
  std::vector<Choice> choices_;
};

}  // namespace kernels::cpu
