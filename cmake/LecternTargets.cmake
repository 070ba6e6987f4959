# How every target of the project is compiled, in one place.

function(lectern_compile_options target)
  target_compile_features(${target} PUBLIC cxx_std_20)
  set_target_properties(${target} PROPERTIES CXX_EXTENSIONS OFF)
  target_compile_options(${target} PRIVATE ${LECTERN_WARNINGS} ${LECTERN_CODE_GENERATION})
  if(OpenMP_CXX_FOUND)
    # Everywhere, tests included: an inline function of a kernel's header must be the same in all.
    target_link_libraries(${target} PRIVATE OpenMP::OpenMP_CXX)
  endif()
  if(LECTERN_WERROR)
    target_compile_options(${target} PRIVATE -Werror)
  endif()
  if(LECTERN_SANITIZE)
    string(REPLACE "address" "address,undefined" sanitizers ${LECTERN_SANITIZE})
    target_compile_options(${target} PUBLIC -fsanitize=${sanitizers} -fno-sanitize-recover=all
                                            -fno-omit-frame-pointer)
    target_link_options(${target} PUBLIC -fsanitize=${sanitizers})
    if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
      # The checks added by the sanitizers make g++ see uses of unset values that are none.
      target_compile_options(${target} PRIVATE -Wno-maybe-uninitialized)
    else()
      # They also keep clang from vectorising loops that ask for it.
      target_compile_options(${target} PRIVATE -Wno-pass-failed)
    endif()
  endif()
endfunction()

# lectern_library(tensor SOURCES a.cpp …): the library lectern_tensor, alias lectern::tensor.
function(lectern_library layer)
  cmake_parse_arguments(ARG "" "" "SOURCES" ${ARGN})
  add_library(lectern_${layer} STATIC ${ARG_SOURCES})
  add_library(lectern::${layer} ALIAS lectern_${layer})
  set_target_properties(lectern_${layer} PROPERTIES EXPORT_NAME ${layer}
                                                    POSITION_INDEPENDENT_CODE ON)
  target_include_directories(
    lectern_${layer} PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}>
                            $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}/lectern>)
  lectern_compile_options(lectern_${layer})
endfunction()

# lectern_program(translate SOURCES main.cpp … LINK lectern::nn …): lands in build/<preset>/bin.
function(lectern_program name)
  cmake_parse_arguments(ARG "" "" "SOURCES;LINK" ${ARGN})
  add_executable(${name} ${ARG_SOURCES})
  target_link_libraries(${name} PRIVATE ${ARG_LINK})
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bin)
  lectern_compile_options(${name})
endfunction()
