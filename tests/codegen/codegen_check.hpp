// What the tests of generated code share: demands on a kernel's loop, and failing with every
// difference.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "codegen_objects.hpp"

namespace codegen {

/// What a loop of this object must be whose ops are `arithmetic`.
Demand demand_of(const Object&, std::map<std::string, int> arithmetic, int loads);

/// Fails the running test case once per problem.
void check_no_problems(const std::vector<std::string>& problems);

/// The function whose name starts so; ends the test case when there is none.
const Function& function_of(const Listing&, const std::string& name_start);

/// "MulAdd", as it stands in the name of a template instance.
std::string op_argument(kernels::Op);

/// Instructions of the whole function whose mnemonic starts so.
int count_starting(const Function&, std::string_view start);

}  // namespace codegen
