# Which compilers will do, what they are asked for, and what they answer.

if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES AND LECTERN_TOP_LEVEL)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "Release, RelWithDebInfo or Debug" FORCE)
endif()

if((CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 12)
   OR (CMAKE_CXX_COMPILER_ID STREQUAL "Clang" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 16))
  message(
    FATAL_ERROR
      "Lectern needs g++ >= 12 or clang++ >= 16; this is ${CMAKE_CXX_COMPILER_ID} "
      "${CMAKE_CXX_COMPILER_VERSION} (${CMAKE_CXX_COMPILER}). "
      "Choose another with -DCMAKE_CXX_COMPILER=...; see docs/troubleshooting.md.")
endif()

set(LECTERN_WARNINGS -Wall -Wextra -Wpedantic -Wshadow -Wconversion)

# No -ffast-math: NaN, infinity and the order of sums mean something here. These two are safe:
# nobody reads errno after exp or sqrt, and "omp simd" only marks loops whose order is free.
set(LECTERN_CODE_GENERATION -fno-math-errno -fopenmp-simd)

# GCC 12.2 for AVX-512 makes std::vector<double>{1, 1, 0, 0} hold four ones: it repeats the start of
# a constant list that ends in zeros. The fault needs this pass (tests/tensor/build_info_test.cpp).
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  list(APPEND LECTERN_CODE_GENERATION -fno-tree-slp-vectorize)
endif()

if(LECTERN_NATIVE)
  include(CheckCXXCompilerFlag)
  check_cxx_compiler_flag(-march=native LECTERN_HAS_MARCH_NATIVE)
  check_cxx_compiler_flag(-mcpu=native LECTERN_HAS_MCPU_NATIVE)
  if(LECTERN_HAS_MARCH_NATIVE)
    list(APPEND LECTERN_CODE_GENERATION -march=native)
  elseif(LECTERN_HAS_MCPU_NATIVE)
    list(APPEND LECTERN_CODE_GENERATION -mcpu=native)
  endif()
endif()

# The widest vector instructions that these flags allow, as the compiler itself says.
separate_arguments(flags_of_user UNIX_COMMAND "${CMAKE_CXX_FLAGS}")
execute_process(
  COMMAND ${CMAKE_CXX_COMPILER} ${flags_of_user} ${LECTERN_CODE_GENERATION} -x c++ -dM -E /dev/null
  OUTPUT_VARIABLE predefined
  ERROR_QUIET)
set(LECTERN_SIMD "none known")
foreach(pair IN ITEMS SSE2=SSE2 AVX=AVX AVX2=AVX2 AVX512F=AVX-512 ARM_NEON=NEON ARM_FEATURE_SVE=SVE)
  string(REPLACE "=" ";" pair ${pair})
  list(GET pair 0 macro)
  list(GET pair 1 name)
  if(predefined MATCHES "#define __${macro}(__)? ")
    set(LECTERN_SIMD ${name})
  endif()
endforeach()
