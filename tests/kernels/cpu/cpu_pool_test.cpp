#include <doctest/doctest.h>
#include <sched.h>

#include <algorithm>
#include <atomic>
#include <ctime>
#include <numeric>
#include <set>
#include <string>
#include <system_error>
#include <vector>

#include "kernels/cpu/machine/topology.hpp"
#include "kernels/cpu/threads/pool.hpp"
#include "kernels/cpu/threads/share.hpp"

using namespace kernels::cpu;

TEST_CASE("every launch runs once on every thread and ends after all of them") {
  for (const int threads : {1, 2, 5}) {
    // More threads than cores is slow, but has to work.
    Pool pool(std::vector<int>(static_cast<std::size_t>(threads), allowed_processors().front()));
    const Pool::PinnedCaller pinned(pool);
    std::vector<int> calls(static_cast<std::size_t>(threads));
    auto body = [&](int thread) { ++calls[static_cast<std::size_t>(thread)]; };
    for (int launch = 1; launch <= 100; ++launch) {
      pool.launch(body);
      for (const int count : calls) CHECK(count == launch);
    }
  }
}

TEST_CASE("a pool without enough threads ends those it has and says so") {
  for (const int possible : {0, 1, 3}) {
    int started = 0;
    const Pool::Starter starter = [&](std::function<void()> function) {
      if (started == possible) {
        throw std::system_error(std::make_error_code(std::errc::resource_unavailable_try_again));
      }
      ++started;
      return std::jthread(std::move(function));
    };
    const std::vector<int> cores(5, allowed_processors().front());
    try {
      const Pool pool(cores, starter);
      FAIL("the pool has threads that could not be started");
    } catch (const std::runtime_error& error) {
      const std::string why = error.what();
      CHECK(why.find("only " + std::to_string(possible + 1) + " of 5 threads") == 0);
      CHECK(why.find("ulimit -u") != std::string::npos);
    }
  }
}

TEST_CASE("threads stay on their cores, and the caller goes back to where it was") {
  const std::vector<int> cores = one_per_core("/", allowed_processors());
  Pool pool(cores);
  std::vector<int> seen(cores.size());
  {
    const Pool::PinnedCaller pinned(pool);
    auto body = [&](int thread) { seen[static_cast<std::size_t>(thread)] = sched_getcpu(); };
    pool.launch(body);
    CHECK(allowed_processors().size() == 1);
  }
  CHECK(seen == cores);
  CHECK(allowed_processors().size() >= cores.size());
}

namespace {

/// Processor time that the calling thread has had, s.
double ran_seconds() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

}  // namespace

TEST_CASE("threads that compete for one core miss what the other has") {
  Pool pool(std::vector<int>(2, allowed_processors().front()));
  constexpr double wanted = 0.02;
  std::atomic<int> begun = 0;
  auto body = [&](int) {
    ++begun;
    while (begun < 2) sched_yield();
    for (const double start = ran_seconds(); ran_seconds() - start < wanted;) {
    }
  };
  const double before = pool.missed_seconds();
  {
    const Pool::PinnedCaller pinned(pool);
    pool.launch(body);
  }
  // When the first has had its time, the two together have missed as much.
  CHECK(pool.missed_seconds() - before > 0.9 * wanted);
}

TEST_CASE("a thread that wants nothing misses nothing") {
  ScheduledTime scheduled;
  scheduled.begin();
  scheduled.slept(1);
  scheduled.update();
  CHECK(scheduled.missed() == 0);
}

TEST_CASE("a pinned caller and its helpers flush subnormals to zero, and only then") {
#ifdef __SSE2__
  volatile float small = 1e-38F;
  const std::vector<int> cores = one_per_core("/", allowed_processors());
  Pool pool(cores);
  std::vector<float> results(cores.size(), 1.0F);
  {
    const Pool::PinnedCaller pinned(pool);
    auto body = [&](int thread) { results[static_cast<std::size_t>(thread)] = small * 0.5F; };
    pool.launch(body);
  }
  for (const float result : results) CHECK(result == 0);
  CHECK(small * 0.5F > 0);
#endif
}

