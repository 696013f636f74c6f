/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/memory.h"
#include "support/failing_allocator.h"

/* From any size to any other: large blocks begin elsewhere in what malloc gives. */
static void a_block_keeps_its_bytes_when_its_size_changes(void **state) {
  (void)state;
  static const size_t sizes[] = {1, 100, 65535, 65536, 65537, 100000, 1 << 20, 65536, 65535, 3, 70000, 64};
  const struct tb_allocator *allocator = tb_default_allocator();
  size_t size = 0, same = 0;
  char *block = NULL;
  for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
    block = block ? tb_realloc(allocator, block, size, sizes[i]) : tb_alloc(allocator, sizes[i]);
    assert_non_null(block);
    assert_int_equal((uintptr_t)block % 16, 0);
    if (same > sizes[i]) same = sizes[i];
    for (size_t k = 0; k < same; k++) assert_int_equal((unsigned char)block[k], k % 251);
    size = same = sizes[i];
    for (size_t k = 0; k < size; k++) block[k] = (char)(k % 251);
  }
  tb_free(allocator, block, size);
}

static void a_block_that_cannot_grow_stays_as_it_was(void **state) {
  (void)state;
  const struct tb_allocator *allocator = tb_default_allocator();
  char *block = tb_alloc(allocator, 3);
  memcpy(block, "abc", 3);
  assert_null(tb_realloc(allocator, block, 3, SIZE_MAX));
  assert_memory_equal(block, "abc", 3);
  tb_free(allocator, block, 3);
}

static void arena_blocks_are_aligned_and_keep_their_bytes(void **state) {
  (void)state;
  struct tb_arena arena;
  tb_arena_init(&arena, tb_default_allocator(), 0);
  char *first = tb_arena_alloc(&arena, 3);
  memcpy(first, "abc", 3);
  for (int i = 0; i < 10000; i++) assert_non_null(tb_arena_alloc(&arena, 100));
  assert_int_equal((uintptr_t)tb_arena_alloc(&arena, 1) % 8, 0);
  assert_memory_equal(first, "abc", 3);
  tb_arena_free(&arena);
}

static void arena_gives_a_block_of_no_bytes_too(void **state) {
  (void)state;
  struct tb_arena arena;
  tb_arena_init(&arena, tb_default_allocator(), 0);
  char *none = tb_arena_alloc(&arena, 0);
  assert_non_null(none);
  assert_ptr_not_equal(tb_arena_alloc(&arena, 0), none);
  tb_arena_free(&arena);
}

static void arena_refuses_what_is_past_its_limit(void **state) {
  (void)state;
  struct tb_arena arena;
  tb_arena_init(&arena, tb_default_allocator(), 10000);
  assert_non_null(tb_arena_alloc(&arena, 1000));
  assert_null(tb_arena_alloc(&arena, 20000));
  tb_arena_free(&arena);
}

static void buffer_grows_to_its_maximum_and_then_says_limit(void **state) {
  (void)state;
  struct tb_buffer buffer;
  tb_buffer_init(&buffer, tb_default_allocator(), 100);
  for (int i = 0; i < 100; i++) assert_int_equal(tb_buffer_append(&buffer, "x", 1), TB_OK);
  assert_int_equal(tb_buffer_append(&buffer, "x", 1), TB_LIMIT);
  assert_int_equal(buffer.len, 100);
  tb_buffer_free(&buffer);
}

static void a_guard_remembers_that_there_was_no_memory(void **state) {
  (void)state;
  struct faults faults = {.at = 1};
  const struct tb_allocator source = faulty_allocator(&faults);
  struct tb_guard guard;
  struct tb_error error = {.code = TB_BAD_DATA, .message = "what came of it", .file = "a file"};
  tb_guard_init(&guard, &source);
  void *block = tb_alloc(&guard.allocator, 8);
  assert_non_null(block);
  assert_int_equal(tb_guard_settle(&guard, TB_BAD_DATA, &error), TB_BAD_DATA);
  assert_string_equal(error.message, "what came of it");
  assert_null(tb_realloc(&guard.allocator, block, 8, 16));
  tb_free(&guard.allocator, block, 8);
  block = tb_alloc(&guard.allocator, 8); /* there is some again, but what was made without it stays so */
  assert_non_null(block);
  tb_free(&guard.allocator, block, 8);
  assert_int_equal(tb_guard_settle(&guard, TB_BAD_DATA, &error), TB_NO_MEMORY);
  assert_int_equal(error.code, TB_NO_MEMORY);
  assert_string_equal(error.message, "out of memory");
  assert_string_equal(error.file, "a file");
  assert_int_equal(faults.held, 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_block_keeps_its_bytes_when_its_size_changes),
      cmocka_unit_test(a_block_that_cannot_grow_stays_as_it_was),
      cmocka_unit_test(arena_blocks_are_aligned_and_keep_their_bytes),
      cmocka_unit_test(arena_gives_a_block_of_no_bytes_too),
      cmocka_unit_test(arena_refuses_what_is_past_its_limit),
      cmocka_unit_test(buffer_grows_to_its_maximum_and_then_says_limit),
      cmocka_unit_test(a_guard_remembers_that_there_was_no_memory),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
