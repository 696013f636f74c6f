/* SPDX-License-Identifier: Apache-2.0
 *
 * Bytes as a sequence of calls of the library's interface, right and wrong ones, with memory that is valid: pointers
 * are NULL or point to as much as the counts say, everything else is any number. Sanitizers are the judges; and a call
 * that gave TB_INVALID has not made its object fail.
 */
#include <stdlib.h>
#include <string.h>

#include "calls.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { CALLS = 24 };
enum { FIRST_OF_COLUMNS = 0xf0, FIRST_OF_TOOLS = 0xfd };

static void call_one(struct calls *c) {
  unsigned which = byte(c);
  if (which >= FIRST_OF_TOOLS)
    calls_use_tool(c);
  else if (which >= FIRST_OF_COLUMNS)
    calls_use_columns(c, which);
  else
    calls_use_stream(c, which);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  struct calls *c = calloc(1, sizeof(*c));
  if (!c) return 0;
  c->data = data;
  c->end = data + size;
  memcpy(c->text, "a text\0of \xff\xc3\xa9 bytes.[:]", TEXT);
  for (unsigned i = 0; i < TRACKS; i++)
    c->tracks[i] = (struct tb_track){.index = i, .type = TB_TRACK_THREAD, .pid = 1, .tid = i, .has_tid = true};
  for (unsigned i = 0; i < CALLS && c->data < c->end; i++) call_one(c);
  calls_close(c);
  free(c);
  return 0;
}
