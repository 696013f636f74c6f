# SPDX-License-Identifier: Apache-2.0
#
# Makes of the bytes of the file FROM a C file TO, and the header HEADER that says what is in it.
file(READ ${FROM} bytes HEX)
string(LENGTH ${bytes} digits)
math(EXPR size "${digits} / 2")
string(REGEX REPLACE "(................................)" "\\1\n" bytes ${bytes})
string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes ${bytes})
file(
  WRITE ${HEADER}
  "/* A FileDescriptorSet, made from the .proto files by protoc. */
#ifndef TB_PROTOS_DESCRIPTORS_H
#define TB_PROTOS_DESCRIPTORS_H

extern const unsigned char tb_descriptors[${size}];

#endif
")
file(
  WRITE ${TO}
  "#include \"protos/descriptors.h\"

const unsigned char tb_descriptors[] = {
${bytes}};
")
