// What the labs say of real recordings, whole and cut off at every point.
#include <doctest/doctest.h>

#include <string>

#include "engine/labs/lab.hpp"
#include "engine/session/session_file.hpp"

using engine::LabVerdict;
using Says = engine::LabVerdict::Says;

namespace {

engine::Session recording_of(const std::string& lab,
                             const std::string& machine = "epyc-zen4-2-cores") {
  return engine::load_session("../../assets/recordings/" + machine + "-lab-" + lab + ".json");
}

LabVerdict verdict_of(const std::string& lab, const engine::Session& session) {
  engine::Spec spec;
  spec.lab = lab;
  return engine::find_lab(lab)->verdict(engine::results_of(spec, session));
}

}  // namespace

TEST_CASE("the verdicts of the recordings are those of the machine that measured them") {
  CHECK(verdict_of("fma", recording_of("fma")).says == Says::holds);
  CHECK(verdict_of("hierarchy", recording_of("hierarchy")).says == Says::holds);
  CHECK(verdict_of("doubling", recording_of("doubling")).says == Says::holds);
  CHECK(verdict_of("precision", recording_of("precision", "xeon-amx-2-cores")).says == Says::holds);
  CHECK(verdict_of("where-time-goes", recording_of("where-time-goes")).says != Says::cannot_say);
}

TEST_CASE("a recording that is cut off says nothing that the whole one contradicts") {
  for (const std::string lab : {"fma", "hierarchy", "doubling"}) {
    engine::Session session = recording_of(lab);
    const Says whole = verdict_of(lab, session).says;
    while (!session.points.empty()) {
      session.points.pop_back();
      CAPTURE(lab);
      CAPTURE(session.points.size());
      const LabVerdict cut = verdict_of(lab, session);
      CHECK((cut.says == Says::cannot_say || cut.says == whole));
      CHECK_FALSE(cut.headline.empty());
    }
    CHECK(verdict_of(lab, session).says == Says::cannot_say);
  }
}
