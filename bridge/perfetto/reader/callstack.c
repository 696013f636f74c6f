/* SPDX-License-Identifier: Apache-2.0
 *
 * Call stacks and source locations.
 */
#include "perfetto/packet/undefined_frame.h"
#include "perfetto/reader/reader.h"

enum { FRAMES_MAX = 1024, PATH_MAX_BYTES = 4096 };

/* The call stack that was read last, valid in one batch and one state of its sequence. */
struct recent_stack {
  const struct tb_sequence_state *sequence;
  const char *callstack;
  uint64_t batch;
  uint32_t version;
  struct tb_stack stack;
};

const struct tb_importer_state tb_callstack_state = {.size = sizeof(struct recent_stack)};

static const char LOSS_FRAMES[] = "a call stack is deeper than is read";

static struct tb_str interned(struct tb_perfetto_reader *r, enum tb_index index, uint64_t iid) {
  return iid ? tb_perfetto_interned_text(r, index, iid) : (struct tb_str){"", 0};
}

/* A mapping's path: its parts with slashes between them. One part, the common case, needs no copy. */
static struct tb_str read_mapping(struct tb_perfetto_reader *r, uint64_t iid) {
  const struct tb_str *message = iid ? tb_perfetto_interned(r, TB_INDEX_MAPPINGS, iid) : NULL;
  struct tb_str path = {"", 0};
  if (!message) return path;
  struct tb_wire_cursor cursor = tb_wire_cursor(*message);
  struct tb_wire_field field;
  unsigned parts = 0;
  while (tb_wire_read(&cursor, &field) == TB_OK) {
    if (field.number != TB_MAPPING_PATH_STRING_IDS || field.type != TB_WIRE_VARINT) continue;
    struct tb_str part = interned(r, TB_INDEX_MAPPING_PATHS, field.value);
    if (parts++ == 0) {
      path = part;
      continue;
    }
    if (path.len + part.len + 1 > PATH_MAX_BYTES) break;
    char *joined = tb_perfetto_alloc(r, path.len + part.len + 1);
    if (!joined) break;
    memcpy(joined, path.ptr, path.len);
    joined[path.len] = '/';
    memcpy(joined + path.len + 1, part.ptr, part.len);
    path = (struct tb_str){joined, path.len + part.len + 1};
  }
  return path;
}

static struct tb_frame read_frame(struct tb_perfetto_reader *r, uint64_t iid) {
  struct tb_frame frame = {0};
  const struct tb_str *message = tb_perfetto_interned(r, TB_INDEX_FRAMES, iid);
  if (!message) return frame;
  struct tb_wire_cursor cursor = tb_wire_cursor(*message);
  struct tb_wire_field field;
  while (tb_wire_read(&cursor, &field) == TB_OK) {
    if (field.type != TB_WIRE_VARINT) continue;
    if (field.number == TB_FRAME_FUNCTION_NAME_ID) frame.function = interned(r, TB_INDEX_FUNCTION_NAMES, field.value);
    if (field.number == TB_FRAME_MAPPING_ID) frame.mapping = read_mapping(r, field.value);
    if (field.number == TB_FRAME_REL_PC) frame.pc = field.value;
    if (field.number == TB_FRAME_SOURCE_PATH_IID) frame.file = interned(r, TB_INDEX_SOURCE_PATHS, field.value);
    if (field.number == TB_FRAME_LINE_NUMBER) frame.line = (uint32_t)field.value;
  }
  return frame;
}

/* Calls `take` for each frame id, one by one or packed, and returns how many there are. */
static uint32_t read_frame_ids(struct tb_perfetto_reader *r, struct tb_str callstack, struct tb_frame *frames) {
  struct tb_wire_cursor cursor = tb_wire_cursor(callstack);
  struct tb_wire_field field;
  uint32_t count = 0;
  while (tb_wire_read(&cursor, &field) == TB_OK) {
    if (field.number != TB_CALLSTACK_FRAME_IDS) continue;
    const char *at = field.bytes.ptr, *end = at + field.bytes.len;
    uint64_t iid;
    while (at != end && (at = tb_wire_read_varint(at, end, &iid))) {
      if (count == FRAMES_MAX) {
        tb_reader_count_loss(r->reader, LOSS_FRAMES, r->head.offset);
        return count;
      }
      if (frames) frames[count] = read_frame(r, iid);
      count++;
    }
  }
  return count;
}

