# Run by the build (KernelVariants.cmake): makes of the LIBRARIES of the VARIANTS one object each, and
# kernel_entries.o, which has the names that the rest of Lectern calls.
#
#   kernel_entries.o                                 kernels_avx2.o
#     lectern::kernels::gemm<float>(…):                lectern_kernels_avx2:
#       jump to lectern_kernels[13]                      …
#                     │                             ┌► 13: lectern::kernels::avx2::gemm<float>
#                     └─ set by portable.cpp ───────┘    …
cmake_minimum_required(VERSION 3.20)

# run(COMMAND…): stops with the command's own words if it fails; leaves its output in `output`.
macro(run)
  execute_process(COMMAND ${ARGN} OUTPUT_VARIABLE output COMMAND_ERROR_IS_FATAL ANY)
endmacro()

function(assemble name text)
  file(WRITE ${name}.s "${text}\n	.section .note.GNU-stack, \"\", @progbits\n")
  run(${CXX} -c ${name}.s -o ${name}.o)
endfunction()

# 1. An entry point is a function that a kernel's header declares without a body. In the linker's
# names every part stands after its length: _ZN7lectern7kernels4gemmI… is a template of that name.
set(names "")
foreach(header IN LISTS HEADERS)
  file(READ ${header} text)
  string(REPLACE ";" "!" text "${text}") # a semicolon would separate two elements of a list
  string(REGEX MATCHALL "\n[a-z][A-Za-z0-9_:<> ]* [a-z0-9_]+\\([^{}!]*\\)!" declarations "${text}")
  foreach(declaration IN LISTS declarations)
    string(REGEX REPLACE "^[^(]* ([a-z0-9_]+)\\(.*" "\\1" name "${declaration}")
    string(LENGTH ${name} length)
    list(APPEND names ${length}${name})
  endforeach()
endforeach()
list(REMOVE_DUPLICATES names)
list(JOIN names "|" names)

# entry_points(VARIANT LIBRARY): the list `signatures` of its entry points as C++ writes them,
# without the variant's namespace, sorted; symbol_<signature> is the linker's name.
macro(entry_points variant library)
  set(signatures "")
  run(${NM} --no-sort --defined-only --extern-only ${library})
  string(REGEX MATCHALL "[0-9a-f]+ [TW] [^\n]+" symbols "${output}")
  run(${NM} --no-sort --defined-only --extern-only --demangle ${library})
  string(REPLACE "kernels::${variant}::" "kernels::" output "${output}")
  string(REGEX MATCHALL "[0-9a-f]+ [TW] [^\n]+" readable "${output}")
  foreach(symbol signature IN ZIP_LISTS symbols readable)
    if(symbol MATCHES " _ZN7lectern7kernels([46]avx[0-9]+)?(${names})[IE]")
      string(REGEX REPLACE "^[0-9a-f]+ [TW] " "" symbol ${symbol})
      string(REGEX REPLACE "^[0-9a-f]+ [TW] " "" signature ${signature})
      list(APPEND signatures "${signature}")
      set("symbol_${signature}" ${symbol})
    endif()
  endforeach()
  list(SORT signatures)
endmacro()

# 2. The names that others call are those of the first variant. %r11 is free between caller and callee.
list(GET VARIANTS 0 first_variant)
list(GET LIBRARIES 0 first_library)
entry_points(${first_variant} ${first_library})
set(wanted "${signatures}")
set(text "	.text\n	.hidden lectern_kernels\n")
set(offset 0)
foreach(signature IN LISTS wanted)
  set(symbol ${symbol_${signature}})
  string(APPEND text "
# ${signature}
	.globl ${symbol}
	.type ${symbol}, @function
${symbol}:
	movq lectern_kernels(%rip), %r11
	jmp *${offset}(%r11)
	.size ${symbol}, . - ${symbol}
")
  math(EXPR offset "${offset} + 8")
endforeach()
assemble(kernel_entries "${text}")

# 3. Each variant's table and kernels become one object. Groups of sections, which the linker would
# share between objects by name, are dissolved, and every name but the table's is made local.
foreach(variant library IN ZIP_LISTS VARIANTS LIBRARIES)
  entry_points(${variant} ${library})
  if(NOT signatures STREQUAL wanted)
    message(FATAL_ERROR "the entry points for ${variant} are not those for ${first_variant}")
  endif()
  set(table lectern_kernels_${variant})
  set(text "	.section .data.rel.ro, \"aw\"\n	.balign 8\n	.globl ${table}\n${table}:\n")
  foreach(signature IN LISTS signatures)
    string(APPEND text "	.quad ${symbol_${signature}}\n")
  endforeach()
  assemble(kernel_table_${variant} "${text}")
  run(${LD} -r --force-group-allocation -o kernels_${variant}.o kernel_table_${variant}.o
      --whole-archive ${library})
  run(${OBJCOPY} --keep-global-symbol=${table} kernels_${variant}.o)
endforeach()
