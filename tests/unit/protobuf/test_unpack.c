/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "protobuf/unpack.h"
#include "protos/perfetto/android_power.pb-c.h"
#include "protos/perfetto/chrome.pb-c.h"

#define ASSERT_NUMBERS(values, count, ...)                         \
  do {                                                             \
    static const uint32_t expected[] = {__VA_ARGS__};              \
    assert_int_equal(count, sizeof(expected) / sizeof(*expected)); \
    assert_memory_equal(values, expected, sizeof(expected));       \
  } while (0)

struct fixture {
  struct tb_arena arena;
  bool misfits;
};

static int set_up(void **state) {
  static struct fixture fixture;
  tb_arena_init(&fixture.arena, tb_default_allocator(), 0);
  *state = &fixture;
  return 0;
}

static int tear_down(void **state) {
  tb_arena_free(&((struct fixture *)*state)->arena);
  return 0;
}

static enum tb_status read(struct fixture *f, struct tb_str bytes, const Perfetto__Protos__CpuPerUidData **data) {
  ProtobufCMessage *message = NULL;
  enum tb_status status =
      tb_message_read(&f->arena, &perfetto__protos__cpu_per_uid_data__descriptor, bytes, &message, &f->misfits);
  *data = (const Perfetto__Protos__CpuPerUidData *)message;
  return status;
}

/* `uid` is declared as packed, the `pid` of ChromeActiveProcesses is not. */
static void numbers_that_repeat_are_read_packed_and_one_by_one(void **state) {
  struct fixture *f = *state;
  const Perfetto__Protos__CpuPerUidData *data;
  assert_int_equal(read(f, TB_STR("\x08\x02\x12\x02\x05\x06\x10\x07"), &data), TB_OK);
  assert_false(f->misfits);
  assert_int_equal(data->cluster_count, 2);
  ASSERT_NUMBERS(data->uid, data->n_uid, 5, 6, 7);
  ProtobufCMessage *message;
  assert_int_equal(tb_message_read(&f->arena, &perfetto__protos__chrome_active_processes__descriptor,
                                   TB_STR("\x08\x04\x0a\x02\x05\x06"), &message, &f->misfits),
                   TB_OK);
  assert_false(f->misfits);
  const Perfetto__Protos__ChromeActiveProcesses *active = (const Perfetto__Protos__ChromeActiveProcesses *)message;
  ASSERT_NUMBERS(active->pid, active->n_pid, 4, 5, 6);
}

/* A text, a group, 32 bits and packed numbers of which the last is cut, each in place of an integer. */
static void a_field_of_another_wire_type_is_passed_over(void **state) {
  const struct tb_str misfits[] = {TB_STR("\x0a\x01x"), TB_STR("\x0b\x08\x01\x0c"), TB_STR("\x0d\1\2\3\4"),
                                   TB_STR("\x12\x02\x05\x80"), TB_STR("\x6b\x6c")};
  struct fixture *f = *state;
  for (size_t i = 0; i < sizeof(misfits) / sizeof(*misfits); i++) {
    char bytes[32] = "\x12\x01\x05";
    memcpy(bytes + 3, misfits[i].ptr, misfits[i].len);
    memcpy(bytes + 3 + misfits[i].len, "\x08\x02", 2);
    const Perfetto__Protos__CpuPerUidData *data;
    assert_int_equal(read(f, (struct tb_str){bytes, misfits[i].len + 5}, &data), TB_OK);
    assert_true(f->misfits);
    assert_int_equal(data->cluster_count, 2);
    ASSERT_NUMBERS(data->uid, data->n_uid, 5);
  }
}

static void within_a_message_it_is_too(void **state) {
  struct fixture *f = *state;
  ProtobufCMessage *message;
  struct tb_str bytes = TB_STR("\x0a\x05\x08\x02\x12\x01x\x10\x09");
  assert_int_equal(
      tb_message_read(&f->arena, &perfetto__protos__kernel_wakelock_data__descriptor, bytes, &message, &f->misfits),
      TB_OK);
  assert_false(f->misfits);
  bytes = TB_STR("\x0a\x07\x0a\x01y\x10\x05\x08\x03\x10\x09");
  assert_int_equal(
      tb_message_read(&f->arena, &perfetto__protos__kernel_wakelock_data__descriptor, bytes, &message, &f->misfits),
      TB_OK);
  assert_true(f->misfits);
  const Perfetto__Protos__KernelWakelockData *data = (const Perfetto__Protos__KernelWakelockData *)message;
  assert_int_equal(data->n_wakelock, 1);
  assert_int_equal(data->wakelock[0]->wakelock_id, 3);
  ASSERT_NUMBERS(data->wakelock_id, data->n_wakelock_id, 9);
}

static void a_message_that_is_cut_is_damaged(void **state) {
  const Perfetto__Protos__CpuPerUidData *data;
  assert_int_equal(read(*state, TB_STR("\x0a\x01x\x12\x05\x01"), &data), TB_BAD_DATA);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(numbers_that_repeat_are_read_packed_and_one_by_one, set_up, tear_down),
      cmocka_unit_test_setup_teardown(a_field_of_another_wire_type_is_passed_over, set_up, tear_down),
      cmocka_unit_test_setup_teardown(within_a_message_it_is_too, set_up, tear_down),
      cmocka_unit_test_setup_teardown(a_message_that_is_cut_is_damaged, set_up, tear_down),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
