/* SPDX-License-Identifier: Apache-2.0
 *
 * Android's frame timeline: expected and actual frames as async slices of their process, called by their token, each
 * with an id of its own, since frames of one process overlap. A display frame ends the flow of the first surface
 * frame that it shows; what else it shows names it in `display_frame_token`.
 */
#include <inttypes.h>
#include <stdio.h>

#include "perfetto/reader/typed_fields.h"
#include "protos/perfetto/frame_timeline.pb-c.h"

static const char LOSS_INCOMPLETE[] = "a frame without cookie, token or process";
static const char LOSS_TIME[] = "a frame has no timestamp";

/* Keeps flows of frames apart from those of track events, whose ids are of the same space. */
#define FRAME_FLOWS (UINT64_C(0x6672616d65) << 24)

/* All kinds have their cookie and their token at the same place. */
enum {
  COOKIE = TB_FRAME_TIMELINE_EVENT_EXPECTED_DISPLAY_FRAME_START_COOKIE,
  TOKEN = TB_FRAME_TIMELINE_EVENT_EXPECTED_DISPLAY_FRAME_START_TOKEN
};

struct frames {
  struct tb_map processes, tokens; /* of open frames: cookie, machine -> track of the process; token */
  struct tb_map shown;             /* display tokens, machine: a surface frame began a flow to them */
};

static void init_frames(void *state, const struct tb_allocator *allocator) {
  struct frames *frames = state;
  tb_map_init(&frames->processes, allocator);
  tb_map_init(&frames->tokens, allocator);
  tb_map_init(&frames->shown, allocator);
}

static void free_frames(void *state, const struct tb_allocator *allocator) {
  struct frames *frames = state;
  (void)allocator;
  tb_map_free(&frames->processes);
  tb_map_free(&frames->tokens);
  tb_map_free(&frames->shown);
}

const struct tb_importer_state tb_frames_state = {
    .size = sizeof(struct frames), .init = init_frames, .free = free_frames};

static struct frames *frames_of(const struct tb_perfetto_reader *r) { return r->importer_state; }

struct frame_kind {
  uint32_t number; /* of the event's field */
  const ProtobufCMessageDescriptor *type;
  uint32_t pid, display_token, jank_type; /* fields; 0 where the kind has none */
  bool actual;
};

static const struct frame_kind kinds[] = {
    {.number = TB_FRAME_TIMELINE_EVENT_EXPECTED_DISPLAY_FRAME_START,
     .type = &perfetto__protos__frame_timeline_event__expected_display_frame_start__descriptor,
     .pid = TB_FRAME_TIMELINE_EVENT_EXPECTED_DISPLAY_FRAME_START_PID},
    {.number = TB_FRAME_TIMELINE_EVENT_ACTUAL_DISPLAY_FRAME_START,
     .type = &perfetto__protos__frame_timeline_event__actual_display_frame_start__descriptor,
     .pid = TB_FRAME_TIMELINE_EVENT_ACTUAL_DISPLAY_FRAME_START_PID,
     .jank_type = TB_FRAME_TIMELINE_EVENT_ACTUAL_DISPLAY_FRAME_START_JANK_TYPE,
     .actual = true},
    {.number = TB_FRAME_TIMELINE_EVENT_EXPECTED_SURFACE_FRAME_START,
     .type = &perfetto__protos__frame_timeline_event__expected_surface_frame_start__descriptor,
     .pid = TB_FRAME_TIMELINE_EVENT_EXPECTED_SURFACE_FRAME_START_PID,
     .display_token = TB_FRAME_TIMELINE_EVENT_EXPECTED_SURFACE_FRAME_START_DISPLAY_FRAME_TOKEN},
    {.number = TB_FRAME_TIMELINE_EVENT_ACTUAL_SURFACE_FRAME_START,
     .type = &perfetto__protos__frame_timeline_event__actual_surface_frame_start__descriptor,
     .pid = TB_FRAME_TIMELINE_EVENT_ACTUAL_SURFACE_FRAME_START_PID,
     .display_token = TB_FRAME_TIMELINE_EVENT_ACTUAL_SURFACE_FRAME_START_DISPLAY_FRAME_TOKEN,
     .jank_type = TB_FRAME_TIMELINE_EVENT_ACTUAL_SURFACE_FRAME_START_JANK_TYPE,
     .actual = true}};

struct frame {
  const struct frame_kind *kind;
  uint64_t cookie, token, display_token;
  int64_t pid;
  bool has_cookie, has_token, has_display_token, has_pid;
};

