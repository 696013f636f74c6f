/* SPDX-License-Identifier: Apache-2.0
 *
 * What the encoder writes is read by protobuf-c, which did not write it.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "perfetto/writer/encode/track_event_encoder.h"
#include "protos/perfetto/track_event.pb-c.h"

struct fixture {
  struct tb_interned interned;
  struct tb_interned_uses uses;
  struct tb_event_encoder encoder;
};

static int open_fixture(void **state) {
  struct fixture *f = calloc(1, sizeof(*f));
  if (!f) return -1;
  tb_interned_init(&f->interned, tb_default_allocator());
  tb_event_encoder_init(&f->encoder, &f->interned);
  *state = f;
  return 0;
}

static int close_fixture(void **state) {
  struct fixture *f = *state;
  tb_interned_free_uses(&f->uses, tb_default_allocator());
  tb_event_encoder_free(&f->encoder);
  tb_interned_free(&f->interned);
  free(f);
  return 0;
}

static Perfetto__Protos__TrackEvent *encode(struct fixture *f, const struct tb_event *event, unsigned parts,
                                            struct tb_carried_parts carried) {
  uint32_t name, categories;
  assert_int_equal(tb_encode_event(&f->encoder, &f->uses, event, parts, &carried, &name, &categories), TB_OK);
  const struct tb_buffer *body = &f->encoder.body;
  Perfetto__Protos__TrackEvent *read =
      perfetto__protos__track_event__unpack(NULL, body->len, (const uint8_t *)body->data);
  assert_non_null(read);
  return read;
}

static void done(Perfetto__Protos__TrackEvent *read) { perfetto__protos__track_event__free_unpacked(read, NULL); }

static struct tb_arg text(const char *name, const char *value) {
  return (struct tb_arg){.name = tb_str_from(name), .text = tb_str_from(value), .span = 1, .type = TB_ARG_STRING};
}

static struct tb_arg integer(const char *name, int64_t value) {
  return (struct tb_arg){.name = tb_str_from(name), .i = value, .span = 1, .type = TB_ARG_INT};
}

static void interns_names_categories_and_names_of_arguments(void **state) {
  struct fixture *f = *state;
  struct tb_arg args[] = {integer("a", -1), integer("b", 1)};
  struct tb_event event = {.has = TB_HAS_NAME | TB_HAS_CATEGORIES | TB_HAS_ARGS,
                           .name = TB_STR("work"),
                           .categories = TB_STR("one,two"),
                           .args = args,
                           .arg_count = 2};
  for (int i = 0; i < 2; i++) { /* the same again: the same iids */
    Perfetto__Protos__TrackEvent *read =
        encode(f, &event, TB_ENCODE_NAME | TB_ENCODE_CATEGORIES | TB_ENCODE_ARGS, (struct tb_carried_parts){0});
    assert_int_equal(read->name_iid, 1);
    assert_int_equal(read->n_category_iids, 2);
    assert_int_equal(read->category_iids[1], 2);
    assert_int_equal(read->n_debug_annotations, 2);
    assert_int_equal(read->debug_annotations[0]->name_iid, 1);
    assert_int_equal(read->debug_annotations[0]->int_value, -1);
    assert_int_equal(read->debug_annotations[1]->name_iid, 2);
    done(read);
  }
  assert_int_equal(f->uses.kinds[TB_INTERNED_NAMES].count, 1);
  assert_int_equal(f->uses.kinds[TB_INTERNED_CATEGORIES].count, 2);
  assert_int_equal(f->uses.kinds[TB_INTERNED_ARG_NAMES].count, 2);
}

static void interns_a_string_when_it_comes_again(void **state) {
  struct fixture *f = *state;
  struct tb_arg arg = text("url", "https://example.org");
  struct tb_event event = {.has = TB_HAS_ARGS, .args = &arg, .arg_count = 1};
  Perfetto__Protos__TrackEvent *first = encode(f, &event, TB_ENCODE_ARGS, (struct tb_carried_parts){0});
  assert_true(first->debug_annotations[0]->has_string_value);
  done(first);
  Perfetto__Protos__TrackEvent *second = encode(f, &event, TB_ENCODE_ARGS, (struct tb_carried_parts){0});
  assert_false(second->debug_annotations[0]->has_string_value);
  assert_int_equal(second->debug_annotations[0]->string_value_iid, 1);
  done(second);
}

