/* SPDX-License-Identifier: Apache-2.0
 *
 * All bytes of a file, for tests.
 */
#ifndef TB_TESTS_SUPPORT_WHOLE_FILE_H
#define TB_TESTS_SUPPORT_WHOLE_FILE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>

#include "base/memory.h"

/* To be freed; behind it is a 0. */
static inline char *read_file(const char *path, size_t *len) {
  FILE *file = fopen(path, "rb");
  assert_non_null(file);
  assert_int_equal(fseek(file, 0, SEEK_END), 0);
  *len = (size_t)ftell(file);
  rewind(file);
  char *data = malloc(*len + 1);
  assert_non_null(data);
  assert_int_equal(fread(data, 1, *len, file), *len);
  data[*len] = '\0';
  assert_int_equal(fclose(file), 0);
  return data;
}

static inline struct tb_buffer read_file_to_buffer(const char *path) {
  struct tb_buffer bytes;
  size_t len;
  char *data = read_file(path, &len);
  tb_buffer_init(&bytes, tb_default_allocator(), 0);
  assert_int_equal(tb_buffer_append(&bytes, data, len), TB_OK);
  free(data);
  return bytes;
}

#endif
