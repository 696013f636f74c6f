/* SPDX-License-Identifier: Apache-2.0
 *
 * Folded: prints the call stacks of a trace's samples as flame graphs take them: frames from the root on, joined by
 * semicolons, and how often the stack was seen.
 *
 *   cc folded.c $(pkg-config --cflags --libs tracebridge) && ./a.out trace.perfetto-trace | flamegraph.pl > out.svg
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <tracebridge/reader.h>

struct stack {
  struct tb_str text; /* the reader's */
  uint64_t count;
};

static struct stack *stacks;
static size_t stack_count, stack_capacity;

/* A real program has a hash table here. */
static void count(struct tb_str text) {
  for (size_t i = 0; i < stack_count; i++)
    if (stacks[i].text.ptr == text.ptr) {
      stacks[i].count++;
      return;
    }
  if (stack_count == stack_capacity) {
    stack_capacity = 2 * stack_capacity + 64;
    stacks = realloc(stacks, stack_capacity * sizeof(*stacks));
    if (!stacks) exit(1);
  }
  stacks[stack_count++] = (struct stack){text, 1};
}

static size_t append(char *line, size_t len, size_t size, struct tb_str text) {
  if (text.len > size - len) text.len = size - len;
  if (text.len) memcpy(line + len, text.ptr, text.len);
  return len + text.len;
}

static void take(struct tb_reader *reader, const struct tb_event *sample) {
  static char line[1 << 16];
  const struct tb_stack *stack = &sample->stack;
  size_t len = 0;
  for (uint32_t i = 0; i < stack->frame_count; i++) {
    const struct tb_frame *frame = &stack->frames[i];
    if (i) len = append(line, len, sizeof(line), (struct tb_str){";", 1});
    len = append(line, len, sizeof(line), frame->function.len ? frame->function : frame->mapping);
  }
  struct tb_str kept;
  if (!len) return;
  if (tb_reader_intern(reader, (struct tb_str){line, len}, &kept) != TB_OK) exit(1);
  count(kept);
}

int main(int argc, char **argv) {
  struct tb_reader_options options = {.size = sizeof(options), .event_types = 1u << TB_EVENT_SAMPLE};
  struct tb_reader *reader;
  struct tb_error error = {0};
  const struct tb_event *event;
  enum tb_status status;
  if (argc != 2) return 2;
  if (tb_reader_open(argv[1], &options, &reader, &error) != TB_OK) {
    fprintf(stderr, "%s: %s\n", error.file, error.message);
    return 1;
  }
  while ((status = tb_reader_next(reader, &event)) == TB_OK) take(reader, event);
  if (status != TB_END) fprintf(stderr, "%s\n", tb_reader_error(reader)->message);
  for (size_t i = 0; i < stack_count; i++)
    printf("%.*s %" PRIu64 "\n", (int)stacks[i].text.len, stacks[i].text.ptr, stacks[i].count);
  free(stacks);
  tb_reader_close(reader);
  return status == TB_END ? 0 : 1;
}
