/* SPDX-License-Identifier: Apache-2.0 */
#include "library_text.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#define KEEP_PACKETS "--keep-packets"

static const struct cli_command *speaker; /* NULL: none yet */
static bool named_others;

void cli_library_text_for(const struct cli_command *command) { speaker = command; }

static bool has_option(const struct cli_command *command, const char *name) {
  for (size_t i = 0; i < command->option_count; i++)
    if (command->options[i].name && strcmp(command->options[i].name, name) == 0) return true;
  return false;
}

/* An option that is named as what helps, by commands that have none such. */
static const char *option_for_speaker(const char *option) {
  bool is_converts = strcmp(option, KEEP_PACKETS) == 0 && speaker && !has_option(speaker, &KEEP_PACKETS[2]);
  return is_converts ? "convert " KEEP_PACKETS : option;
}

static const struct {
  const char *member, *option;
} names[] = {
    {"tb_reader_options.format", "--from"},
    {"tb_reader_options.strict", "--strict"},
    {"tb_reader_options.max_junk_bytes", "--max-junk"},
    {"tb_writer_options.format", "--to"},
    {"tb_writer_options.compress", "--compress"},
    {"tb_writer_options.keep_packets", KEEP_PACKETS},
    {"tb_merge_options.align_on", "--align-on"},
    {"tb_merge_options.align_messages", "--align-messages"},
    {"tb_merge_input.offset_ns", "--offset"},
    {"tb_merge_options.max_drift_ppm", "--max-drift"},
    {"tb_merge_input.machine", "--machine"},
    {"tb_merge_options.manifest", "--manifest"},
    {"tb_merge_options.unplaced", "--unplaced"},
    {"tb_merge_options.trace_clock", "--trace-clock"},
    {"tb_merge_input.clock", "--clock"},
    {"tb_merge_options.flatten_machines", "--flatten-machines"},
    {"tb_dump_options.events", "--events"},
    {"tb_serve_options.port", "--port"},
};

/* Writes at most `size` bytes, the NUL too. Our names are the shorter ones. */
static void translate(const char *text, char *room, size_t size) {
  size_t len = 0;
  while (*text && len < size - 1) {
    const char *put = text;
    size_t take = 1, puts = 1;
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
      size_t name = strlen(names[i].member);
      if (*text != 't' || strncmp(text, names[i].member, name) != 0) continue;
      put = option_for_speaker(names[i].option);
      named_others = named_others || (speaker && !has_option(speaker, &names[i].option[2]));
      puts = strlen(put);
      take = name;
    }
    if (puts > size - 1 - len) puts = size - 1 - len;
    memcpy(room + len, put, puts);
    len += puts;
    text += take;
  }
  room[len] = '\0';
}

const char *cli_library_text(const char *text, char room[CLI_TEXT_MAX]) {
  translate(text, room, CLI_TEXT_MAX);
  return room;
}

char *cli_library_report(const char *text) {
  size_t size = text ? strlen(text) + 1 : 0;
  char *copy = size ? malloc(size) : NULL;
  if (copy) translate(text, copy, size);
  return copy;
}

bool cli_library_text_named_others(void) { return named_others; }
