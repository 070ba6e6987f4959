# cmake -D "PROGRAM=[emulator;]program" -D WANT=file -P same_output.cmake: fails unless the program prints the file.
execute_process(COMMAND ${PROGRAM} OUTPUT_VARIABLE got RESULT_VARIABLE status)
file(READ ${WANT} want)
if(NOT status EQUAL 0)
  message(FATAL_ERROR "${PROGRAM} ended with ${status}")
endif()
if(NOT got STREQUAL want)
  message(FATAL_ERROR "${PROGRAM} does not print ${WANT} but:\n${got}")
endif()
