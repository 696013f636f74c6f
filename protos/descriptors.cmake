# SPDX-License-Identifier: Apache-2.0
#
# Makes a C header TO with the bytes of the file FROM.
file(READ ${FROM} bytes HEX)
string(REGEX REPLACE "(................................)" "\\1\n" bytes ${bytes})
string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes ${bytes})
file(
  WRITE ${TO}
  "/* A FileDescriptorSet, made from the .proto files by protoc. */
#ifndef TB_PROTOS_DESCRIPTORS_H
#define TB_PROTOS_DESCRIPTORS_H

static const unsigned char tb_descriptors[] = {
${bytes}};

#endif
")