struct tb_stack tb_perfetto_interned_stack(struct tb_perfetto_reader *r, uint64_t iid) {
  struct tb_stack stack = {0};
  const struct tb_str *callstack = tb_perfetto_interned(r, TB_INDEX_CALLSTACKS, iid);
  if (!callstack) return stack;
  /* the same stack often comes again at once: its frames are in this batch then */
  const struct tb_sequence_state *sequence = r->context.sequence;
  struct recent_stack *recent = tb_perfetto_state_of(r, &tb_callstack_state);
  if (!recent) return stack;
  if (recent->callstack == callstack->ptr && recent->batch == r->reader->fills && recent->sequence == sequence &&
      recent->version == sequence->interned_version) {
    return recent->stack;
  }
  uint32_t count = read_frame_ids(r, *callstack, NULL);
  struct tb_frame *frames = tb_perfetto_alloc(r, (count ? count : 1) * sizeof(*frames));
  if (!frames) return stack;
  stack.frame_count = read_frame_ids(r, *callstack, frames);
  stack.frames = frames;
  if (count == 1 && tb_str_equal(frames->mapping, TB_CALLSTACKS_UNDEFINED))
    stack = (struct tb_stack){.ref = frames->function};
  *recent = (struct recent_stack){.sequence = sequence,
                                  .callstack = callstack->ptr,
                                  .batch = r->reader->fills,
                                  .version = sequence->interned_version,
                                  .stack = stack};
  return stack;
}

static struct tb_frame read_inline_frame(struct tb_str message) {
  struct tb_frame frame = {0};
  struct tb_wire_cursor cursor = tb_wire_cursor(message);
  struct tb_wire_field field;
  while (tb_wire_read(&cursor, &field) == TB_OK) {
    if (field.number == TB_TRACK_EVENT_CALLSTACK_FRAME_FUNCTION_NAME) frame.function = field.bytes;
    if (field.number == TB_TRACK_EVENT_CALLSTACK_FRAME_SOURCE_FILE) frame.file = field.bytes;
    if (field.number == TB_TRACK_EVENT_CALLSTACK_FRAME_LINE_NUMBER) frame.line = (uint32_t)field.value;
  }
  return frame;
}

struct tb_stack tb_perfetto_inline_stack(struct tb_perfetto_reader *r, struct tb_str message) {
  struct tb_stack stack = {0};
  struct tb_frame *frames = NULL;
  for (int pass = 0; pass < 2; pass++) { /* count, then read */
    struct tb_wire_cursor cursor = tb_wire_cursor(message);
    struct tb_wire_field field;
    uint32_t count = 0;
    while (tb_wire_read(&cursor, &field) == TB_OK && count < FRAMES_MAX) {
      if (field.number != TB_TRACK_EVENT_CALLSTACK_FRAMES || field.type != TB_WIRE_BYTES) continue;
      if (frames) frames[count] = read_inline_frame(field.bytes);
      count++;
    }
    if (!frames) frames = tb_perfetto_alloc(r, (count ? count : 1) * sizeof(*frames));
    if (!frames) return stack;
    stack.frame_count = count;
  }
  stack.frames = frames;
  return stack;
}

struct tb_frame tb_perfetto_source_location(struct tb_str message) {
  struct tb_frame frame = {0};
  struct tb_wire_cursor cursor = tb_wire_cursor(message);
  struct tb_wire_field field;
  while (tb_wire_read(&cursor, &field) == TB_OK) {
    if (field.number == TB_SOURCE_LOCATION_FILE_NAME) frame.file = field.bytes;
    if (field.number == TB_SOURCE_LOCATION_FUNCTION_NAME) frame.function = field.bytes;
    if (field.number == TB_SOURCE_LOCATION_LINE_NUMBER) frame.line = (uint32_t)field.value;
  }
  return frame;
}
