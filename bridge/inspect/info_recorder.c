/* SPDX-License-Identifier: Apache-2.0
 *
 * What a trace says of its recording: the machine, the recorder and its options, and what it lost by its own account.
 * Statistics come several times, each of all before it, so that the last one counts.
 */
#include <stdio.h>

#include "inspect/info_state.h"
#include "model/metadata.h"
#include "protobuf/wire.h"
#include "protos/field_numbers.h"

enum { TIMEZONE_MAX = 24 * 60, FACTS_MAX = 64, SOURCES_MAX = 256, BUFFERS_MAX = 256, FACT_BYTES_MAX = 4096 };

static struct tb_str keep(struct tb_info_state *s, struct tb_str text) {
  struct tb_str copy = tb_arena_copy(&s->arena, text);
  if (text.len && !copy.ptr) s->out_of_memory = true;
  return copy.ptr ? copy : (struct tb_str){"", 0};
}

/* The first value that is said counts. */
static void add_fact(struct tb_info_state *s, const char *what, struct tb_str value) {
  for (size_t i = 0; i < s->info.fact_count; i++)
    if (strcmp(s->facts[i].what, what) == 0) return;
  if (!value.len || value.len > FACT_BYTES_MAX || s->info.fact_count == FACTS_MAX) return;
  if (!s->facts) s->facts = tb_arena_alloc(&s->arena, FACTS_MAX * sizeof(*s->facts));
  if (!s->facts) {
    s->out_of_memory = true;
    return;
  }
  s->facts[s->info.fact_count++] = (struct tb_info_fact){what, keep(s, value)};
}

/* ---- the machine ------------------------------------------------------------------------------------------------- */

static void read_utsname(struct tb_info_state *s, struct tb_str message) {
  struct tb_wire_cursor cursor = tb_wire_cursor(message);
  struct tb_wire_field field;
  struct tb_str parts[TB_SYSTEM_INFO_UTSNAME_MACHINE + 1] = {{"", 0}};
  char text[512];
  while (tb_wire_next(&cursor, &field) == TB_OK)
    if (field.type == TB_WIRE_BYTES && field.number <= TB_SYSTEM_INFO_UTSNAME_MACHINE)
      parts[field.number] = field.bytes;
  static const unsigned order[] = {TB_SYSTEM_INFO_UTSNAME_SYSNAME, TB_SYSTEM_INFO_UTSNAME_RELEASE,
                                   TB_SYSTEM_INFO_UTSNAME_MACHINE};
  int len = 0;
  for (size_t i = 0; i < 3; i++)
    if (parts[order[i]].len && len < (int)sizeof(text) / 2)
      len += snprintf(text + len, sizeof(text) - (size_t)len, "%s%.*s", len ? " " : "",
                      (int)(parts[order[i]].len < 120 ? parts[order[i]].len : 120), parts[order[i]].ptr);
  add_fact(s, "system", (struct tb_str){text, (size_t)len});
}

static void read_system_info(struct tb_info_state *s, struct tb_str message) {
  static const struct {
    uint32_t number;
    const char *what;
  } texts[] = {{TB_SYSTEM_INFO_ANDROID_DEVICE_MANUFACTURER, "manufacturer"},
               {TB_SYSTEM_INFO_ANDROID_SOC_MODEL, "processor"},
               {TB_SYSTEM_INFO_ANDROID_BUILD_FINGERPRINT, "build"},
               {TB_SYSTEM_INFO_TRACING_SERVICE_VERSION, "recorder"}};
  struct tb_wire_cursor cursor = tb_wire_cursor(message);
  struct tb_wire_field field;
  while (tb_wire_next(&cursor, &field) == TB_OK) {
    int32_t minutes = (int32_t)field.value;
    if (field.number == TB_SYSTEM_INFO_TIMEZONE_OFF_MINS && field.type == TB_WIRE_VARINT && minutes >= -TIMEZONE_MAX &&
        minutes <= TIMEZONE_MAX) {
      s->info.has_timezone = true;
      s->info.timezone_minutes = minutes;
    }
    if (field.type != TB_WIRE_BYTES) continue;
    if (field.number == TB_SYSTEM_INFO_UTSNAME) read_utsname(s, field.bytes);
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
      if (texts[i].number == field.number) add_fact(s, texts[i].what, field.bytes);
  }
}

