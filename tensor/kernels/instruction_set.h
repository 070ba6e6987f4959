#pragma once

#include <string_view>

namespace lectern::kernels {

/// The widest vector instructions of the kernels in use: "AVX2", "NEON", …
std::string_view instruction_set();

}  // namespace lectern::kernels
