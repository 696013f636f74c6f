# The libraries that tracebridge uses. The build includes this file, and so does the installed package, where users of
# the static library need the same libraries. A dependency is a line here and one in third_party/README.md.
#
# Afterwards: TRACEBRIDGE_DEPENDENCIES, imported targets to link; TRACEBRIDGE_DEPENDENCY_FLAGS, the same as linker
# flags; TRACEBRIDGE_MISSING, names of required ones that were not found. With TRACEBRIDGE_PORTABLE they are the static
# ones, and isa-l, which Debian does not have so, is left out.

include(CMakeFindDependencyMacro)
set(CMAKE_THREAD_PREFER_PTHREAD TRUE)
set(THREADS_PREFER_PTHREAD_FLAG TRUE)
if(NOT TARGET Threads::Threads)
  find_package(Threads QUIET)
  set_target_properties(Threads::Threads PROPERTIES IMPORTED_GLOBAL ON) # for those that the static library is linked to
endif()
set(TRACEBRIDGE_DEPENDENCIES Threads::Threads m)
set(TRACEBRIDGE_DEPENDENCY_FLAGS -pthread -lm)
set(TRACEBRIDGE_MISSING "")

if(TRACEBRIDGE_PORTABLE)
  set(TRACEBRIDGE_ISAL OFF)
  set(CMAKE_FIND_LIBRARY_SUFFIXES .a)
endif()

# tracebridge_dependency(<imported target> <header> <library> [OPTIONAL])
function(tracebridge_dependency target header library)
  string(MAKE_C_IDENTIFIER "TRACEBRIDGE_${library}" variable)
  find_path(${variable}_INCLUDE_DIR ${header})
  find_library(${variable}_LIBRARY ${library})
  mark_as_advanced(${variable}_INCLUDE_DIR ${variable}_LIBRARY)
  if(NOT ${variable}_INCLUDE_DIR OR NOT ${variable}_LIBRARY)
    if(NOT ARGV3 STREQUAL OPTIONAL)
      set(TRACEBRIDGE_MISSING ${TRACEBRIDGE_MISSING} ${library} PARENT_SCOPE)
    endif()
    return()
  endif()
  if(NOT TARGET ${target})
    add_library(${target} UNKNOWN IMPORTED GLOBAL)
    set_target_properties(${target} PROPERTIES IMPORTED_LOCATION ${${variable}_LIBRARY} INTERFACE_INCLUDE_DIRECTORIES
                                                                                        ${${variable}_INCLUDE_DIR})
  endif()
  set(TRACEBRIDGE_DEPENDENCIES ${TRACEBRIDGE_DEPENDENCIES} ${target} PARENT_SCOPE)
  set(TRACEBRIDGE_DEPENDENCY_FLAGS ${TRACEBRIDGE_DEPENDENCY_FLAGS} -l${library} PARENT_SCOPE)
endfunction()

tracebridge_dependency(ZLIB::ZLIB zlib.h z)
tracebridge_dependency(tracebridge_deps::zstd zstd.h zstd)
tracebridge_dependency(tracebridge_deps::protobuf_c protobuf-c/protobuf-c.h protobuf-c)
tracebridge_dependency(tracebridge_deps::nanopb pb_encode.h protobuf-nanopb)
tracebridge_dependency(tracebridge_deps::sodium sodium.h sodium)
if(NOT DEFINED TRACEBRIDGE_ISAL OR TRACEBRIDGE_ISAL)
  tracebridge_dependency(tracebridge_deps::isal isa-l/igzip_lib.h isal OPTIONAL)
endif()
