/* SPDX-License-Identifier: Apache-2.0
 *
 * The values that calls take, made of bytes.
 */
#include "calls.h"

const char calls_json[] =
    "[{\"ph\":\"b\",\"pid\":1,\"ts\":3,\"id\":4,\"name\":\"a\",\"cat\":\"c\"},"
    "{\"ph\":\"X\",\"pid\":1,\"tid\":2,\"ts\":2,\"dur\":4,\"name\":\"a\"},"
    "{\"ph\":\"C\",\"pid\":1,\"ts\":1,\"name\":\"n\",\"args\":{\"v\":1}}]";
const size_t calls_json_len = sizeof(calls_json) - 1;

static struct tb_str text(struct calls *c) {
  unsigned kind = byte(c);
  if (kind < 0x40) return (struct tb_str){NULL, 0};
  if (kind > 0xfc) return (struct tb_str){NULL, kind};
  size_t len = kind % TEXT;
  return (struct tb_str){c->text + kind % (TEXT - len), len};
}

static void make_args(struct calls *c, struct tb_arg *args) {
  for (unsigned i = 0; i < ARGS; i++) {
    args[i] = (struct tb_arg){.name = text(c), .type = (uint8_t)choice(c, TB_ARG_BLOB + 1)};
    args[i].span = byte(c) < 0xd0 ? 1 : (uint32_t)number(c);
    if (args[i].type == TB_ARG_STRING || args[i].type >= TB_ARG_JSON)
      args[i].text = text(c);
    else
      args[i].u = number(c);
  }
}

void calls_make_track(struct calls *c) {
  struct tb_track *track = &c->tracks[byte(c) % TRACKS];
  unsigned parent = byte(c);
  *track = (struct tb_track){.index = (uint32_t)number(c),
                             .type = (enum tb_track_type)choice(c, TB_TRACK_COUNTER + 1),
                             .pid = (int64_t)number(c),
                             .tid = (int64_t)number(c),
                             .name = text(c)};
  if (parent < 0xc0) track->parent = parent & 1 ? &c->tracks[parent / 2 % TRACKS] : NULL;
  unsigned flags = byte(c);
  track->has_pid = flags & 1;
  track->has_tid = flags & 2;
  track->has_sort_index = flags & 4;
  track->unit = (uint8_t)choice(c, TB_UNIT_SIZE_BYTES + 1);
  track->details = &c->details[track - c->tracks];
  c->details[track - c->tracks] = (struct tb_track_details){.pid_text = text(c)};
  track->uuid = number(c);
  c->details[track - c->tracks].labels = flags & 8 ? &c->kept : NULL;
  c->details[track - c->tracks].label_count = byte(c) & 1;
  track->machine = (uint32_t)number(c);
}

static struct tb_id make_id(struct calls *c) {
  return (struct tb_id){
      .kind = (uint8_t)choice(c, TB_ID_GLOBAL + 1), .is_number = byte(c) & 1, .value = number(c), .text = text(c)};
}

static void make_memory(struct calls *c, struct tb_event *event) {
  unsigned with = byte(c);
  make_args(c, c->args);
  event->args = with & 1 ? c->args : NULL;
  event->arg_count = byte(c) % (ARGS + 1);
  event->flow_ids = with & 2 ? c->flows : NULL;
  event->flow_count = byte(c) % 3;
  event->terminating_flow_ids = with & 4 ? c->flows : NULL;
  event->terminating_flow_count = byte(c) % 3;
  event->clocks = with & 8 ? c->clocks : NULL;
  event->clock_count = byte(c) % 3;
  event->stack.frames = with & 16 ? c->frames : NULL;
  event->stack.frame_count = byte(c) % 3;
  event->stack.ref = text(c);
  event->extra = with & 32 ? c->extra : NULL;
  event->extra_count = byte(c) % (ARGS + 1);
  if (with & 64) make_args(c, c->extra);
  event->blob = text(c);
}

struct tb_event calls_make_event(struct calls *c) {
  struct tb_event event = {.type = (enum tb_event_type)choice(c, TB_EVENT_TYPE_COUNT)};
  unsigned track = byte(c);
  event.has = TB_HAS_TS | TB_HAS_DUR | (uint32_t)(byte(c) << 4 | byte(c) << 11);
  if (byte(c) < 8) event.has = (uint32_t)number(c);
  event.track = track < 0xf0 ? &c->tracks[track % TRACKS] : NULL;
  event.thread = track & 1 ? &c->tracks[track / 2 % TRACKS] : NULL;
  event.ts = (int64_t)number(c);
  event.dur = (int64_t)number(c);
  event.name = text(c);
  event.phase = (char)byte(c);
  event.instant_scope = (char)byte(c);
  event.log_level = (uint8_t)choice(c, TB_LOG_FATAL + 1);
  event.task_state = (uint8_t)choice(c, TB_TASK_DESTROYED + 1);
  event.cpu = (uint32_t)number(c);
  unsigned more = byte(c);
  if (more & 1) event.categories = text(c);
  if (more & 2) event.id = make_id(c);
  if (more & 4) event.bind_id = make_id(c);
  if (more & 8) make_memory(c, &event);
  if (more & 16) event.scope = event.phase_text = event.parent_frame = text(c);
  if (more & 32) event.correlation_text = event.source_location.function = text(c);
  return event;
}

bool calls_take_bytes(void *ctx, const void *data, size_t len) {
  struct calls *c = ctx;
  const char *bytes = data;
  for (size_t i = 0; i < len; i++) c->taken += bytes[i] != 0; /* all of it can be read */
  return c->taken < (size_t)1 << 20;
}
