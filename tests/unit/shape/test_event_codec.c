/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "shape/event_codec.h"

static const struct tb_track track = {.index = 3}, other_track = {.index = 3}, thread = {.index = 90};
static const struct tb_frame frames[] = {{.function = {"main", 4}, .file = {"a.c", 3}, .line = 7, .pc = 1u << 31},
                                         {.mapping = {"lib", 3}}};
static const struct tb_arg args[] = {
    {.name = {"dict", 4}, .span = 3, .type = TB_ARG_DICT},
    {.name = {"text", 4}, .text = {"a value", 7}, .span = 1, .type = TB_ARG_STRING},
    {.name = {"number", 6}, .i = -5, .span = 1, .type = TB_ARG_INT, .width = 32, .flags = TB_ARG_TYPED},
    {.d = 0.25, .span = 1, .type = TB_ARG_DOUBLE},
    {.name = {"most", 4}, .u = UINT64_MAX, .span = 1, .type = TB_ARG_UINT}};
static const uint64_t ids[] = {1, UINT64_MAX, 3};
static const struct tb_clock_reading clocks[] = {{6, 100}, {128, -1}};

static const struct tb_event whole = {
    .type = TB_EVENT_SLICE_COMPLETE,
    .has = TB_HAS_TS | TB_HAS_DUR | TB_HAS_NAME,
    .phase = 'X',
    .kernel_state = 513,
    .ts = -7,
    .dur = INT64_MAX,
    .thread_ts = INT64_MIN,
    .thread_dur = 1,
    .track = &track,
    .thread = &thread,
    .name = {"a name", 6},
    .categories = {"c", 1},
    .id = {.kind = TB_ID_LOCAL, .is_number = true, .value = 256, .text = {"0x100", 5}},
    .scope = {"scope", 5},
    .bind_id = {.kind = TB_ID_PLAIN, .text = {"bound", 5}},
    .args = args,
    .arg_count = 5,
    .extra_count = 1,
    .extra = args + 3,
    .stack = {.frames = frames, .frame_count = 2},
    .end_stack = {.frames = frames + 1, .frame_count = 1, .ref = {"ref", 3}},
    .flow_ids = ids,
    .terminating_flow_ids = ids + 1,
    .flow_count = 3,
    .terminating_flow_count = 2,
    .correlation_id = 65535,
    .correlation_text = {"correlated", 10},
    .thread_instruction_count = 65536,
    .weight = 1e300,
    .cpu = 1,
    .priority = -20,
    .source_location = {.function = {"f", 1}, .file = {"file", 4}, .line = 9},
    .phase_text = {"?", 1},
    .parent_frame = {"parent", 6},
    .blob = {"\0\1", 2},
    .clocks = clocks,
    .clock_count = 2,
    .sequence = 77,
    .slice_id = 4,
    .flow_from = 2,
    .offset = 123456789,
};

/* Members that are there or not, with what goes with them. */
struct member {
  size_t at, size, count_at;
};
#define MEMBER(m) \
  { offsetof(struct tb_event, m), sizeof(((struct tb_event *)0)->m), 0 }
#define ARRAY(m, count) \
  { offsetof(struct tb_event, m), sizeof(void *), offsetof(struct tb_event, count) }
static const struct member members[] = {MEMBER(dur),
                                        MEMBER(thread_ts),
                                        MEMBER(track),
                                        MEMBER(thread),
                                        MEMBER(name),
                                        MEMBER(categories),
                                        MEMBER(id),
                                        MEMBER(scope),
                                        MEMBER(bind_id),
                                        ARRAY(args, arg_count),
                                        ARRAY(extra, extra_count),
                                        MEMBER(stack),
                                        MEMBER(end_stack),
                                        ARRAY(flow_ids, flow_count),
                                        ARRAY(terminating_flow_ids, terminating_flow_count),
                                        MEMBER(correlation_id),
                                        MEMBER(correlation_text),
                                        MEMBER(weight),
                                        MEMBER(cpu),
                                        MEMBER(source_location),
                                        MEMBER(phase_text),
                                        MEMBER(blob),
                                        ARRAY(clocks, clock_count),
                                        MEMBER(sequence),
                                        MEMBER(slice_id),
                                        MEMBER(flow_from),
                                        MEMBER(offset)};
enum { MEMBERS = sizeof(members) / sizeof(members[0]) };

static struct tb_event with_members(uint64_t set) {
  struct tb_event event;
  memset(&event, 0, sizeof(event));
  event.type = whole.type;
  event.has = whole.has;
  event.ts = whole.ts;
  for (size_t i = 0; i < MEMBERS; i++) {
    if (!(set >> i & 1)) continue;
    memcpy((char *)&event + members[i].at, (const char *)&whole + members[i].at, members[i].size);
    if (members[i].count_at)
      memcpy((char *)&event + members[i].count_at, (const char *)&whole + members[i].count_at, sizeof(uint32_t));
  }
  return event;
}

