/* SPDX-License-Identifier: Apache-2.0
 *
 * kinds_read TRACE: prints, a line each, `packets KIND` for what a reader in the one shape gives as packets, and
 * `instant KIND` for each event of the kernel that it gives as an instant.
 */
#include <stdio.h>
#include <string.h>

#include <tracebridge/reader.h>

static void print(const char *what, struct tb_str kind) {
  printf("%s %.*s\n", what, (int)kind.len, kind.len ? kind.ptr : "");
}

int main(int argc, char **argv) {
  const struct tb_reader_options options = {.size = sizeof(options),
                                            .event_types = 1u << TB_EVENT_PACKETS | 1u << TB_EVENT_INSTANT};
  struct tb_reader *reader;
  const struct tb_event *event;
  enum tb_status status;
  if (argc != 2 || tb_reader_open(argv[1], &options, &reader, NULL) != TB_OK) return 1;
  while ((status = tb_reader_next(reader, &event)) == TB_OK) {
    if (event->type == TB_EVENT_PACKETS)
      print("packets", event->name);
    else if (event->categories.len == 6 && !memcmp(event->categories.ptr, "ftrace", 6))
      print("instant", event->name);
  }
  tb_reader_close(reader);
  return status == TB_END ? 0 : 1;
}
