/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* */
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "io/output.h"
#include "perfetto/writer/encode/packet_sink.h"
#include "protobuf/wire.h"
#include "protos/field_numbers.h"

static char path[64];
static struct tb_error error;
static struct tb_output *output;
static struct tb_packet_sink sink;
static char written[64 * 1024];

static int start(void **state) {
  (void)state;
  strcpy(path, "/tmp/test_packet_sink.XXXXXX");
  int fd = mkstemp(path);
  if (fd < 0) return -1;
  (void)close(fd);
  struct tb_output_options options = {0};
  if (tb_output_open(path, &options, &output, &error) != TB_OK) return -1;
  tb_packet_sink_init(&sink, output, false, 0, tb_default_allocator(), &error);
  return 0;
}

static int stop(void **state) {
  (void)state;
  tb_packet_sink_free(&sink);
  tb_output_close(output);
  return unlink(path);
}

/* Puts one packet of `len` bytes of text and returns the fields of the one that is then in the file. */
static struct tb_str put_one(size_t len) {
  char *text = malloc(len);
  assert_non_null(text);
  memset(text, 'a', len);
  assert_int_equal(tb_packet_sink_put_fields(&sink, (struct tb_str){text, len}), TB_OK);
  free(text);
  assert_int_equal(tb_packet_sink_flush(&sink), TB_OK);
  assert_int_equal(tb_output_finish(output, &error), TB_OK);
  FILE *file = fopen(path, "rb");
  assert_non_null(file);
  size_t n = fread(written, 1, sizeof(written), file);
  (void)fclose(file);
  struct tb_wire_cursor cursor = tb_wire_cursor((struct tb_str){written, n});
  struct tb_wire_field packet;
  assert_int_equal(tb_wire_next(&cursor, &packet), TB_OK);
  assert_int_equal(packet.number, TB_TRACE_PACKET);
  assert_int_equal(tb_wire_next(&cursor, &packet), TB_END);
  return (struct tb_str){written + (n - packet.bytes.len), packet.bytes.len};
}

static void a_packet_of_usual_size_is_kept_as_it_is(void **state) {
  (void)state;
  struct tb_str fields = put_one(500);
  assert_int_equal(fields.len, 500);
  assert_int_equal(fields.ptr[499], 'a');
}

static void a_large_packet_is_compressed_by_itself(void **state) {
  (void)state;
  struct tb_str fields = put_one(20000);
  struct tb_wire_cursor cursor = tb_wire_cursor(fields);
  struct tb_wire_field field;
  assert_int_equal(tb_wire_next(&cursor, &field), TB_OK);
  assert_int_equal(field.number, TB_TRACE_PACKET_COMPRESSED_PACKETS);
  assert_true(field.bytes.len < 1000);
  assert_null(tb_packet_sink_reserve(&sink, 20000));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(a_packet_of_usual_size_is_kept_as_it_is, start, stop),
      cmocka_unit_test_setup_teardown(a_large_packet_is_compressed_by_itself, start, stop),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
