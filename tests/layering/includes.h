#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace lectern {

/// Reads the `#include`s of every .h and .cpp file under `root` and returns one line for each that
/// breaks the rules of docs/architecture.md, section "Layers", sorted; empty when all is well:
///
/// - a layer includes only the layers below it; tests may include everything;
/// - `tensor/kernels` includes only itself, the standard library and the compiler's own headers
///   (omp.h, immintrin.h);
/// - project headers are named from the project root;
/// - headers of the library include, besides the project's, only the standard library and fmt:
///   everything else would have to be installed with them;
/// - no other folder holds code.
///
/// Folders named `build` or `runs` at the root and hidden ones are not read.
std::vector<std::string> include_violations(const std::filesystem::path& root);

}  // namespace lectern
