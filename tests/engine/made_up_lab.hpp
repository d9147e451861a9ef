// A lab that only tests have: few cases, one chart, a claim. Pictures and tests that need a lab
// take this one, so that a new lab changes none of them.
#pragma once

#include <string>
#include <vector>

#include "engine/labs/lab.hpp"

namespace fake {

inline engine::Plan plan_few_ops(const engine::Spec& spec, const engine::Place& place,
                                 const engine::Results&) {
  engine::Plan plan;
  kernels::Case what = engine::usual_case(spec, place, kernels::Family::chain, spec.dtypes.front());
  for (const std::uint64_t repeat : {1, 4, 16, 64}) {
    what.repeat = repeat;
    plan.asks.push_back({what});
  }
  return plan;
}

inline std::vector<engine::Chart> chart_few_ops(const engine::Results&) {
  engine::Chart flops{.id = "few-ops", .title = "FLOP/s of a few ops"};
  flops.x = engine::metrics::axis("repeat");
  flops.y = engine::metrics::flops;
  flops.series = engine::labels::series;
  flops.colour = engine::labels::dtype;
  flops.along = "repeat";
  flops.overlays = {engine::Overlay::roofs, engine::Overlay::best};
  engine::Chart runtime = flops;
  runtime.id = "few-ops-runtime";
  runtime.title = "Runtime of a few ops";
  runtime.y = engine::metrics::runtime;
  runtime.overlays = {engine::Overlay::knee};
  return {flops, runtime};
}

inline engine::LabVerdict judge_few_ops(const engine::Results& results) {
  engine::LabVerdict verdict;
  if (!results.ended || results.points.size() < 2) return verdict;
  const double first = results.points.front()->seconds.median;
  for (const engine::Point* point : results.points) {
    verdict.rows.push_back({std::to_string(point->what.repeat) + " ops per element",
                            engine::Interval{1}, engine::Interval{point->seconds.median / first},
                            "x"});
  }
  const bool holds = results.points[1]->seconds.median < 1.1 * first;
  verdict.says = holds ? engine::Says::holds : engine::Says::differs;
  verdict.headline = holds ? "Four ops take as long as one." : "Four ops take longer than one.";
  verdict.advice = {"Fuse ops while memory is the limit."};
  return verdict;
}

inline const engine::Lab few_ops{
    .name = "few-ops",
    .title = "A few ops",
    .group = "Compute",
    .question = "Do four ops take longer than one?",
    .about = "A chain of 1, 4, 16 and 64 ops on the same elements.",
    .claim = {"A few more ops are free while memory is the limit.", "made up for tests"},
    .reads = {"dtype", "elements", "data"},
    .plan = plan_few_ops,
    .charts = chart_few_ops,
    .verdict = judge_few_ops,
};

}  // namespace fake
