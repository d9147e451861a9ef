// Ours and every peer that is here, in pairs (ours, theirs, theirs, ours) on the same machine in
// one run: the ratio of each pair, its median and its 95 % interval, in words. Usage: compare_peers
// SESSION.json [PAIRS [SECONDS [WORD]]], a session of `ridgepoint sweep --lab roofs`, whose shapes
// ours use; SECONDS: of everything; WORD: only the roofs whose names hold it.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <map>
#include <numeric>
#include <thread>

#include "engine/labs/lab.hpp"
#include "engine/measure/measure.hpp"
#include "engine/measure/statistics.hpp"
#include "engine/roofs/roof_facts.hpp"
#include "engine/roofs/roof_tasks.hpp"
#include "engine/session/session_file.hpp"
#include "tests/bench/pairs.hpp"
#include "tests/bench/peers.hpp"

namespace {

// A library's threads wait at work for some milliseconds after a product (libgomp, OpenBLAS); they
// sleep before the next turn.
constexpr std::chrono::milliseconds between_turns{50};
// For programs whose turns take seconds; 20 pairs of the others take about 15 s.
constexpr double seconds_per_peer = 150;

struct Comparison {
  std::size_t pairs = 20;
  double until = 0;  ///< on the clock of steady_seconds()
};

kernels::Device& device_of(const kernels::Devices& devices, const std::string& id) {
  const auto found = std::ranges::find_if(
      devices.usable, [&](const auto& device) { return device->info().id == id; });
  if (found == devices.usable.end()) {
    throw std::runtime_error(fmt::format("the session is of {}, which is not here", id));
  }
  return **found;
}

/// A variant of a program, or why none of its variants runs.
struct Chosen {
  bench::Peer peer;
  double rate = 0;
  std::string why;
};

/// The median of three turns; of those that take seconds, one.
bench::Turn tried_turn(bench::Peer& peer) {
  constexpr double brief = 1;  // s
  std::vector<double> rates;
  for (int i = 0; i < 3; ++i) {
    const double begin = engine::steady_seconds();
    const bench::Turn turn = peer.turn();
    if (!turn.why.empty()) return turn;
    rates.push_back(turn.rate);
    if (engine::steady_seconds() > begin + brief) break;
  }
  return {.rate = engine::median_of(rates)};
}

/// Each variant is tried; of each program the fastest stays.
std::vector<Chosen> fastest_variants(const std::vector<bench::Peer>& all, const std::string& roof,
                                     double until) {
  std::map<std::string, Chosen> best;
  for (const bench::Peer& peer : all) {
    if (peer.roof != roof || engine::steady_seconds() > until) continue;
    fmt::print(stderr, "  trying {} {}\n", peer.program, peer.variant);
    // A copy: a turn may learn how long it takes.
    bench::Peer tried = peer;
    const bench::Turn turn = tried_turn(tried);
    Chosen& place = best[peer.program];
    if (turn.why.empty() && turn.rate > place.rate)
      place = {std::move(tried), turn.rate, ""};
    else if (place.rate == 0)
      place = {std::move(tried), 0, turn.why};
  }
  std::vector<Chosen> chosen;
  for (auto& [program, one] : best) chosen.push_back(std::move(one));
  return chosen;
}

/// The roofs of the session that hold the word, with the shapes that won.
std::vector<engine::RoofTask> our_tasks(const kernels::Device& device,
                                        const engine::Session& session, const std::string& word) {
  std::vector<engine::RoofTask> tasks;
  for (engine::RoofTask& task :
       engine::all_roofs(engine::place_of(device), kernels::Data::random)) {
    const auto roof = std::ranges::find_if(session.roofs, [&](const engine::Roof& measured) {
      return measured.name == task.roof.name && measured.source == engine::RoofSource::measured;
    });
    if (roof == session.roofs.end() || roof->name.find(word) == std::string::npos) continue;
    task.what.shape = roof->shape;
    tasks.push_back(std::move(task));
  }
  return tasks;
}

/// Work per second over a whole turn, as peers report theirs: no warm-up, and every run counts.
bench::Turn our_turn(kernels::Trial& trial, double kernels::Work::*amount) {
  const double end = engine::steady_seconds() + bench::turn_seconds;
  double seconds = 0, done = 0;
  do {
    seconds += trial.run({}).seconds;
    done += trial.work().*amount;
  } while (engine::steady_seconds() < end);
  return {.rate = done / seconds};
}

/// "1.021 [1.013 to 1.030]  faster by 1.3 to 3 %", or why there is no interval.
std::string outcome_of(const bench::Paired& paired) {
  const std::vector<double> ratios = paired.ratios();
  const auto interval = engine::median_interval(ratios);
  if (!interval) {
    return fmt::format("no interval: {} pairs are too few{}{}", ratios.size(),
                       paired.ended.empty() ? "" : ": ", paired.ended);
  }
  return fmt::format("{:.3f} [{:.3f} to {:.3f}]  {}", engine::median_of(ratios), interval->low,
                     interval->high, bench::words_of(*interval));
}

void print_row(const engine::Roof& roof, const bench::Peer& peer, const bench::Paired& paired) {
  const auto rate = [&](const std::vector<double>& rates) {
    return rates.empty() ? "-" : engine::rate_text(roof, engine::median_of(rates));
  };
  fmt::print("{:<13} {:>14}  {:<37} {:>14}  {:>5}  {}\n{:<13} {}\n", roof.name, rate(paired.ours),
             peer.program + " " + peer.variant, rate(paired.theirs), paired.ours.size(),
             outcome_of(paired), "", peer.compared);
  std::fflush(stdout);
}

void compare(kernels::Device& device, const engine::RoofTask& task, std::vector<Chosen> peers,
             const Comparison& how) {
  const auto trial = device.prepare(task.what, {});
  const kernels::Check check = trial->verify({});
  if (!check.ok) throw std::runtime_error(kernels::describe(task.what) + ": " + check.why);
  for (Chosen& chosen : peers) {
    if (!chosen.why.empty()) {
      print_row(task.roof, chosen.peer, {.ended = chosen.why});
      continue;
    }
    const double left = how.until - engine::steady_seconds();
    if (left <= 0) continue;
    fmt::print(stderr, "{}: {} pairs with {} {}\n", task.roof.name, how.pairs, chosen.peer.program,
               chosen.peer.variant);
    const auto rested = [](const auto& turn) {
      std::this_thread::sleep_for(between_turns);
      return turn();
    };
    print_row(task.roof, chosen.peer,
              bench::compare_in_pairs(
                  [&] { return rested([&] { return our_turn(*trial, task.amount); }); },
                  [&] { return rested(chosen.peer.turn); },
                  {.pairs = how.pairs, .seconds = std::min(seconds_per_peer, left)},
                  engine::steady_seconds));
  }
}

void find_peers(bench::Peers& peers, const kernels::Device& device,
                const std::vector<engine::RoofTask>& tasks) {
  for (const engine::RoofTask& task : tasks) {
    if (task.roof.kind == engine::RoofKind::bandwidth)
      peers.working_set = std::max(peers.working_set, kernels::footprint_of(task.what));
  }
  for (const auto add : {bench::add_likwid, bench::add_clpeak, bench::add_mixbench,
                         bench::add_stream, bench::add_openblas, bench::add_onednn,
                         bench::add_memcpy, bench::add_nvbandwidth, bench::add_cuda_memcpy}) {
    add(peers, device.info());
  }
}

int compare_all(const char* file, const Comparison& how, const std::string& word) {
  const engine::Session session = engine::load_session(file);
  const kernels::Devices devices = kernels::open_devices();
  kernels::Device& device = device_of(devices, session.device.id);
  const std::vector<engine::RoofTask> tasks = our_tasks(device, session, word);
  bench::Peers peers;
  find_peers(peers, device, tasks);
  fmt::print("{}, {} threads, {}; up to {} pairs: ours, theirs, theirs, ours, ...\n",
             device.info().name, device.info().threads, device.info().compute_capability,
             how.pairs);
  fmt::print("{:<13} {:>14}  {:<37} {:>14}  {:>5}  {}\n", "roof", "ours",
             "chosen variant of the peer", "theirs", "pairs",
             "ours / theirs [95 % interval], ours is");
  std::fflush(stdout);
  std::size_t compared = 0;
  for (const engine::RoofTask& task : tasks) {
    std::vector<Chosen> variants = fastest_variants(peers.found, task.roof.name, how.until);
    if (variants.empty()) continue;
    ++compared;
    compare(device, task, std::move(variants), how);
  }
  for (const bench::Missing& peer : peers.missing) {
    fmt::print("not compared: {} is not here: {}\n", peer.name, peer.why);
  }
  if (engine::steady_seconds() > how.until) fmt::print("not all compared: the time was over\n");
  return compared == 0 ? 1 : 0;
}

}  // namespace

int main(int argc, char** argv) {
  const int pairs = argc > 2 ? std::atoi(argv[2]) : 20;
  const double seconds = argc > 3 ? std::atof(argv[3]) : 1800;
  if (argc < 2 || pairs < 1 || !(seconds > 0)) {
    fmt::print(stderr, "usage: compare_peers SESSION.json [PAIRS [SECONDS [WORD]]]\n");
    return 2;
  }
  try {
    return compare_all(argv[1],
                       {static_cast<std::size_t>(pairs), engine::steady_seconds() + seconds},
                       argc > 4 ? argv[4] : "");
  } catch (const std::exception& error) {
    fmt::print(stderr, "compare_peers: {}\n", error.what());
    return 1;
  }
}
