#include "tile_tables.hpp"

#include "kernels/cpu/amx.hpp"
#include "kernels/cpu/processor.hpp"
#include "tile_amx_model.hpp"

namespace kernels::cpu {
namespace {

struct Candidate {
  Isa isa;
  bool usable;
  std::string why_not;
};

std::vector<Candidate> candidates() {
  const Features features = processor_features();
  std::string why_no_amx;
  const bool amx = amx_usable(why_no_amx);
  const std::string missing = "this processor has no such instructions";
  return {{tile_baseline(), true, {}},
          {tile_portable(), true, {}},
          {tile_amx_model(), true, {}},
          {tile_avx2(), features.avx2_fma, missing},
          {tile_avx512(), features.avx512, missing},
          {tile_avx512fp16(), features.avx512_fp16, missing},
          {tile_avxvnni(), features.avx_vnni, missing},
          {tile_avx512bf16(), features.avx512_bf16, missing},
          {tile_avx512vnni(), features.avx512_vnni, missing},
          {tile_amx(), amx, why_no_amx}};
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
