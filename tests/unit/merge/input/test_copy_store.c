/* SPDX-License-Identifier: Apache-2.0
 *
 * The copies that a merge makes of its inputs.
 */
#include "merge/input/copy_store.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "tracebridge/file.h"

static char directory[] = "/tmp/test_store.XXXXXX";

static struct tb_input_place copy_of(struct tb_copy_store *store, const char *text) {
  struct tb_input_place copy;
  char to[TB_COPY_STORE_NAME];
  assert_int_equal(tb_copy_store_begin(store, "name", &copy, to, NULL), TB_OK);
  assert_int_equal(tb_file_write(to, text, strlen(text), NULL), TB_OK);
  assert_int_equal(tb_copy_store_end(store, strlen(text), &copy, NULL), TB_OK);
  return copy;
}

static void assert_reads(const struct tb_input_place *copy, const char *bytes, size_t len) {
  struct tb_input *input;
  char buffer[100];
  size_t got = 0, n = 0;
  assert_int_equal(tb_input_open_place(copy, NULL, 1, &input, NULL), TB_OK);
  while (tb_input_read(input, buffer + got, sizeof(buffer) - got, &n, NULL) == TB_OK) got += n;
  tb_input_close(input);
  assert_int_equal(got, len);
  assert_memory_equal(buffer, bytes, len);
}

static void copies_share_a_file_without_a_name(void **state) {
  (void)state;
  struct tb_copy_store store = {.directory = directory};
  struct tb_input_place first = copy_of(&store, "first"), second = copy_of(&store, "the second"),
                        empty = copy_of(&store, ""), last = copy_of(&store, "last");
  struct stat st;
  assert_int_equal(fstat(store.fd, &st), 0);
  assert_int_equal(st.st_mode & 07777, 0600);
  assert_int_equal(rmdir(directory), 0); /* it is empty */
  assert_non_null(mkdtemp(strcpy(directory, "/tmp/test_store.XXXXXX")));
  assert_reads(&last, "last", 4);
  assert_reads(&first, "first", 5);
  assert_reads(&empty, "", 0);
  assert_reads(&second, "the second", 10);
  tb_copy_store_free(&store);
}

static void holes_are_zero_whatever_was_there(void **state) {
  (void)state;
  struct tb_copy_store store = {.directory = directory};
  struct tb_input_place copy, given_up = {.name = NULL};
  char to[TB_COPY_STORE_NAME];
  struct tb_input_place before = copy_of(&store, "before");
  assert_int_equal(tb_copy_store_begin(&store, "given up", &given_up, to, NULL), TB_OK);
  assert_int_equal(tb_copy_store_put(&store, 0, "xxxxxxxxxxxxxxxxxxxx", 20, NULL), TB_OK);
  assert_int_equal(tb_copy_store_begin(&store, "with holes", &copy, to, NULL), TB_OK);
  assert_int_equal(copy.start, given_up.start);
  assert_int_equal(tb_copy_store_put(&store, 4, "ab", 2, NULL), TB_OK);
  assert_int_equal(tb_copy_store_put(&store, 8, "cd", 2, NULL), TB_OK);
  assert_int_equal(tb_copy_store_end(&store, 12, &copy, NULL), TB_OK);
  struct tb_input_place after = copy_of(&store, "after");
  assert_reads(&copy, "\0\0\0\0ab\0\0cd\0\0", 12);
  assert_reads(&before, "before", 6);
  assert_reads(&after, "after", 5);
  tb_copy_store_free(&store);
}

static void what_is_forgotten_gives_its_room_back(void **state) {
  (void)state;
  enum { BYTES = 1 << 20 };
  struct tb_copy_store store = {.directory = directory};
  char *text = malloc(BYTES + 1);
  assert_non_null(text);
  memset(text, 'x', BYTES);
  text[BYTES] = '\0';
  struct tb_input_place read = copy_of(&store, text), made = copy_of(&store, "made of it"), last;
  struct stat full, less;
  assert_int_equal(fstat(store.fd, &full), 0);
  tb_copy_store_forget(&store, &read);
  assert_int_equal(fstat(store.fd, &less), 0);
  assert_true(less.st_blocks <= full.st_blocks); /* not every file system can */
  assert_reads(&made, "made of it", 10);
  last = copy_of(&store, "last");
  tb_copy_store_forget(&store, &last);
  struct tb_input_place again = copy_of(&store, "again");
  assert_int_equal(again.start, last.start);
  assert_reads(&again, "again", 5);
  assert_reads(&made, "made of it", 10);
  free(text);
  tb_copy_store_free(&store);
}

static void what_cannot_be_is_an_error(void **state) {
  (void)state;
  struct tb_copy_store nowhere = {.directory = "/nowhere"}, store = {.directory = directory};
  struct tb_input_place copy;
  char to[TB_COPY_STORE_NAME];
  struct tb_error error = {0};
  assert_int_equal(tb_copy_store_begin(&nowhere, "name", &copy, to, &error), TB_IO);
  assert_non_null(strstr(error.message, "/nowhere"));
  tb_copy_store_free(&nowhere);
  assert_int_equal(tb_copy_store_begin(&store, "name", &copy, to, NULL), TB_OK);
  assert_int_equal(tb_copy_store_put(&store, UINT64_MAX - 5, "0123456789", 10, NULL), TB_IO);
  assert_int_equal(tb_copy_store_put(&store, INT64_MAX, "0123456789", 10, NULL), TB_IO);
  assert_int_equal(tb_copy_store_end(&store, UINT64_MAX - 5, &copy, NULL), TB_IO);
  tb_copy_store_free(&store);
}

static int set_up(void **state) {
  (void)state;
  return mkdtemp(directory) ? 0 : -1;
}

static int clean_up(void **state) {
  (void)state;
  return rmdir(directory); /* which is empty */
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(copies_share_a_file_without_a_name),
      cmocka_unit_test(holes_are_zero_whatever_was_there),
      cmocka_unit_test(what_is_forgotten_gives_its_room_back),
      cmocka_unit_test(what_cannot_be_is_an_error),
  };
  return cmocka_run_group_tests(tests, set_up, clean_up);
}