static void expect_text(struct tb_str is, struct tb_str should_be) {
  assert_int_equal(is.len, should_be.len);
  assert_int_equal(is.ptr != NULL, should_be.ptr != NULL);
  if (is.len) assert_memory_equal(is.ptr, should_be.ptr, is.len);
}

static void expect_args(const struct tb_arg *is, const struct tb_arg *should_be, uint32_t count) {
  for (uint32_t i = 0; i < count; i++) {
    expect_text(is[i].name, should_be[i].name);
    assert_int_equal(is[i].type, should_be[i].type);
    assert_int_equal(is[i].span, should_be[i].span);
    assert_int_equal(is[i].width, should_be[i].width);
    assert_int_equal(is[i].flags, should_be[i].flags);
    if (is[i].type == TB_ARG_STRING)
      expect_text(is[i].text, should_be[i].text);
    else
      assert_int_equal(is[i].u, should_be[i].u);
  }
}

static void expect_stack(const struct tb_stack *is, const struct tb_stack *should_be) {
  expect_text(is->ref, should_be->ref);
  assert_int_equal(is->frame_count, should_be->frame_count);
  for (uint32_t i = 0; i < is->frame_count; i++) {
    expect_text(is->frames[i].function, should_be->frames[i].function);
    expect_text(is->frames[i].file, should_be->frames[i].file);
    expect_text(is->frames[i].mapping, should_be->frames[i].mapping);
    assert_int_equal(is->frames[i].line, should_be->frames[i].line);
    assert_int_equal(is->frames[i].pc, should_be->frames[i].pc);
  }
}

/* What is no pointer to be the same bytes, what is one to point to the same. */
static void expect_event(const struct tb_event *event, const struct tb_event *expected) {
  struct tb_event is = *event, should_be = *expected;
#define TEXT(m)                    \
  expect_text(is.m, should_be.m);  \
  is.m = (struct tb_str){NULL, 0}; \
  should_be.m = (struct tb_str){NULL, 0}
  TEXT(name);
  TEXT(categories);
  TEXT(id.text);
  TEXT(scope);
  TEXT(bind_id.text);
  TEXT(correlation_text);
  TEXT(source_location.function);
  TEXT(source_location.file);
  TEXT(source_location.mapping);
  TEXT(phase_text);
  TEXT(parent_frame);
  TEXT(blob);
#undef TEXT
  expect_stack(&is.stack, &should_be.stack);
  expect_stack(&is.end_stack, &should_be.end_stack);
  is.stack = should_be.stack = is.end_stack = should_be.end_stack = (struct tb_stack){.frames = NULL};
  assert_int_equal(is.arg_count, should_be.arg_count);
  expect_args(is.args, should_be.args, is.arg_count);
  assert_int_equal(is.extra_count, should_be.extra_count);
  expect_args(is.extra, should_be.extra, is.extra_count);
  if (is.flow_count) assert_memory_equal(is.flow_ids, should_be.flow_ids, is.flow_count * sizeof(*ids));
  if (is.terminating_flow_count)
    assert_memory_equal(is.terminating_flow_ids, should_be.terminating_flow_ids,
                        is.terminating_flow_count * sizeof(*ids));
  for (uint32_t i = 0; i < is.clock_count; i++) {
    assert_int_equal(is.clocks[i].clock, should_be.clocks[i].clock);
    assert_int_equal(is.clocks[i].ns, should_be.clocks[i].ns);
  }
  is.args = should_be.args = is.extra = should_be.extra = NULL;
  is.flow_ids = should_be.flow_ids = is.terminating_flow_ids = should_be.terminating_flow_ids = NULL;
  is.clocks = should_be.clocks = NULL;
  assert_memory_equal(&is, &should_be, sizeof(is));
}

struct fixture {
  struct tb_event_codec codec;
  struct tb_buffer bytes;
  struct tb_arena arena;
};

static void set_up(struct fixture *f) {
  tb_event_codec_init(&f->codec, tb_default_allocator());
  tb_buffer_init(&f->bytes, tb_default_allocator(), 0);
  tb_arena_init(&f->arena, tb_default_allocator(), 0);
}

static void tear_down(struct fixture *f) {
  tb_event_codec_free(&f->codec);
  tb_buffer_free(&f->bytes);
  tb_arena_free(&f->arena);
}

static void an_event_comes_back_with_all_members_and_with_none(void **state) {
  (void)state;
  struct fixture f;
  const struct tb_event none = with_members(0);
  const struct tb_event *const events[] = {&whole, &none, &whole};
  set_up(&f);
  for (int i = 0; i < 3; i++) {
    struct tb_event event;
    f.bytes.len = 0;
    assert_int_equal(tb_event_encode(&f.codec, &f.bytes, events[i]), TB_OK);
    assert_int_equal(tb_event_decode(&f.codec, f.bytes.data, events[i]->ts, &f.arena, &event), TB_OK);
    expect_event(&event, events[i]);
  }
  tear_down(&f);
}

