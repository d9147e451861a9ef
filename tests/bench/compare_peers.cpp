// Ours and every peer that is here, in turn (A B A B), on the same machine in one run: the ratio of
// the medians and, for machines whose speed changes meanwhile, of the best rounds. Usage:
// compare_peers SESSION.json [ROUNDS [WORD]], a session of `ridgepoint sweep
// --experiment roofs`, whose shapes ours use; WORD: only the roofs whose names hold it.
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <map>

#include "engine/measure/measure.hpp"
#include "engine/measure/statistics.hpp"
#include "engine/roofs/roof_facts.hpp"
#include "engine/roofs/roof_tasks.hpp"
#include "engine/session/session_file.hpp"
#include "tests/bench/peers.hpp"

namespace {

constexpr double our_time = 1.0;  // s for one measurement of ours; a peer's takes about as long

/// One roof of ours and what it is compared with.
struct Contest {
  engine::RoofTask ours;
  std::vector<bench::Peer> peers;  // the best variant of each program
};

kernels::Device& device_of(const kernels::Devices& devices, const std::string& id) {
  const auto found = std::ranges::find_if(
      devices.usable, [&](const auto& device) { return device->info().id == id; });
  if (found == devices.usable.end()) {
    throw std::runtime_error(fmt::format("the session is of {}, which is not here", id));
  }
  return **found;
}

std::string program_of(const bench::Peer& peer) { return peer.name.substr(0, peer.name.find(' ')); }

/// Each variant runs once; of each program the fastest stays.
std::vector<bench::Peer> best_variants(const std::vector<bench::Peer>& all,
                                       const std::string& roof) {
  std::map<std::string, std::pair<double, const bench::Peer*>> best;
  for (const bench::Peer& peer : all) {
    if (peer.roof != roof) continue;
    const double rate = peer.rate().value_or(0);
    auto& place = best[program_of(peer)];
    if (rate > place.first) place = {rate, &peer};
  }
  std::vector<bench::Peer> peers;
  for (const auto& [program, entry] : best) {
    if (entry.second != nullptr) peers.push_back(*entry.second);
  }
  return peers;
}

/// The roofs of the session that hold the word, with the shapes that won.
std::vector<engine::RoofTask> our_tasks(const kernels::Device& device,
                                        const engine::Session& session, const std::string& word) {
  std::vector<engine::RoofTask> tasks;
  for (engine::RoofTask& task : engine::all_roofs(device, kernels::Data::random).tasks) {
    const auto roof = std::ranges::find_if(session.roofs, [&](const engine::Roof& measured) {
      return measured.name == task.roof.name && measured.source == engine::RoofSource::measured;
    });
    if (roof == session.roofs.end() || roof->name.find(word) == std::string::npos) continue;
    task.what.shape = roof->shape;
    tasks.push_back(std::move(task));
  }
  return tasks;
}

double our_rate(kernels::Device& device, const engine::RoofTask& task) {
  const auto trial = device.prepare(task.what, {});
  const kernels::Check check = trial->verify({});
  if (!check.ok) throw std::runtime_error(kernels::describe(task.what) + ": " + check.why);
  engine::Policy policy;
  policy.max_time = our_time;
  const engine::VisitPlan plan{.runs = 7, .most_runs = 1000, .seconds = our_time / 2};
  const double seconds = engine::measure(*trial, policy, plan, {}).seconds.median;
  return trial->work().*task.amount / seconds;
}

void compare(kernels::Device& device, const Contest& contest, int rounds) {
  std::vector<double> ours;
  std::vector<std::vector<double>> theirs(contest.peers.size());
  for (int round = 0; round < rounds; ++round) {
    for (std::size_t i = 0; i < contest.peers.size(); ++i) {
      ours.push_back(our_rate(device, contest.ours));
      if (const auto rate = contest.peers[i].rate()) theirs[i].push_back(*rate);
    }
  }
  const double median = engine::median_of(ours);
  const double best = std::ranges::max(ours);
  for (std::size_t i = 0; i < contest.peers.size(); ++i) {
    if (theirs[i].empty()) continue;
    const double peer = engine::median_of(theirs[i]);
    fmt::print("{:<13} {:>14}  {:<36} {:>14}  {:>6.3f}  {:>8.3f}\n", contest.ours.roof.name,
               engine::rate_text(contest.ours.roof, median), contest.peers[i].name,
               engine::rate_text(contest.ours.roof, peer), median / peer,
               best / std::ranges::max(theirs[i]));
    std::fflush(stdout);
  }
}

int compare_all(const char* file, int rounds, const std::string& word) {
  const engine::Session session = engine::load_session(file);
  const kernels::Devices devices = kernels::open_devices();
  kernels::Device& device = device_of(devices, session.device.id);
  bench::Peers peers;
  for (const auto add :
       {bench::add_likwid, bench::add_clpeak, bench::add_openblas, bench::add_onednn,
        bench::add_memcpy, bench::add_nvbandwidth, bench::add_cuda_memcpy}) {
    add(peers, device.info());
  }
  fmt::print("{}, {} threads, {}; median of {} rounds, in turn\n", device.info().name,
             device.info().threads, device.info().compute_capability, rounds);
  fmt::print("{:<13} {:>14}  {:<36} {:>14}  {:>6}  {:>8}\n", "roof", "ours",
             "best peer of its kind", "theirs", "ratio", "of bests");
  std::fflush(stdout);
  int compared = 0;
  for (const engine::RoofTask& task : our_tasks(device, session, word)) {
    const Contest contest{task, best_variants(peers.found, task.roof.name)};
    if (contest.peers.empty()) continue;
    compare(device, contest, rounds);
    ++compared;
  }
  for (const bench::Missing& peer : peers.missing) {
    fmt::print("not compared: {} is not here: {}\n", peer.name, peer.why);
  }
  return compared == 0 ? 1 : 0;
}

}  // namespace

int main(int argc, char** argv) {
  const int rounds = argc > 2 ? std::atoi(argv[2]) : 5;
  if (argc < 2 || rounds < 1) {
    fmt::print(stderr, "usage: compare_peers SESSION.json [ROUNDS [WORD]]\n");
    return 2;
  }
  try {
    return compare_all(argv[1], rounds, argc > 3 ? argv[3] : "");
  } catch (const std::exception& error) {
    fmt::print(stderr, "compare_peers: {}\n", error.what());
    return 1;
  }
}
