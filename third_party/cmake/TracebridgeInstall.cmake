# What `cmake --install` puts where, each in the component that is the package of it: program, library or dev.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/tracebridge)
if(TARGET tracebridge_deps::isal)
  set(TRACEBRIDGE_WITH_ISAL ON)
else()
  set(TRACEBRIDGE_WITH_ISAL OFF)
endif()

install(TARGETS tracebridge COMPONENT program)
install(TARGETS tracebridge_shared EXPORT tracebridge_shared LIBRARY COMPONENT library NAMELINK_COMPONENT dev)
install(TARGETS tracebridge_static EXPORT tracebridge_static COMPONENT dev)
foreach(kind shared static)
  install(EXPORT tracebridge_${kind} NAMESPACE tracebridge:: FILE tracebridge-${kind}-targets.cmake
          DESTINATION ${package_dir} COMPONENT dev)
endforeach()
set(archive "${CMAKE_INSTALL_LIBDIR}/${CMAKE_STATIC_LIBRARY_PREFIX}tracebridge${CMAKE_STATIC_LIBRARY_SUFFIX}")
if(NOT IS_ABSOLUTE ${CMAKE_INSTALL_LIBDIR})
  set(archive "\${CMAKE_INSTALL_PREFIX}/${archive}")
endif()
install(CODE "execute_process(COMMAND \"${CMAKE_COMMAND}\" \"-DARCHIVE=\$ENV{DESTDIR}${archive}\"
                              \"-DLINKER=${CMAKE_LINKER}\" \"-DOBJCOPY=${CMAKE_OBJCOPY}\" \"-DAR=${CMAKE_AR}\"
                              -P \"${PROJECT_SOURCE_DIR}/third_party/cmake/HideInternals.cmake\"
                              COMMAND_ERROR_IS_FATAL ANY)"
        COMPONENT dev)
foreach(directory ${TRACEBRIDGE_INCLUDE_DIRS})
  install(DIRECTORY ${directory}/tracebridge DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT dev
          FILES_MATCHING PATTERN *.h)
endforeach()

configure_package_config_file(third_party/cmake/tracebridge-config.cmake.in tracebridge-config.cmake
                              INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(tracebridge-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/tracebridge-config.cmake
              ${CMAKE_CURRENT_BINARY_DIR}/tracebridge-config-version.cmake
              third_party/cmake/TracebridgeDependencies.cmake DESTINATION ${package_dir} COMPONENT dev)

# The pkg-config file and the man page are made at install time: the prefix is known only then.
list(JOIN TRACEBRIDGE_DEPENDENCY_FLAGS " " TRACEBRIDGE_PC_PRIVATE)
foreach(kind LIBDIR INCLUDEDIR)
  if(IS_ABSOLUTE ${CMAKE_INSTALL_${kind}})
    set(TRACEBRIDGE_PC_${kind} ${CMAKE_INSTALL_${kind}})
  else()
    set(TRACEBRIDGE_PC_${kind} "\${prefix}/${CMAKE_INSTALL_${kind}}")
  endif()
endforeach()
set(pc_stage ${CMAKE_CURRENT_BINARY_DIR}/tracebridge.pc)
set(CMAKE_INSTALL_PREFIX_KEPT ${CMAKE_INSTALL_PREFIX})
set(CMAKE_INSTALL_PREFIX "@CMAKE_INSTALL_PREFIX@")
configure_file(third_party/cmake/tracebridge.pc.in ${pc_stage}.in @ONLY)
set(CMAKE_INSTALL_PREFIX ${CMAKE_INSTALL_PREFIX_KEPT})
install(CODE "configure_file(\"${pc_stage}.in\" \"${pc_stage}\" @ONLY)" COMPONENT dev)
install(FILES ${pc_stage} DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT dev)

# What there is to read of the library; its reference is made of the headers, where python3 is there.
file(GLOB pages_to_read CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/docs/*.md) # which link each other
install(FILES ${pages_to_read} DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT dev)
install(DIRECTORY docs/merging docs/history DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT dev
        FILES_MATCHING PATTERN *.md)
install(DIRECTORY docs/examples DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT dev FILES_MATCHING PATTERN *.c)
find_program(PYTHON3 python3)
if(PYTHON3)
  file(GLOB headers CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/bridge/include/tracebridge/*.h)
  add_custom_command(
    OUTPUT tracebridge.html
    COMMAND ${PYTHON3} ${PROJECT_SOURCE_DIR}/docs/make_reference.py ${PROJECT_SOURCE_DIR}/bridge/include/tracebridge
            ${PROJECT_VERSION} > tracebridge.html
    DEPENDS ${headers} ${PROJECT_SOURCE_DIR}/docs/make_reference.py
    VERBATIM)
  add_custom_target(tracebridge_reference ALL DEPENDS tracebridge.html)
  install(FILES ${CMAKE_CURRENT_BINARY_DIR}/tracebridge.html DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT dev)
endif()

# Man pages and completions are made by the program, of its tables of commands and options.
set(pages tracebridge.1)
add_custom_command(
  OUTPUT tracebridge.1
  COMMAND tracebridge help --man > tracebridge.1
  DEPENDS tracebridge
  VERBATIM)
foreach(command convert merge trim filter split repair info dump open verify diff redact)
  add_custom_command(
    OUTPUT tracebridge-${command}.1
    COMMAND tracebridge help --man ${command} > tracebridge-${command}.1
    DEPENDS tracebridge
    VERBATIM)
  list(APPEND pages tracebridge-${command}.1)
endforeach()
set(scripts)
foreach(shell bash zsh fish)
  add_custom_command(
    OUTPUT completion.${shell}
    COMMAND tracebridge help --completion ${shell} > completion.${shell}
    DEPENDS tracebridge
    VERBATIM)
  list(APPEND scripts completion.${shell})
endforeach()
add_custom_target(tracebridge_pages ALL DEPENDS ${pages} ${scripts})
list(TRANSFORM pages PREPEND ${CMAKE_CURRENT_BINARY_DIR}/)
install(FILES ${pages} DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 COMPONENT program)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/completion.bash RENAME tracebridge
        DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions COMPONENT program)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/completion.zsh RENAME _tracebridge
        DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions COMPONENT program)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/completion.fish RENAME tracebridge.fish
        DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d COMPONENT program)