/* Two tracks of one index are two all the same. */
static void a_track_is_the_object_that_it_was(void **state) {
  (void)state;
  struct fixture f;
  set_up(&f);
  for (int i = 0; i < 4; i++) {
    struct tb_event event = with_members(0), back;
    event.track = i % 2 ? &other_track : &track;
    f.bytes.len = 0;
    assert_int_equal(tb_event_encode(&f.codec, &f.bytes, &event), TB_OK);
    assert_int_equal(tb_event_decode(&f.codec, f.bytes.data, event.ts, &f.arena, &back), TB_OK);
    assert_ptr_equal(back.track, event.track);
    assert_null(back.thread);
  }
  tear_down(&f);
}

/* Texts that are in the table and that are not, and those without bytes. */
static void a_text_comes_back_whether_it_is_new_long_empty_or_none(void **state) {
  (void)state;
  struct fixture f;
  static char longest[100000];
  memset(longest, 'x', sizeof(longest));
  const struct tb_str texts[] = {{"once", 4},    {NULL, 0},    {"", 0},
                                 {"ab", 2},      {"12345", 5}, {longest, sizeof(longest)},
                                 {longest, 300}, {"once", 4},  {"Once", 4}};
  set_up(&f);
  for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
    struct tb_event event = with_members(0), back;
    const struct tb_arg arg = {.name = texts[i], .text = texts[i], .span = 1, .type = TB_ARG_STRING};
    event.name = event.blob = texts[i];
    event.args = &arg;
    event.arg_count = 1;
    f.bytes.len = 0;
    assert_int_equal(tb_event_encode(&f.codec, &f.bytes, &event), TB_OK);
    assert_int_equal(tb_event_decode(&f.codec, f.bytes.data, event.ts, &f.arena, &back), TB_OK);
    expect_event(&back, &event);
  }
  tear_down(&f);
}

/* In any order of forms, each over the one before: what that had is gone. */
static void an_event_is_decoded_over_another_as_if_it_was_alone(void **state) {
  (void)state;
  struct fixture f;
  uint64_t random = 1, used = UINT64_MAX;
  struct tb_event event;
  memset(&event, 0xff, sizeof(event));
  set_up(&f);
  for (int i = 0; i < 3000; i++) {
    random = random * UINT64_C(6364136223846793005) + 1442695040888963407;
    struct tb_event expected = with_members(i % 7 ? random >> 32 & random >> 8 : random >> 20);
    expected.phase = (char)('a' + i % 5);
    f.bytes.len = 0;
    assert_int_equal(tb_event_encode(&f.codec, &f.bytes, &expected), TB_OK);
    assert_int_equal(tb_event_decode_over(&f.codec, f.bytes.data, expected.ts, &f.arena, &event, &used), TB_OK);
    expect_event(&event, &expected);
    event.slice_id = 99; /* as who takes events does, and says */
    used |= TB_WORD_OF(slice_id);
  }
  tear_down(&f);
}

/* More kinds than there are numbers for: in the same bytes, read when all are written. */
static void forms_past_the_last_number_are_said_with_the_event(void **state) {
  (void)state;
  enum { KINDS = 2 * TB_EVENT_FORMS, LEAST = 100 };
  struct fixture f;
  size_t starts[KINDS];
  uint64_t used = UINT64_MAX;
  struct tb_event event, back;
  set_up(&f);
  for (int round = 0; round < 2; round++) {
    f.bytes.len = 0;
    for (size_t i = 0; i < KINDS; i++) {
      event = with_members(i);
      event.kernel_state = (uint16_t)(LEAST + i);
      starts[i] = f.bytes.len;
      assert_int_equal(tb_event_encode(&f.codec, &f.bytes, &event), TB_OK);
    }
    for (size_t i = KINDS; i-- > 0;) {
      event = with_members(i);
      event.kernel_state = (uint16_t)(LEAST + i);
      assert_int_equal(tb_event_decode_over(&f.codec, f.bytes.data + starts[i], event.ts, &f.arena, &back, &used),
                       TB_OK);
      expect_event(&back, &event);
    }
  }
  assert_int_equal(f.codec.forms.count, TB_EVENT_FORMS);
  tear_down(&f);
}

/* What grows with an event's members alone: one that has fewer has the form of those before. */
static void events_of_a_kind_have_one_form(void **state) {
  (void)state;
  struct fixture f;
  set_up(&f);
  for (int i = 0; i < 100; i++) {
    struct tb_event event = with_members(0);
    event.dur = i % 3;
    event.thread_ts = i % 2;
    event.offset = (uint64_t)i;
    assert_int_equal(tb_event_encode(&f.codec, &f.bytes, &event), TB_OK);
  }
  assert_in_range(f.codec.forms.count, 1, 4);
  tear_down(&f);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(an_event_comes_back_with_all_members_and_with_none),
      cmocka_unit_test(a_track_is_the_object_that_it_was),
      cmocka_unit_test(a_text_comes_back_whether_it_is_new_long_empty_or_none),
      cmocka_unit_test(an_event_is_decoded_over_another_as_if_it_was_alone),
      cmocka_unit_test(forms_past_the_last_number_are_said_with_the_event),
      cmocka_unit_test(events_of_a_kind_have_one_form),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
