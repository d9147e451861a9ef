// Transfers within a host: what is moved, and what is found where it is not.
#include "kernels/families/transfer/transfer.hpp"

#include <doctest/doctest.h>

#include <set>
#include <string>
#include <vector>

#include "kernels/families/family.hpp"
#include "tests/kernels/cpu_devices.hpp"
#include "tests/text.hpp"

using namespace kernels;
using namespace kernels::cpu;
using tests::contains;

TEST_CASE("each transfer of a CPU writes every byte, before and after it is timed") {
  CpuDevice cpu("/", cores(), no_amx, Selection(no_amx));
  int measured = 0;
  for (const Transfer transfer : {Transfer::copy, Transfer::again, Transfer::fresh,
                                  Transfer::fresh_huge, Transfer::remote_copy}) {
    for (const std::uint64_t bytes : {64, 4096, 3 << 20}) {
      const Case c = transfer_case(transfer, bytes);
      CAPTURE(describe(c));
      try {
        const auto trial = cpu.prepare(c, {});
        const Check before = trial->verify({});
        CHECK_MESSAGE(before.ok, before.why);
        CHECK(trial->run({}).seconds > 0);
        CHECK(trial->verify({}).ok);
        ++measured;
      } catch (const Unsupported& why) {
        const bool remote = transfer == Transfer::remote_copy;
        CHECK((remote || transfer == Transfer::fresh_huge));
        CHECK(contains(why.what(), remote ? " memory node" : "this system gives no huge pages"));
      }
    }
  }
  CHECK(measured >= 9);
}

TEST_CASE("transfers of a GPU, other types and odd sizes are refused on a CPU") {
  CpuDevice cpu("/", cores(), no_amx, Selection(no_amx));
  CHECK_THROWS_WITH_AS(static_cast<void>(cpu.prepare(transfer_case(Transfer::to_pinned, 64), {})),
                       "pinned to GPU is measured on a GPU", Unsupported);
  Case c = transfer_case(Transfer::copy, 64);
  c.dtype = Dtype::fp32;
  CHECK(refusal_of(c) == "transfers are of bytes: choose int8");
  CHECK_THROWS_AS(static_cast<void>(cpu.prepare(transfer_case(Transfer::copy, 65), {})),
                  Unsupported);
}

TEST_CASE("the work of a transfer is its bytes, of both ways and of a copy twice as many") {
  CHECK(work_of(transfer_case(Transfer::to_pinned, 4096)).bytes == 4096);
  CHECK(work_of(transfer_case(Transfer::both_pinned, 4096)).bytes == 2 * 4096);
  CHECK(work_of(transfer_case(Transfer::copy, 4096)).bytes == 2 * 4096);
  CHECK(work_of(transfer_case(Transfer::remote_copy, 4096)).bytes == 2 * 4096);
  CHECK(work_of(transfer_case(Transfer::to_peer, 4096)).bytes == 4096);
  CHECK(work_of(transfer_case(Transfer::fresh, 4096)).bytes == 4096);
}

TEST_CASE("what is moved differs from place to place and from time to time") {
  std::vector<unsigned char> one(4096), other(4096);
  fill_transfer(one.data(), one.size(), 1);
  fill_transfer(other.data(), other.size(), 2);
  CHECK(one != other);
  CHECK(std::set<unsigned char>(one.begin(), one.end()).size() > 200);
  std::vector<unsigned char> odd(13, 0xff);
  fill_transfer(odd.data(), 11, 1);
  CHECK(odd[11] == 0xff);
}
