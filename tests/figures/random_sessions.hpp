// Sessions as any device could measure them, the same ones in every run.
#pragma once

#include "engine/session/session.hpp"

namespace test {

/// Number `seed`: one or several dtypes, fused and unfused, near roofs that span ten decades, with
/// earlier runs, failures, wide intervals and names of any length.
engine::Session random_session(unsigned seed);

}  // namespace test