static void nests_dicts_and_writes_empty_ones_as_JSON(void **state) {
  struct fixture *f = *state;
  struct tb_arg args[] = {{.name = TB_STR("outer"), .span = 3, .type = TB_ARG_DICT},
                          integer("inner", 5),
                          {.name = TB_STR("empty"), .span = 1, .type = TB_ARG_ARRAY}};
  struct tb_event event = {.has = TB_HAS_ARGS, .args = args, .arg_count = 3};
  Perfetto__Protos__TrackEvent *read = encode(f, &event, TB_ENCODE_ARGS, (struct tb_carried_parts){0});
  assert_int_equal(read->n_debug_annotations, 1);
  const Perfetto__Protos__DebugAnnotation *outer = read->debug_annotations[0];
  assert_int_equal(outer->n_dict_entries, 2);
  assert_int_equal(outer->dict_entries[0]->int_value, 5);
  assert_true(outer->dict_entries[1]->has_legacy_json_value);
  assert_memory_equal(outer->dict_entries[1]->legacy_json_value.data, "[]", 2);
  done(read);
}

static void lists_of_nothing_but_null_count_as_items(void **state) {
  struct fixture *f = *state;
  struct tb_arg args[] = {{.name = TB_STR("list"), .span = 5, .type = TB_ARG_ARRAY},
                          {.span = 3, .type = TB_ARG_ARRAY},
                          {.span = 2, .type = TB_ARG_ARRAY},
                          {.span = 1, .type = TB_ARG_NULL},
                          {.span = 1, .type = TB_ARG_INT, .i = 5}};
  struct tb_event event = {.has = TB_HAS_ARGS, .args = args, .arg_count = 5};
  Perfetto__Protos__TrackEvent *read = encode(f, &event, TB_ENCODE_ARGS, (struct tb_carried_parts){0});
  const Perfetto__Protos__DebugAnnotation *list = read->debug_annotations[0];
  assert_int_equal(list->n_array_values, 2);
  assert_true(list->array_values[0]->has_legacy_json_value);
  assert_memory_equal(list->array_values[0]->legacy_json_value.data, "[[null]]", 8);
  assert_int_equal(list->array_values[1]->int_value, 5);
  done(read);
}

static void widens_lengths_past_127_bytes(void **state) {
  struct fixture *f = *state;
  static char longer[70000];
  memset(longer, 'x', sizeof(longer));
  for (size_t len = 100; len < sizeof(longer); len = len * 3 / 2) {
    struct tb_arg arg = {.name = TB_STR("s"), .text = {longer, len}, .span = 1, .type = TB_ARG_STRING};
    struct tb_event event = {.has = TB_HAS_ARGS, .args = &arg, .arg_count = 1};
    Perfetto__Protos__TrackEvent *read = encode(f, &event, TB_ENCODE_ARGS, (struct tb_carried_parts){0});
    assert_int_equal(read->n_debug_annotations, 1);
    done(read);
  }
}

static void carries_what_has_no_field_in_fields_of_its_own(void **state) {
  struct fixture *f = *state;
  struct tb_arg extra = text("cname", "good");
  struct tb_event event = {.has = TB_HAS_DUR, .dur = -5, .extra = &extra, .extra_count = 1};
  struct tb_carried_parts carried = {.phase = TB_STR("X"), .fields = TB_CARRIED_BIT(DUR)};
  Perfetto__Protos__TrackEvent *read = encode(f, &event, TB_ENCODE_ARGS, carried);
  assert_int_equal(read->n_debug_annotations, 1);
  const Perfetto__Protos__DebugAnnotation *annotation = read->debug_annotations[0];
  assert_int_equal(annotation->n_dict_entries, 0);
  assert_int_equal(annotation->carried_phase, 'X');
  assert_int_equal(annotation->carried_dur_ns, -5);
  assert_int_equal(annotation->n_carried, 1);
  /* called as its first member, which has no name */
  struct tb_str name = tb_intern_text(&f->interned.tables[TB_INTERNED_ARG_NAMES], (uint32_t)annotation->name_iid);
  assert_true(tb_str_equal(name, TB_STR("cname")));
  assert_false(annotation->carried[0]->has_name_iid);
  done(read);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(interns_names_categories_and_names_of_arguments, open_fixture, close_fixture),
      cmocka_unit_test_setup_teardown(interns_a_string_when_it_comes_again, open_fixture, close_fixture),
      cmocka_unit_test_setup_teardown(nests_dicts_and_writes_empty_ones_as_JSON, open_fixture, close_fixture),
      cmocka_unit_test_setup_teardown(lists_of_nothing_but_null_count_as_items, open_fixture, close_fixture),
      cmocka_unit_test_setup_teardown(widens_lengths_past_127_bytes, open_fixture, close_fixture),
      cmocka_unit_test_setup_teardown(carries_what_has_no_field_in_fields_of_its_own, open_fixture, close_fixture),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
