#include "tests/kernels/tiles/tile_tables.hpp"

#include <string_view>

#include "kernels/cpu/machine/processor.hpp"
#include "kernels/cpu/trials/tables.hpp"
#include "tests/kernels/tiles/tile_amx_model.hpp"

namespace kernels::cpu {
namespace {

struct Candidate {
  Isa isa;
  bool usable;
  std::string why_not;
};

std::vector<Candidate> candidates() {
  std::vector<Candidate> all{{isa_portable, true, {}}, {tile_amx_model(), true, {}}};
  Abilities here{.features = processor_features(), .amx = false, .why_no_amx = {}};
  here.amx = amx_usable(here.why_no_amx);
  for (const Table& table : all_tables(here)) {
    const bool amx = table.isa.name == std::string_view(isa_amx.name);
    all.push_back({table.isa, table.usable,
                   amx ? here.why_no_amx : "this processor has no such instructions"});
  }
  return all;
}

}  // namespace

std::vector<Isa> runnable_tables() {
  std::vector<Isa> tables;
  for (const Candidate& candidate : candidates()) {
    if (candidate.usable) tables.push_back(candidate.isa);
  }
  return tables;
}

std::vector<std::string> tables_left_out() {
  std::vector<std::string> sentences;
  for (const Candidate& candidate : candidates()) {
    if (!candidate.usable) {
      sentences.push_back(std::string(candidate.isa.name) + " not run: " + candidate.why_not);
    }
  }
  return sentences;
}

}  // namespace kernels::cpu
