# The libraries Lectern stands on: the system's package where there is one, otherwise the pinned
# source, fetched over the network and built along.
#
#   library        package on Debian, Ubuntu   needed by
#   fmt            libfmt-dev                  the library
#   nlohmann_json  nlohmann-json3-dev          the library, privately
#   CLI11          libcli11-dev                examples
#   utf8proc       libutf8proc-dev             examples
#   GTest          libgtest-dev                tests
#   benchmark      libbenchmark-dev            benchmarks
#   OpenMP         comes with g++              optional: without it there is one thread

include(FetchContent)
include(GNUInstallDirs)

# Afterwards `target` exists; LECTERN_FETCHED_<package> says whether it was fetched.
function(lectern_dependency package minimum target repository tag)
  set(LECTERN_FETCHED_${package} OFF PARENT_SCOPE)
  if(TARGET ${target})
    return() # the embedding project brought it
  endif()
  find_package(${package} ${minimum} QUIET)
  if(TARGET ${target})
    return()
  endif()
  message(STATUS "${package}: no system package of version >= ${minimum}; fetching ${tag} from ${repository}")
  FetchContent_Declare(
    ${package}
    GIT_REPOSITORY ${repository}
    GIT_TAG ${tag}
    GIT_SHALLOW ON)
  FetchContent_MakeAvailable(${package})
  set(LECTERN_FETCHED_${package} ON PARENT_SCOPE)
  if(NOT TARGET ${target})
    add_library(${target} ALIAS ${package})
  endif()
  # Its headers count as the system's, so that our warnings stay ours.
  get_target_property(original ${target} ALIASED_TARGET)
  get_target_property(directories ${original} INTERFACE_INCLUDE_DIRECTORIES)
  set_target_properties(${original} PROPERTIES INTERFACE_SYSTEM_INCLUDE_DIRECTORIES "${directories}")
endfunction()

# The fetched projects' own switches: no tests, no installation.
set(BUILD_GMOCK OFF)
set(INSTALL_GTEST OFF)
set(BENCHMARK_ENABLE_TESTING OFF)
set(BENCHMARK_ENABLE_INSTALL OFF)
set(UTF8PROC_INSTALL OFF)
set(CMAKE_POLICY_DEFAULT_CMP0077 NEW) # they read these through option()

find_package(OpenMP COMPONENTS CXX QUIET)
lectern_dependency(fmt 9 fmt::fmt https://github.com/fmtlib/fmt.git 9.1.0)
lectern_dependency(nlohmann_json 3.9 nlohmann_json::nlohmann_json
                   https://github.com/nlohmann/json.git v3.11.2)
if(LECTERN_BUILD_EXAMPLES)
  lectern_dependency(CLI11 2.1 CLI11::CLI11 https://github.com/CLIUtils/CLI11.git v2.3.2)
  lectern_dependency(utf8proc 2.4 utf8proc::utf8proc
                     https://github.com/JuliaStrings/utf8proc.git v2.8.0)
endif()
if(LECTERN_BUILD_TESTS)
  lectern_dependency(GTest 1.11 GTest::gtest https://github.com/google/googletest.git
                     release-1.12.1)
endif()
if(LECTERN_BUILD_BENCHMARKS)
  lectern_dependency(benchmark 1.6 benchmark::benchmark https://github.com/google/benchmark.git
                     v1.7.1)
endif()
