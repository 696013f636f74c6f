/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/resource.h>

#include <cmocka.h>

#include "base/error.h"
#include "io/block_cache.h"
#include "io/spill_log.h"

enum { PIECE = 100, PIECES = 5000 };

static struct tb_spill_file *open_file(void) {
  struct tb_spill_file *file;
  assert_int_equal(tb_spill_file_create(NULL, tb_default_allocator(), &file, NULL), TB_OK);
  return file;
}

/* Adds a piece that says its number all over, and returns its position. */
static uint64_t add_piece(struct tb_spill_log *chunks, unsigned number) {
  assert_int_equal(tb_spill_log_room(chunks, PIECE), TB_OK);
  char *at = chunks->at;
  memset(at, (int)(number & 0xff), PIECE);
  chunks->at += PIECE;
  return tb_spill_log_position(chunks, at);
}

static void check_piece(const struct tb_spill_log *chunks, uint64_t position, unsigned number,
                        struct tb_spill_window *window) {
  struct tb_str bytes;
  size_t chunk = tb_spill_log_find(chunks, position);
  assert_int_equal(tb_spill_log_look(chunks, chunk, window, &bytes, NULL), TB_OK);
  assert_true(position >= chunks->list[chunk].start);
  uint64_t at = position - chunks->list[chunk].start;
  assert_true(at + PIECE <= bytes.len);
  for (size_t i = 0; i < PIECE; i++) assert_int_equal((unsigned char)bytes.ptr[at + i], number & 0xff);
}

static void a_piece_is_found_by_its_position_wherever_it_is(void **state) {
  (void)state;
  static const unsigned steps[] = {0, 1, 7, 1000, 4999}; /* pieces between one spill and the next; 0: none */
  static uint64_t positions[PIECES];
  struct tb_spill_file *file = open_file();
  for (size_t s = 0; s < sizeof(steps) / sizeof(steps[0]); s++) {
    struct tb_spill_log chunks;
    struct tb_spill_window window;
    tb_spill_log_init(&chunks, tb_default_allocator());
    tb_spill_window_init(&window, tb_default_allocator());
    assert_int_equal(tb_spill_log_total(&chunks), 0);
    for (unsigned i = 0; i < PIECES; i++) {
      positions[i] = add_piece(&chunks, i);
      assert_int_equal(positions[i], (uint64_t)i * PIECE);
      if (!steps[s] || i % steps[s]) continue;
      assert_int_equal(tb_spill_log_spill(&chunks, file, NULL), TB_OK);
      assert_int_equal(chunks.bytes, 0);
    }
    assert_int_equal(tb_spill_log_total(&chunks), (uint64_t)PIECES * PIECE);
    for (unsigned i = 0; i < PIECES; i++) check_piece(&chunks, positions[i], i, &window);
    for (unsigned i = PIECES; i-- > 0;) check_piece(&chunks, positions[i], i, &window);
    for (unsigned i = 0; i < PIECES; i++) { /* to and fro */
      unsigned piece = i * 1999u % PIECES;
      check_piece(&chunks, positions[piece], piece, &window);
    }
    tb_spill_window_free(&window);
    tb_spill_log_free(&chunks);
  }
  tb_spill_file_close(file);
}

static void a_file_that_takes_no_more_leaves_the_rest_in_memory(void **state) {
  (void)state;
  static uint64_t positions[PIECES];
  struct tb_spill_file *file = open_file();
  struct tb_spill_log chunks;
  struct tb_spill_window window;
  struct tb_error error = {0};
  tb_spill_log_init(&chunks, tb_default_allocator());
  tb_spill_window_init(&window, tb_default_allocator());
  for (unsigned i = 0; i < PIECES; i++) positions[i] = add_piece(&chunks, i);
  struct rlimit before, small;
  assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
  small = before;
  small.rlim_cur = (rlim_t)PIECES * PIECE / 2;
  void (*handler)(int) = signal(SIGXFSZ, SIG_IGN);
  assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
  enum tb_status status = tb_spill_log_spill(&chunks, file, &error);
  assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
  (void)signal(SIGXFSZ, handler);
  assert_int_equal(status, TB_IO);
  assert_non_null(strstr(error.message, "cannot write to the temporary file in /"));
  assert_null(strstr(error.message, "TMPDIR")); /* the limit is of the process, whatever the folder */
  assert_true(chunks.away > 0 && chunks.bytes > 0);
  positions[PIECES - 1] = add_piece(&chunks, PIECES - 1); /* it goes on taking what comes */
  for (unsigned i = 0; i < PIECES; i++) check_piece(&chunks, positions[i], i, &window);
  tb_spill_window_free(&window);
  tb_spill_log_free(&chunks);
  tb_spill_file_close(file);
}

static void small_chunks_fill_the_file_without_gaps(void **state) {
  (void)state;
  struct tb_spill_file *file = open_file();
  struct tb_spill_log chunks;
  tb_spill_log_init(&chunks, tb_default_allocator());
  for (unsigned i = 0; i < PIECES; i++) {
    (void)add_piece(&chunks, i);
    assert_int_equal(tb_spill_log_spill(&chunks, file, NULL), TB_OK);
  }
  assert_int_equal(tb_spill_file_size(file), (uint64_t)PIECES * PIECE);
  tb_spill_log_free(&chunks);
  tb_spill_file_close(file);
}

