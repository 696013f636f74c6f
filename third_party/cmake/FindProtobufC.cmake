# protobuf-c: the library as ProtobufC::ProtobufC and its compiler plugin as PROTOC_GEN_C.
find_path(ProtobufC_INCLUDE_DIR protobuf-c/protobuf-c.h)
find_library(ProtobufC_LIBRARY protobuf-c)
find_program(PROTOC_GEN_C NAMES protoc-gen-c)

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(ProtobufC REQUIRED_VARS ProtobufC_LIBRARY ProtobufC_INCLUDE_DIR PROTOC_GEN_C)

if(ProtobufC_FOUND AND NOT TARGET ProtobufC::ProtobufC)
  add_library(ProtobufC::ProtobufC UNKNOWN IMPORTED)
  set_target_properties(ProtobufC::ProtobufC PROPERTIES IMPORTED_LOCATION ${ProtobufC_LIBRARY}
                                                        INTERFACE_INCLUDE_DIRECTORIES ${ProtobufC_INCLUDE_DIR})
endif()
mark_as_advanced(ProtobufC_INCLUDE_DIR ProtobufC_LIBRARY PROTOC_GEN_C)
