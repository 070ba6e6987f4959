# Nothing of a variant of the kernels may serve other code: that might run on a processor without
# the variant's instructions. So its object shows one name, that of its table of entry points, and
# has no group of sections, which the linker shares between objects by name. And it has no variable
# from a header (such have sections of their own), of which other code would see another copy.
cmake_minimum_required(VERSION 3.20)

foreach(variant IN LISTS VARIANTS)
  set(object kernels_${variant}.o)
  execute_process(COMMAND ${NM} --defined-only --extern-only ${object}
                  OUTPUT_VARIABLE symbols COMMAND_ERROR_IS_FATAL ANY)
  if(NOT symbols MATCHES "^[0-9a-f]+ D lectern_kernels_${variant}\n$")
    message(SEND_ERROR "${object} shows more than its table:\n${symbols}")
  endif()
  execute_process(COMMAND ${READELF} --wide --section-groups --sections ${object}
                  OUTPUT_VARIABLE sections COMMAND_ERROR_IS_FATAL ANY)
  if(NOT sections MATCHES "There are no section groups in this file")
    message(SEND_ERROR "${object} has section groups")
  endif()
  if(sections MATCHES "\\] (\\.t?(bss|data)\\._[^ ]*)")
    message(SEND_ERROR "${object} has a variable from a header: ${CMAKE_MATCH_1}")
  endif()
endforeach()
