# `cpack` in a build of the preset `package` makes these Debian packages: tracebridge, the program; libtracebridge0;
# libtracebridge-dev.
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME tracebridge)
set(CPACK_PACKAGE_VENDOR tracebridge)
set(CPACK_PACKAGE_CONTACT "The maintainers of tracebridge <maintainers@tracebridge.invalid>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "${PROJECT_DESCRIPTION}")
set(CPACK_RESOURCE_FILE_LICENSE ${PROJECT_SOURCE_DIR}/LICENSE)
# By DESTDIR, so that what is made at install time knows its prefix.
set(CPACK_SET_DESTDIR ON)
set(CPACK_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_COMPONENTS_ALL program library dev)
set(CPACK_COMPONENTS_GROUPING ONE_PER_GROUP)

set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(loaded "libarchive13, coinor-libclp1, libmicrohttpd12") # when they are used

set(CPACK_DEBIAN_PROGRAM_PACKAGE_NAME tracebridge)
set(CPACK_DEBIAN_PROGRAM_PACKAGE_SECTION devel)
set(CPACK_DEBIAN_PROGRAM_PACKAGE_RECOMMENDS "${loaded}")
set(CPACK_COMPONENT_PROGRAM_DESCRIPTION
    "Converts traces between Chrome's JSON, Perfetto and FXT, and merges traces of several hosts onto one clock.")

set(CPACK_DEBIAN_LIBRARY_PACKAGE_NAME libtracebridge0)
set(CPACK_DEBIAN_LIBRARY_PACKAGE_SECTION libs)
set(CPACK_DEBIAN_LIBRARY_PACKAGE_RECOMMENDS "${loaded}")
set(CPACK_DEBIAN_LIBRARY_PACKAGE_GENERATE_SHLIBS ON)
set(CPACK_COMPONENT_LIBRARY_DESCRIPTION "Reads, writes, converts and merges traces: the shared library.")

set(CPACK_DEBIAN_DEV_PACKAGE_NAME libtracebridge-dev)
set(CPACK_DEBIAN_DEV_PACKAGE_SECTION libdevel)
set(static_needs "zlib1g-dev, libzstd-dev, libprotobuf-c-dev, libnanopb-dev, libsodium-dev")
if(TRACEBRIDGE_WITH_ISAL)
  string(APPEND static_needs ", libisal-dev")
endif()
set(CPACK_DEBIAN_DEV_PACKAGE_DEPENDS "libtracebridge0 (= ${PROJECT_VERSION}), ${static_needs}")
set(CPACK_COMPONENT_DEV_DESCRIPTION "Headers, the static library, and files for CMake and pkg-config.")

include(CPack)
