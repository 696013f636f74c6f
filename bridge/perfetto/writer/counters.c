/* SPDX-License-Identifier: Apache-2.0
 *
 * The Perfetto writer: counter samples onto the shared queue.
 */
#include <string.h>

#include "model/arg_lookup.h"
#include "perfetto/writer/counters.h"
#include "perfetto/writer/slice_events.h"
#include "perfetto/writer/staging.h"
#include "perfetto/writer/track_groups.h"
#include "perfetto/writer/writer.h"
#include "protobuf/wire.h"

void tb_writer_counters_free(struct tb_writer_counters *counters, const struct tb_allocator *allocator) {
  tb_free(allocator, counters->items, counters->capacity * sizeof(*counters->items));
}

/* A counter's body: whether it is a double, its eight bytes, then fields of the TrackEvent. */
enum { COUNTER_VALUE_BYTES = 9 };

static bool counter_value(const struct tb_arg *arg, bool *is_double, uint64_t *bits) {
  *is_double = arg->type == TB_ARG_DOUBLE;
  *bits = arg->u;
  if (arg->type == TB_ARG_INT || arg->type == TB_ARG_DOUBLE) return true;
  if (arg->type == TB_ARG_UINT) {
    if (arg->u <= INT64_MAX) return true;
    double d = (double)arg->u;
    memcpy(bits, &d, sizeof(d));
    *is_double = true;
    return true;
  }
  double d;
  if (!tb_arg_number_in_text(arg, &d)) return false;
  *is_double = true;
  memcpy(bits, &d, sizeof(d));
  return true;
}

/* Whether the values say all of the args: numbers, each once. */
static bool is_plain_counter(const struct tb_event *event, uint32_t *series) {
  bool plain = true;
  *series = 0;
  for (uint32_t i = 0; i < event->arg_count; i += event->args[i].span) {
    bool is_double;
    uint64_t bits;
    if (!counter_value(&event->args[i], &is_double, &bits))
      plain = false;
    else
      ++*series;
    if (tb_arg_is_text(&event->args[i]) || (event->args[i].type == TB_ARG_UINT && is_double)) plain = false;
  }
  return plain;
}

static void note_value(struct tb_counter *counter, bool is_double, uint64_t bits) {
  if (is_double) {
    counter->has_double = true;
    return;
  }
  int64_t value = (int64_t)bits;
  counter->has_int = true;
  counter->absolute_bytes += tb_wire_varint_size(bits);
  counter->delta_bytes += tb_wire_varint_size((uint64_t)value - (uint64_t)counter->last_value);
  if (value > INT64_MAX / 2 || value < INT64_MIN / 2)
    counter->delta_bytes = UINT64_MAX / 2; /* a difference may overflow */
  counter->last_value = value;
}

static enum tb_status put_series(struct tb_perfetto_writer *p, const struct tb_event *event, struct tb_str name,
                                 bool is_double, uint64_t bits, struct tb_str fields) {
  uint32_t key = tb_perfetto_counter_group(p, event, name);
  if (!key) return TB_NO_MEMORY;
  note_value(&p->counters.items[p->groups.items[key].counter], is_double, bits);
  p->scratch.len = 0;
  char head[COUNTER_VALUE_BYTES] = {(char)is_double};
  memcpy(head + 1, &bits, sizeof(bits));
  if (tb_buffer_append(&p->scratch, head, sizeof(head)) != TB_OK ||
      tb_buffer_append(&p->scratch, fields.ptr, fields.len) != TB_OK)
    return TB_NO_MEMORY;
  struct tb_staged_event entry = {.ts = event->ts, .kind = TB_STAGED_COUNTER, .key = key};
  entry.body = (struct tb_str){p->scratch.data, p->scratch.len};
  return tb_perfetto_add_entry(p, p->sequences[TB_SHARED_SEQUENCE], &entry);
}

/* The fields of the series behind the first one: its categories, and where it carries more, a mark that they belong to
 * it. */
static enum tb_status encode_follower(struct tb_perfetto_writer *p, const struct tb_event *event, size_t first_len,
                                      struct tb_str *fields) {
  const struct tb_carried_parts none = {0};
  struct tb_interned_uses *uses = p->sequences[TB_SHARED_SEQUENCE]->uses;
  struct tb_buffer *body = &p->encoder.body;
  struct tb_event bare = {.categories = event->categories};
  enum tb_status status = tb_encode_event(&p->encoder, uses, &bare, TB_ENCODE_CATEGORIES, &none, NULL, NULL);
  if (status == TB_OK && body->len != first_len) {
    if (tb_buffer_reserve(body, TB_CARRIED_LATE_MAX) != TB_OK) return TB_NO_MEMORY;
    char *end = tb_encode_carried_phase(&p->encoder, uses, body->data + body->len, TB_COUNTER_FOLLOWS, NULL);
    if (!end) return TB_NO_MEMORY;
    body->len = (size_t)(end - body->data);
  }
  *fields = (struct tb_str){body->data, body->len};
  return status;
}

enum tb_status tb_perfetto_put_counter(struct tb_perfetto_writer *p, const struct tb_event *event) {
  uint32_t series;
  bool plain = is_plain_counter(event, &series);
  if (series == 0) return tb_perfetto_put_deferred_side(p, event, TB_GROUP_SIDE);
  const struct tb_track *thread = NULL;
  if (tb_stack_is_there(&event->stack))
    tb_losses_add(&p->writer->losses, "a counter's call stack, which Perfetto has no place for", event->offset);
  if (!tb_perfetto_track_state(p, event->track) || tb_perfetto_counter_thread(p, event, &thread) != TB_OK)
    return TB_NO_MEMORY;
  struct tb_carried_parts carried = {.whole_args = !plain, .fields = TB_CARRIED_TIMES};
  carried.tid = event->thread != thread && !p->writer->source.counters_by_id;
  struct tb_writer_sequence *sequence = p->sequences[TB_SHARED_SEQUENCE];
  enum tb_status status =
      tb_encode_event(&p->encoder, sequence->uses, event, TB_ENCODE_CATEGORIES | TB_ENCODE_ID2, &carried, NULL, NULL);
  struct tb_str fields = {p->encoder.body.data, p->encoder.body.len};
  size_t first_len = fields.len;
  bool first = true;
  for (uint32_t i = 0; status == TB_OK && i < event->arg_count; i += event->args[i].span) {
    bool is_double;
    uint64_t bits;
    if (!counter_value(&event->args[i], &is_double, &bits)) continue;
    status = put_series(p, event, event->args[i].name, is_double, bits, fields);
    if (status != TB_OK || !first || series == 1) continue;
    first = false;
    status = encode_follower(p, event, first_len, &fields);
  }
  return status;
}