TEST_CASE("shares cover every item once, in order, in whole granules but for the last") {
  for (const std::uint64_t items : {1, 383, 384, 385, 5000, 38400}) {
    for (const int threads : {1, 2, 3, 7, 64}) {
      CAPTURE(items);
      CAPTURE(threads);
      std::uint64_t next = 0;
      for (int thread = 0; thread < threads; ++thread) {
        const Range share = share_of(items, 384, thread, threads);
        if (share.count > 0) CHECK(share.first == next);
        if (share.count > 0) CHECK(share.first % 384 == 0);
        next += share.count;
      }
      CHECK(next == items);
    }
  }
}

TEST_CASE("a queue gives every item once, and a slow core gets fewer") {
  Pool pool(one_per_core("/", allowed_processors()));
  for (const std::uint64_t items : {1, 383, 384, 5000, 1'000'000}) {
    CAPTURE(items);
    std::vector<std::uint64_t> got(static_cast<std::size_t>(pool.threads()));
    std::vector<std::atomic<int>> seen(items);
    ParallelLoop loop({items, 384, pool.threads(), Schedule::queue});
    auto body = [&](int thread) {
      loop.run(
          thread, 384 * 16, [] { return false; },
          [&](Range range) {
            got[static_cast<std::size_t>(thread)] += range.count;
            for (std::uint64_t i = 0; i < range.count; ++i) ++seen[range.first + i];
          });
    };
    const Pool::PinnedCaller pinned(pool);
    pool.launch(body);
    CHECK(std::ranges::all_of(seen, [](const auto& times) { return times == 1; }));
    CHECK(std::accumulate(got.begin(), got.end(), std::uint64_t{0}) == items);
  }
  // As slow as a core can be: it has its first piece until the other has taken all others.
  ParallelLoop loop({38400, 384, 2, Schedule::queue});
  std::uint64_t first = 0, second = 0;
  const auto never = [] { return false; };
  loop.run(0, 384, never, [&](Range piece_of_slow) {
    first += piece_of_slow.count;
    loop.run(1, 384, never, [&](Range piece) { second += piece.count; });
  });
  CHECK(first == 384);
  CHECK(second == 38400 - 384);
}

TEST_CASE(
    "the parts of a launch give every item once, and to the thread that has it in the whole") {
  constexpr std::uint64_t granule = 384;
  constexpr int threads = 3;
  for (const Schedule schedule : {Schedule::shares, Schedule::queue}) {
    for (const std::uint64_t items :
         {std::uint64_t{1}, granule, 10 * granule + 7, 1000 * granule}) {
      for (const std::uint64_t of : {1, 2, 7, 100}) {
        CAPTURE(items);
        CAPTURE(of);
        std::vector<int> seen(items);
        double fractions = 0;
        for (std::uint64_t index = 0; index < of; ++index) {
          const Split split{items, granule, threads, schedule};
          ParallelLoop part(split, {index, of});
          std::uint64_t count = 0;
          for (int thread = 0; thread < threads; ++thread) {
            const Range share = share_of(items, granule, thread, threads);
            part.run(
                thread, granule, [] { return false; },
                [&](Range range) {
                  count += range.count;
                  for (std::uint64_t i = 0; i < range.count; ++i) ++seen[range.first + i];
                  if (schedule == Schedule::queue) return;
                  CHECK(range.first >= share.first);
                  CHECK(range.first + range.count <= share.first + share.count);
                });
          }
          CHECK(split.fraction({index, of}) ==
                static_cast<double>(count) / static_cast<double>(items));
          fractions += split.fraction({index, of});
        }
        CHECK(std::ranges::all_of(seen, [](int times) { return times == 1; }));
        CHECK(fractions == doctest::Approx(1));
      }
    }
  }
}

TEST_CASE("pieces cover a range and end when stopped") {
  std::vector<std::uint64_t> firsts;
  const auto note = [&](Range piece) { firsts.push_back(piece.first); };
  in_pieces(
      {10, 25}, 10, [] { return false; }, note);
  CHECK(firsts == std::vector<std::uint64_t>{10, 20, 30});
  firsts.clear();
  in_pieces(
      {0, 100}, 10, [&] { return firsts.size() == 2; }, note);
  CHECK(firsts.size() == 2);
}
