/* SPDX-License-Identifier: Apache-2.0
 *
 * Recordings that are one behind the other in one file, as files of their own: where each is read from, and what it is
 * written to.
 */
#ifndef TB_TOOLBOX_REPAIR_RECORDING_FILES_H
#define TB_TOOLBOX_REPAIR_RECORDING_FILES_H

#include "toolbox/walk/packet_walk.h"

struct tb_recording_file {
  const char *name;            /* to write to; the first one's is that of the output */
  uint64_t offset;             /* in the input, decompressed */
  struct tb_input_place place; /* a copy of its own; of the only one the input */
};

/* Makes the list of what the walk's source holds, with copies where it is more than one; names and list are of the
 * report's memory. Nothing is under a name but the first: TB_REFUSED. TB_UNSUPPORTED: more than one, and the output is
 * no file; else as reading and writing fail. */
TB_MUST_CHECK enum tb_status tb_recording_files(struct tb_walk *walk, const char *in, const char *out,
                                                struct tb_recording_file **files, size_t *count);

#endif
