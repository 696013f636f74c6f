/* SPDX-License-Identifier: Apache-2.0
 *
 * Kernel events: prints what the kernel traced that is no slice, counter or state: time, CPU, thread, kind, fields.
 *
 *   cc kernel_events.c $(pkg-config --cflags --libs tracebridge) && ./a.out trace.perfetto-trace
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include <tracebridge/reader.h>

/* Instants of the kernel are of this category, which nothing else is. */
static bool is_of_kernel(const struct tb_event *event) {
  static const char category[] = "ftrace";
  return event->categories.len == sizeof(category) - 1 &&
         !memcmp(event->categories.ptr, category, sizeof(category) - 1);
}

static void print_text(struct tb_str text) {
  if (text.len) fwrite(text.ptr, 1, text.len, stdout);
}

static void print_field(const struct tb_arg *field) {
  putchar('\t');
  print_text(field->name);
  putchar('=');
  if (field->type == TB_ARG_INT) printf("%" PRId64, field->i);
  if (field->type == TB_ARG_UINT || field->type == TB_ARG_BOOL) printf("%" PRIu64, field->u);
  if (field->type == TB_ARG_STRING || field->type == TB_ARG_BLOB) print_text(field->text);
}

static void print_event(const struct tb_event *event) {
  printf("%" PRId64 "\t%u\t%" PRId64 "\t", event->ts, (unsigned)event->cpu, event->track->tid);
  print_text(event->name);
  for (uint32_t i = 0; i < event->arg_count; i += event->args[i].span) print_field(&event->args[i]);
  putchar('\n');
}

int main(int argc, char **argv) {
  const struct tb_reader_options options = {
      .size = sizeof(options), .sorted = true, .event_types = 1u << TB_EVENT_INSTANT};
  struct tb_reader *reader;
  struct tb_error error = {0};
  const struct tb_event *event;
  enum tb_status status;
  if (argc != 2) return 2;
  if (tb_reader_open(argv[1], &options, &reader, &error) != TB_OK) {
    fprintf(stderr, "%s: %s\n", error.file, error.message);
    return 1;
  }
  while ((status = tb_reader_next(reader, &event)) == TB_OK)
    if (is_of_kernel(event)) print_event(event);
  if (status != TB_END) fprintf(stderr, "%s\n", tb_reader_error(reader)->message);
  tb_reader_close(reader);
  return status == TB_END ? 0 : 1;
}
