# Installation, so that another project can say find_package(lectern), link lectern::lectern and
# write #include "nn/linear.h" as we do.

if(LECTERN_FETCHED_fmt)
  # Our headers include fmt's, and a fetched fmt is not installed: the result would not compile.
  install(
    CODE "message(FATAL_ERROR \"lectern: not installed: this build fetched its own fmt, which is not installed along. Install fmt first (Debian, Ubuntu: apt install libfmt-dev), then configure in a fresh build folder.\")"
  )
  return()
endif()

include(CMakePackageConfigHelpers)
set(LECTERN_CMAKE_DIR ${CMAKE_INSTALL_LIBDIR}/cmake/lectern)

install(TARGETS lectern_tensor lectern_autograd lectern_nn lectern_all EXPORT lecternTargets
        ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(DIRECTORY ${PROJECT_SOURCE_DIR}/tensor ${PROJECT_SOURCE_DIR}/autograd ${PROJECT_SOURCE_DIR}/nn
        DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/lectern
        FILES_MATCHING PATTERN "*.h")
install(EXPORT lecternTargets NAMESPACE lectern:: DESTINATION ${LECTERN_CMAKE_DIR})

configure_package_config_file(
  ${PROJECT_SOURCE_DIR}/cmake/lecternConfig.cmake.in ${PROJECT_BINARY_DIR}/lecternConfig.cmake
  INSTALL_DESTINATION ${LECTERN_CMAKE_DIR})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/lecternConfigVersion.cmake
                                 COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/lecternConfig.cmake
              ${PROJECT_BINARY_DIR}/lecternConfigVersion.cmake DESTINATION ${LECTERN_CMAKE_DIR})