/* ---- the recorder's options -------------------------------------------------------------------------------------- */

static void read_buffer(struct tb_info_state *s, struct tb_str message) {
  struct tb_wire_cursor cursor = tb_wire_cursor(message);
  struct tb_wire_field field;
  uint64_t bytes = 0;
  while (tb_wire_next(&cursor, &field) == TB_OK)
    if (field.number == TB_TRACE_CONFIG_BUFFER_CONFIG_SIZE_KB) bytes = field.value * 1024;
  if (!s->buffers) s->buffers = tb_arena_alloc(&s->arena, BUFFERS_MAX * sizeof(*s->buffers));
  if (!s->buffers)
    s->out_of_memory = true;
  else if (s->info.buffer_count < BUFFERS_MAX)
    s->buffers[s->info.buffer_count++] = bytes;
}

static void read_source(struct tb_info_state *s, struct tb_str message) {
  struct tb_str name =
      tb_wire_find_bytes(tb_wire_find_bytes(message, TB_TRACE_CONFIG_DATA_SOURCE_CONFIG), TB_DATA_SOURCE_CONFIG_NAME);
  if (!s->sources) s->sources = tb_arena_alloc(&s->arena, SOURCES_MAX * sizeof(*s->sources));
  if (!s->sources)
    s->out_of_memory = true;
  else if (name.len && s->info.data_source_count < SOURCES_MAX)
    s->sources[s->info.data_source_count++] = keep(s, name);
}

static void read_config(struct tb_info_state *s, struct tb_str message) {
  struct tb_wire_cursor cursor = tb_wire_cursor(message);
  struct tb_wire_field field;
  s->info.buffer_count = s->info.data_source_count = 0;
  while (tb_wire_next(&cursor, &field) == TB_OK) {
    if (field.type != TB_WIRE_BYTES) continue;
    if (field.number == TB_TRACE_CONFIG_BUFFERS) read_buffer(s, field.bytes);
    if (field.number == TB_TRACE_CONFIG_DATA_SOURCES) read_source(s, field.bytes);
  }
}

/* ---- the whole --------------------------------------------------------------------------------------------------- */

void tb_info_read_recorder(struct tb_info_state *s, const struct tb_packet *packet) {
  if (packet->kind == TB_TRACE_PACKET_SYSTEM_INFO) read_system_info(s, packet->payload);
  if (packet->kind == TB_TRACE_PACKET_TRACE_CONFIG) read_config(s, packet->payload);
  tb_recorder_losses_read(&s->missed, packet);
}

void tb_info_read_metadata(struct tb_info_state *s, const struct tb_event *event) {
  static const struct {
    const char *key, *what;
  } keys[] = {{"os-name", "system"},
              {"os-version", "system version"},
              {"cpu-brand", "processor"},
              {"product-version", "browser"},
              {"user-agent", "user agent"},
              {"trace-capture-datetime", "recorded at"},
              {"command_line", "command line"},
              {"node", "node"},
              {"version", "version"}};
  for (uint32_t i = 0; i < event->arg_count; i++) { /* members of an object are entries of their own */
    if (event->args[i].type != TB_ARG_STRING) continue;
    for (size_t k = 0; k < sizeof(keys) / sizeof(keys[0]); k++)
      if (tb_str_equal(event->args[i].name, tb_str_from(keys[k].key))) add_fact(s, keys[k].what, event->args[i].text);
  }
}

void tb_info_gather_recorder(struct tb_info_state *s) {
  struct tb_info_oddity *missed = tb_arena_alloc(&s->arena, TB_MISSED_COUNT * sizeof(*missed));
  if (!missed) {
    s->out_of_memory = true;
    return;
  }
  for (unsigned i = 0; i < TB_MISSED_COUNT; i++) {
    uint64_t count = tb_recorder_losses_count(&s->missed, i);
    if (count) missed[s->info.missed_count++] = (struct tb_info_oddity){tb_recorder_loss_text(i), count};
  }
  s->info.missed = missed;
  s->info.facts = s->facts;
  s->info.data_sources = s->sources;
  s->info.buffer_bytes = s->buffers;
}
