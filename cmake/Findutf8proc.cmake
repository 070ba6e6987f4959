# utf8proc as installed by the system: utf8proc::utf8proc (Debian's package has no CMake files).
find_path(utf8proc_INCLUDE_DIR utf8proc.h)
find_library(utf8proc_LIBRARY utf8proc)
mark_as_advanced(utf8proc_INCLUDE_DIR utf8proc_LIBRARY)

if(utf8proc_INCLUDE_DIR)
  file(STRINGS ${utf8proc_INCLUDE_DIR}/utf8proc.h version_lines
       REGEX "#define UTF8PROC_VERSION_(MAJOR|MINOR|PATCH) ")
  string(REGEX MATCHALL "[0-9]+" version_parts "${version_lines}")
  # "UTF8PROC" holds an 8 as well: every line gives two numbers, and the second is the one.
  list(GET version_parts 1 3 5 version_parts)
  list(JOIN version_parts "." utf8proc_VERSION)
endif()

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(
  utf8proc
  REQUIRED_VARS utf8proc_LIBRARY utf8proc_INCLUDE_DIR
  VERSION_VAR utf8proc_VERSION)

if(utf8proc_FOUND AND NOT TARGET utf8proc::utf8proc)
  add_library(utf8proc::utf8proc UNKNOWN IMPORTED)
  set_target_properties(
    utf8proc::utf8proc PROPERTIES IMPORTED_LOCATION ${utf8proc_LIBRARY}
                                  INTERFACE_INCLUDE_DIRECTORIES ${utf8proc_INCLUDE_DIR})
endif()
