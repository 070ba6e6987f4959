# Portable builds for x86-64: every kernel three times, for three generations of processors, one of
# which is chosen when the program starts (tensor/kernels/variant.h).
#
# The sources know nothing of it. Compiling for AVX2 renames the namespace lectern::kernels to
# lectern::kernels::avx2, so no name means two things. What is left are the functions that headers
# of the standard library bring along, std::max<float> for instance: each object has its own copy,
# and the linker keeps any one of them for all, perhaps one with AVX-512 for code that must run
# without. Therefore each variant is linked into a single object that shows no name but that of its
# table of entry points (JoinKernels.cmake).

set(LECTERN_KERNEL_VARIANTS "")
if(NOT LECTERN_NATIVE
   AND LECTERN_SIMD STREQUAL "SSE2"
   AND CMAKE_SIZEOF_VOID_P EQUAL 8
   AND CMAKE_EXECUTABLE_FORMAT STREQUAL "ELF"
   AND NOT LECTERN_SANITIZE)
  set(LECTERN_KERNEL_VARIANTS sse2 avx2 avx512)
endif()
set(LECTERN_FLAGS_avx2 -march=x86-64-v3)
set(LECTERN_FLAGS_avx512 -march=x86-64-v4 -mprefer-vector-width=512)

# lectern_kernel_variants(tensor kernels/gemm.cpp …): adds all variants of the sources to
# lectern_tensor.
function(lectern_kernel_variants layer)
  set(objects "")
  set(libraries "")
  foreach(variant IN LISTS LECTERN_KERNEL_VARIANTS)
    set(library lectern_kernels_${variant})
    lectern_library(kernels_${variant} SOURCES ${ARGN})
    set_target_properties(${library} PROPERTIES INTERPROCEDURAL_OPTIMIZATION OFF)
    # GCC's "unique" objects would stay visible.
    target_compile_options(${library} PRIVATE ${LECTERN_FLAGS_${variant}}
                                              $<$<CXX_COMPILER_ID:GNU>:-fno-gnu-unique>)
    if(NOT variant STREQUAL "sse2") # what all other files are compiled for: the same name is right
      target_compile_definitions(${library} PRIVATE kernels=kernels::${variant})
    endif()
    list(APPEND libraries $<TARGET_FILE:${library}>)
    list(APPEND objects kernels_${variant}.o)
  endforeach()
  set(script ${PROJECT_SOURCE_DIR}/cmake/JoinKernels.cmake)
  file(GLOB headers ${CMAKE_CURRENT_SOURCE_DIR}/kernels/*.h)
  add_custom_command(
    OUTPUT ${objects} kernel_entries.o
    COMMAND
      ${CMAKE_COMMAND} "-DVARIANTS=${LECTERN_KERNEL_VARIANTS}" "-DHEADERS=${headers}"
      "-DLIBRARIES=${libraries}" -DCXX=${CMAKE_CXX_COMPILER} -DLD=${CMAKE_LINKER}
      -DNM=${CMAKE_NM} -DOBJCOPY=${CMAKE_OBJCOPY} -P ${script}
    DEPENDS ${script} ${headers} ${libraries}
    COMMENT "Joining the kernels for ${LECTERN_KERNEL_VARIANTS}"
    VERBATIM)
  target_sources(lectern_${layer} PRIVATE ${objects} kernel_entries.o kernels/portable.cpp)
endfunction()