/* ---- arguments --------------------------------------------------------------------------------------------------- */

/* The names of the bits, with commas between; the number stays where one has no name. */
static struct tb_str jank_names(struct tb_perfetto_reader *r, uint64_t bits) {
  enum { NAMES_MAX = 600, BITS = 31 };
  char text[NAMES_MAX];
  size_t len = 0;
  for (unsigned i = 0; i < BITS; i++) {
    uint64_t bit = bits & UINT64_C(1) << i;
    if (!bit && (bits || i)) continue; /* no bit at all has a name too */
    const ProtobufCEnumValue *value =
        protobuf_c_enum_descriptor_get_value(&perfetto__protos__frame_timeline_event__jank_type__descriptor, (int)bit);
    if (!value) return (struct tb_str){NULL, 0};
    len += (size_t)snprintf(text + len, NAMES_MAX - len, "%s%s", len ? ", " : "", value->name);
    if (len >= NAMES_MAX) return (struct tb_str){NULL, 0};
    bits ^= bit;
    if (!bits) break;
  }
  char *kept = bits ? NULL : tb_perfetto_alloc(r, len + 1);
  if (kept) memcpy(kept, text, len);
  return (struct tb_str){kept, len};
}

static void set_text(struct tb_arg *arg, struct tb_str text) {
  if (!text.ptr) return; /* the number stays */
  arg->type = TB_ARG_STRING;
  arg->text = text;
}

static void add_argument(struct tb_perfetto_reader *r, const struct frame_kind *kind,
                         const struct tb_wire_field *wire) {
  const ProtobufCFieldDescriptor *field = protobuf_c_message_descriptor_get_field(kind->type, wire->number);
  if (!field) {
    tb_perfetto_unknown_field(r, wire);
    return;
  }
  struct tb_arg *arg = tb_perfetto_add_arg(r, tb_str_from(field->name));
  arg->flags = TB_ARG_TYPED;
  arg->type = field->type == PROTOBUF_C_TYPE_BOOL ? TB_ARG_BOOL : TB_ARG_INT;
  arg->u = wire->value;
  if (wire->type == TB_WIRE_BYTES) set_text(arg, wire->bytes);
  if (wire->number == kind->jank_type) set_text(arg, jank_names(r, wire->value));
  if (field->type != PROTOBUF_C_TYPE_ENUM) return;
  const ProtobufCEnumValue *value = protobuf_c_enum_descriptor_get_value(field->descriptor, (int32_t)wire->value);
  if (value) set_text(arg, tb_str_from(value->name));
}

/* Reads the frame, with all that its slice does not say by itself as arguments. */
static enum tb_status read_frame(struct tb_perfetto_reader *r, struct tb_str message, struct frame *frame) {
  struct tb_wire_cursor cursor = tb_wire_cursor(message);
  struct tb_wire_field wire;
  enum tb_status status;
  while ((status = tb_wire_read(&cursor, &wire)) == TB_OK) {
    if (wire.number == COOKIE) {
      frame->cookie = wire.value;
      frame->has_cookie = true;
    } else if (wire.number == frame->kind->pid) {
      frame->pid = (int32_t)wire.value;
      frame->has_pid = true;
    } else {
      if (wire.number == TOKEN) {
        frame->token = wire.value;
        frame->has_token = true;
      } else if (wire.number == frame->kind->display_token) {
        frame->display_token = wire.value;
        frame->has_display_token = true;
      }
      add_argument(r, frame->kind, &wire);
    }
  }
  return status == TB_END ? TB_OK : TB_BAD_DATA;
}

/* ---- slices ------------------------------------------------------------------------------------------------------ */

static struct tb_str text_of(struct tb_perfetto_reader *r, const char *before, uint64_t number) {
  enum { TEXT_MAX = 32 };
  char *text = tb_perfetto_alloc(r, TEXT_MAX);
  if (!text) return TB_STR("");
  return (struct tb_str){text, (size_t)snprintf(text, TEXT_MAX, "%s%" PRId64, before, (int64_t)number)};
}

static struct tb_event *emit(struct tb_perfetto_reader *r, enum tb_event_type type, struct tb_perfetto_track *process,
                             uint64_t cookie, uint64_t token) {
  tb_perfetto_emit_track(r, process);
  struct tb_event *event = tb_perfetto_emit(r, type);
  event->has |= TB_HAS_NAME;
  event->phase = type == TB_EVENT_ASYNC_BEGIN ? 'b' : 'e';
  event->track = &process->track;
  event->name = text_of(r, "", token);
  event->id = (struct tb_id){.kind = TB_ID_LOCAL, .text = text_of(r, "frame ", cookie)};
  return event;
}

