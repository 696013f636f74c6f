/* SPDX-License-Identifier: Apache-2.0
 *
 * Allocator: reads a trace with memory of the program's own, with a bound, and says what was lost and what failed: the
 * ways in which reading can go wrong, and how a program tells them apart.
 *
 *   cc allocator.c $(pkg-config --cflags --libs tracebridge) && ./a.out trace.json 1000000
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include <tracebridge/reader.h>

struct memory {
  size_t used, peak, most;
};

/* A NULL of this function is TB_NO_MEMORY of the call that needed it; nothing leaks then. */
static void *reallocate(void *ctx, void *block, size_t old_size, size_t new_size) {
  struct memory *memory = ctx;
  if (new_size > old_size && new_size - old_size > memory->most - memory->used) return NULL;
  void *moved = NULL;
  if (new_size)
    moved = realloc(block, new_size);
  else
    free(block);
  if (new_size && !moved) return NULL;
  memory->used = memory->used - old_size + new_size;
  if (memory->used > memory->peak) memory->peak = memory->used;
  return moved;
}

static const char *meaning(enum tb_status status) {
  switch (status) {
    case TB_END:
      return "read to its end";
    case TB_UNKNOWN_FORMAT:
      return "no trace";
    case TB_NO_MEMORY:
      return "needs more memory";
    case TB_IO:
      return "cannot be read";
    default:
      return tb_status_text(status);
  }
}

static enum tb_status read_all(struct tb_reader *reader) {
  const struct tb_event *event;
  uint64_t events = 0;
  enum tb_status status;
  while ((status = tb_reader_next(reader, &event)) == TB_OK) events++;
  size_t count;
  const struct tb_loss *losses = tb_reader_losses(reader, &count);
  printf("%" PRIu64 " events\n", events);
  /* a trace that ends early is read to its end too: that it does is a loss */
  for (size_t i = 0; i < count; i++)
    printf("lost %" PRIu64 ", first at byte %" PRIu64 ": %s\n", losses[i].count, losses[i].first_offset,
           losses[i].reason);
  return status;
}

int main(int argc, char **argv) {
  if (argc != 3) return 2;
  struct memory memory = {.most = (size_t)strtoull(argv[2], NULL, 10)};
  const struct tb_allocator allocator = {reallocate, &memory};
  struct tb_reader_options options = {.size = sizeof(options), .allocator = &allocator};
  struct tb_reader *reader;
  struct tb_error error = {0};
  enum tb_status status = tb_reader_open(argv[1], &options, &reader, &error);
  if (status == TB_OK) {
    status = read_all(reader);
    error = *tb_reader_error(reader);
  }
  printf("%s%s%s\n", meaning(status), error.message[0] ? ": " : "", error.message);
  tb_reader_close(reader); /* NULL where opening failed */
  printf("%s\n", memory.used == 0 ? "all memory is given back" : "LEAK");
  return status == TB_END && memory.used == 0 ? 0 : 1;
}