static void what_is_dropped_frees_its_memory_and_no_other(void **state) {
  (void)state;
  struct tb_spill_log chunks;
  struct tb_spill_window window;
  tb_spill_log_init(&chunks, tb_default_allocator());
  tb_spill_window_init(&window, tb_default_allocator());
  uint64_t last = 0;
  for (unsigned i = 0; i < 100; i++) last = add_piece(&chunks, i);
  size_t bytes = chunks.bytes, first = chunks.list[0].size;
  tb_spill_log_drop(&chunks, 0);
  tb_spill_log_drop(&chunks, 0);
  assert_int_equal(chunks.bytes, bytes - first);
  check_piece(&chunks, last, 99, &window);
  tb_spill_window_free(&window);
  tb_spill_log_free(&chunks);
}

static void what_is_dropped_of_the_file_leaves_the_others_there(void **state) {
  (void)state;
  struct tb_spill_file *file = open_file();
  struct tb_spill_log chunks;
  struct tb_spill_window window;
  tb_spill_log_init(&chunks, tb_default_allocator());
  tb_spill_window_init(&window, tb_default_allocator());
  static uint64_t positions[PIECES];
  for (unsigned i = 0; i < PIECES; i++) positions[i] = add_piece(&chunks, i);
  assert_int_equal(tb_spill_log_spill(&chunks, file, NULL), TB_OK);
  assert_true(chunks.count > 3);
  for (size_t chunk = 0; chunk < chunks.count; chunk += 2) tb_spill_log_drop(&chunks, chunk);
  for (unsigned i = 0; i < PIECES; i++)
    if (tb_spill_log_find(&chunks, positions[i]) % 2) check_piece(&chunks, positions[i], i, &window);
  tb_spill_window_free(&window);
  tb_spill_log_free(&chunks);
  tb_spill_file_close(file);
}

/* ---- the blocks that chunks are made of -------------------------------------------------------------------------- */

struct source {
  size_t asked, in_use; /* blocks of the largest size */
};

static void *reallocate(void *ctx, void *ptr, size_t old_size, size_t new_size) {
  struct source *source = ctx;
  source->asked += new_size == TB_SPILL_BLOCK_LARGEST;
  source->in_use += new_size == TB_SPILL_BLOCK_LARGEST;
  source->in_use -= ptr && old_size == TB_SPILL_BLOCK_LARGEST;
  return tb_default_allocator()->reallocate(NULL, ptr, old_size, new_size);
}

static void freed_blocks_are_used_again(void **state) {
  (void)state;
  enum { COUNT = 3 };
  struct source source = {0};
  const struct tb_allocator under = {reallocate, &source};
  struct tb_block_cache cache;
  char *blocks[COUNT];
  tb_block_cache_init(&cache, &under);
  for (unsigned round = 0; round < 4; round++) {
    for (size_t i = 0; i < COUNT; i++) {
      blocks[i] = tb_alloc(&cache.allocator, TB_SPILL_BLOCK_LARGEST);
      assert_non_null(blocks[i]);
      memset(blocks[i], (int)i, TB_SPILL_BLOCK_LARGEST);
    }
    assert_int_equal(source.asked, COUNT);
    for (size_t i = 0; i < COUNT; i++) {
      assert_int_equal(blocks[i][0], i);
      assert_int_equal(blocks[i][TB_SPILL_BLOCK_LARGEST - 1], i);
      tb_free(&cache.allocator, blocks[i], TB_SPILL_BLOCK_LARGEST);
    }
  }
  assert_int_equal(source.in_use, COUNT);
  assert_int_equal(cache.bytes, COUNT * TB_SPILL_BLOCK_LARGEST);
  tb_block_cache_trim(&cache);
  assert_int_equal(source.in_use, 0);
}

static void blocks_of_other_sizes_go_back_at_once(void **state) {
  (void)state;
  struct source source = {0};
  const struct tb_allocator under = {reallocate, &source};
  struct tb_block_cache cache;
  tb_block_cache_init(&cache, &under);
  char *block = tb_alloc(&cache.allocator, TB_SPILL_BLOCK_LARGEST);
  block = tb_realloc(&cache.allocator, block, TB_SPILL_BLOCK_LARGEST, 2 * TB_SPILL_BLOCK_LARGEST);
  assert_non_null(block);
  assert_int_equal(source.in_use, 0);
  tb_free(&cache.allocator, block, 2 * TB_SPILL_BLOCK_LARGEST);
  block = tb_alloc(&cache.allocator, 100);
  tb_free(&cache.allocator, block, 100);
  assert_int_equal(cache.bytes, 0);
  tb_block_cache_trim(&cache);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_piece_is_found_by_its_position_wherever_it_is),
      cmocka_unit_test(a_file_that_takes_no_more_leaves_the_rest_in_memory),
      cmocka_unit_test(small_chunks_fill_the_file_without_gaps),
      cmocka_unit_test(what_is_dropped_frees_its_memory_and_no_other),
      cmocka_unit_test(what_is_dropped_of_the_file_leaves_the_others_there),
      cmocka_unit_test(freed_blocks_are_used_again),
      cmocka_unit_test(blocks_of_other_sizes_go_back_at_once),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