/* The flow from a surface frame to the display frame that shows it, which comes before it in the file. */
static void add_flow(struct tb_perfetto_reader *r, const struct frame *frame, struct tb_event *event) {
  bool is_display = !frame->kind->display_token;
  uint64_t token = is_display ? frame->token : frame->display_token;
  if (!is_display && tb_map_find(&frames_of(r)->shown, token, r->head.machine)) return;
  if (!is_display && tb_map_put(&frames_of(r)->shown, token, r->head.machine, 0) != TB_OK) r->out_of_memory = true;
  uint64_t *flow = tb_perfetto_alloc(r, sizeof(*flow));
  if (!flow) return;
  *flow = FRAME_FLOWS ^ token ^ (uint64_t)r->head.machine << 32;
  event->flow_count = is_display ? 0 : 1;
  event->terminating_flow_count = is_display ? 1 : 0;
  event->flow_ids = is_display ? NULL : flow;
  event->terminating_flow_ids = is_display ? flow : NULL;
}

static enum tb_status begin_frame(struct tb_perfetto_reader *r, const struct frame_kind *kind, struct tb_str message) {
  struct frame frame = {.kind = kind};
  size_t first = r->batch->arg_count;
  enum tb_status status = read_frame(r, message, &frame);
  if (status != TB_OK) return status;
  if (!frame.has_cookie || !frame.has_token || !frame.has_pid || (kind->display_token && !frame.has_display_token))
    return tb_perfetto_lose(r, LOSS_INCOMPLETE);
  struct tb_perfetto_track *process = tb_perfetto_process(r, frame.pid);
  if (!process) return TB_OK;
  if (tb_map_put(&frames_of(r)->processes, frame.cookie, r->head.machine, process->track.index) != TB_OK ||
      tb_map_put(&frames_of(r)->tokens, frame.cookie, r->head.machine, frame.token) != TB_OK)
    r->out_of_memory = true;
  struct tb_event *event = emit(r, TB_EVENT_ASYNC_BEGIN, process, frame.cookie, frame.token);
  event->has |= TB_HAS_ARGS;
  event->args = &r->batch->args[first];
  event->arg_count = (uint32_t)(r->batch->arg_count - first);
  if (kind->actual) add_flow(r, &frame, event);
  return TB_OK;
}

/* The end of a frame that did not begin in the trace has nothing to end. */
static enum tb_status end_frame(struct tb_perfetto_reader *r, struct tb_str message) {
  struct tb_wire_cursor cursor = tb_wire_cursor(message);
  struct tb_wire_field wire;
  uint64_t cookie = 0;
  enum tb_status status;
  while ((status = tb_wire_read(&cursor, &wire)) == TB_OK)
    if (wire.number == TB_FRAME_TIMELINE_EVENT_FRAME_END_COOKIE) cookie = wire.value;
  if (status != TB_END) return TB_BAD_DATA;
  uint32_t process;
  if (!tb_map_get(&frames_of(r)->processes, cookie, r->head.machine, &process)) return TB_OK;
  emit(r, TB_EVENT_ASYNC_END, tb_tracks_at(&r->tracks, process), cookie,
       *tb_map_find(&frames_of(r)->tokens, cookie, r->head.machine));
  tb_map_remove(&frames_of(r)->processes, cookie, r->head.machine);
  tb_map_remove(&frames_of(r)->tokens, cookie, r->head.machine);
  return TB_OK;
}

static const struct frame_kind *find_kind(uint32_t number) {
  for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
    if (kinds[i].number == number) return &kinds[i];
  return NULL;
}

enum tb_status tb_perfetto_frame_timeline(struct tb_perfetto_reader *r, struct tb_str payload) {
  if (r->reader->target.packets) {
    tb_perfetto_pass_packet(r);
    return TB_OK;
  }
  if (!r->context.has_ts) return tb_perfetto_lose(r, LOSS_TIME);
  struct tb_wire_cursor cursor = tb_wire_cursor(payload);
  struct tb_wire_field field = {.number = 0};
  if (tb_wire_read(&cursor, &field) != TB_OK || field.type != TB_WIRE_BYTES) return TB_BAD_DATA;
  if (field.number == TB_FRAME_TIMELINE_EVENT_FRAME_END) return end_frame(r, field.bytes);
  const struct frame_kind *kind = find_kind(field.number);
  if (kind) return begin_frame(r, kind, field.bytes);
  tb_perfetto_pass_packet(r);
  return TB_OK;
}
