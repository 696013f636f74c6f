# Run when the static library is installed, as `cmake -DARCHIVE=... -DLINKER=... -DOBJCOPY=... -DAR=... -P`: of its
# files it makes one, in which what is not of the interface is local. Without it the names of our C files and of
# protobuf-c's would be global, and meet those of another build of the same messages in a program. What optimising
# across files keeps is left out: it has the names as they were.
get_filename_component(folder ${ARCHIVE} DIRECTORY)
set(plain ${folder}/libtracebridge.plain.a)
set(whole ${folder}/libtracebridge.whole.o)
foreach(
  command
  "${OBJCOPY};--remove-section=.gnu.lto_*;--remove-section=.gnu.debuglto_*;${ARCHIVE};${plain}"
  "${LINKER};-r;-o;${whole};--whole-archive;${plain}"
  "${OBJCOPY};--localize-hidden;${whole}"
  "${CMAKE_COMMAND};-E;rm;${ARCHIVE}"
  "${AR};qcs;${ARCHIVE};${whole}"
  "${CMAKE_COMMAND};-E;rm;${plain};${whole}")
  execute_process(COMMAND ${command} COMMAND_ERROR_IS_FATAL ANY)
endforeach()
