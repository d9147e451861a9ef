// `transfer`: bytes moved between host and GPU, or got from the system and moved within a host.
#include "kernels/families/transfer/transfer.hpp"

#include <algorithm>
#include <array>
#include <cstring>

#include "kernels/families/family.hpp"

namespace kernels {
namespace {

constexpr std::array ops{Op::copy};
constexpr std::array<std::string_view, 13> transfers{"pageable to GPU",
                                                     "pinned to GPU",
                                                     "mapped to GPU",
                                                     "pageable from GPU",
                                                     "pinned from GPU",
                                                     "mapped from GPU",
                                                     "pinned both ways",
                                                     "memcpy",
                                                     "write again",
                                                     "fresh pages",
                                                     "fresh huge pages",
                                                     "GPU to GPU",
                                                     "memcpy from another memory node"};
constexpr std::array axes{AxisInfo{"transfer", "", "What is moved from where to where.", 1,
                                   transfers.size(), 1, transfers}};

bool is_copy(Transfer transfer) {
  return transfer == Transfer::copy || transfer == Transfer::remote_copy;
}

/// N bytes each way over the link; within a host those that are read, too.
Work work(const Case& c) {
  const Transfer transfer = transfer_of(c);
  const bool twice = transfer == Transfer::both_pinned || is_copy(transfer);
  return {
      .flops = 0, .bytes = (twice ? 2.0 : 1.0) * static_cast<double>(c.elements), .launches = 1};
}

/// Source and destination.
double footprint(const Case& c) {
  const bool one = !is_of_gpu(transfer_of(c)) && !is_copy(transfer_of(c));
  return (one ? 1.0 : 2.0) * static_cast<double>(c.elements);
}

std::string refuse(const Case& c) {
  return c.dtype == Dtype::int8 ? "" : "transfers are of bytes: choose int8";
}

}  // namespace

Transfer transfer_of(const Case& c) {
  return static_cast<Transfer>(c.more[0] == 0 ? 1 : c.more[0]);
}

Case transfer_case(Transfer transfer, std::uint64_t bytes) {
  return {.family = Family::transfer,
          .ops = Op::copy,
          .dtype = Dtype::int8,
          .elements = bytes,
          .more = {static_cast<std::uint64_t>(transfer)}};
}

std::string_view words_of(Transfer transfer) {
  return transfers.at(static_cast<std::size_t>(transfer) - 1);
}

bool is_of_gpu(Transfer transfer) {
  return transfer < Transfer::copy || transfer == Transfer::to_peer;
}

void fill_transfer(void* data, std::uint64_t bytes, std::uint64_t seed) {
  auto* const to = static_cast<unsigned char*>(data);
  std::uint64_t word = seed;
  for (std::uint64_t at = 0; at < bytes; at += sizeof(word)) {
    word = word * 6364136223846793005U + 1442695040888963407U;  // Knuth's MMIX generator
    std::memcpy(to + at, &word, std::min<std::uint64_t>(sizeof(word), bytes - at));
  }
}

extern const FamilyInfo transfer_family{
    .name = "transfer",
    .help = "bytes between host and GPU, or within a host",
    .ops = ops,
    .for_labs = true,
    .limit = Limit::elsewhere,
    .axes = axes,
    .work = work,
    .footprint = footprint,
    .granule = [](Dtype) { return transfer_granule; },
    .refuse = refuse,
    .tag = [](const Case& c) { return std::string(words_of(transfer_of(c))); },
};

}  // namespace kernels
