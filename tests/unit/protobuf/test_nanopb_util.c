/* SPDX-License-Identifier: Apache-2.0
 *
 * nanopb writes, protobuf-c reads: the two know the same messages, and neither knows the other.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
/* cmocka needs the three above */
#include <cmocka.h>

#include "protobuf/nanopb_util.h"
#include "protos/field_numbers.h"
#include "protos/perfetto/trace_packet.pb-c.h"
#include "protos/perfetto/trace_packet.pb.h"

static void a_track_descriptor_is_read_back_by_protobuf_c(void **state) {
  (void)state;
  struct tb_str name = TB_STR("proc\0x"), labels[] = {TB_STR("a"), TB_STR("b")};
  struct tb_nanopb_strs label_list = {labels, 2};
  perfetto_protos_ProcessDescriptor process = perfetto_protos_ProcessDescriptor_init_zero;
  process.has_pid = true;
  process.pid = -7;
  process.process_name = tb_nanopb_str(&name);
  process.process_labels = tb_nanopb_strs(&label_list);
  perfetto_protos_TrackDescriptor track = perfetto_protos_TrackDescriptor_init_zero;
  track.has_uuid = true;
  track.uuid = UINT64_MAX;
  track.process = &process;
  struct tb_buffer buffer;
  tb_buffer_init(&buffer, tb_default_allocator(), 0);
  assert_int_equal(tb_nanopb_append(&buffer, perfetto_protos_TrackDescriptor_fields, &track), TB_OK);

  Perfetto__Protos__TrackDescriptor *read =
      perfetto__protos__track_descriptor__unpack(NULL, buffer.len, (const uint8_t *)buffer.data);
  assert_non_null(read);
  assert_true(read->has_uuid && read->uuid == UINT64_MAX);
  assert_null(read->thread);
  assert_int_equal(read->process->pid, -7);
  assert_int_equal(read->process->process_name.len, 6);
  assert_memory_equal(read->process->process_name.data, "proc\0x", 6);
  assert_int_equal(read->process->n_process_labels, 2);
  assert_memory_equal(read->process->process_labels[1].data, "b", 1);
  perfetto__protos__track_descriptor__free_unpacked(read, NULL);
  tb_buffer_free(&buffer);
}

static void lists_of_numbers_are_not_packed(void **state) {
  (void)state;
  uint64_t uuids[] = {1, 300};
  struct tb_nanopb_varints list = {uuids, 2};
  perfetto_protos_TrackEventDefaults defaults = perfetto_protos_TrackEventDefaults_init_zero;
  defaults.extra_counter_track_uuids = tb_nanopb_varints(&list);
  struct tb_buffer buffer;
  tb_buffer_init(&buffer, tb_default_allocator(), 0);
  assert_int_equal(tb_nanopb_append(&buffer, perfetto_protos_TrackEventDefaults_fields, &defaults), TB_OK);
  assert_int_equal(buffer.len, 7);
  assert_memory_equal(buffer.data, "\xf8\x01\x01\xf8\x01\xac\x02", 7);
  tb_buffer_free(&buffer);
}

static void a_full_buffer_is_left_as_it_was(void **state) {
  (void)state;
  struct tb_buffer buffer;
  tb_buffer_init(&buffer, tb_default_allocator(), 4);
  struct tb_str name = TB_STR("longer than four");
  perfetto_protos_TrackDescriptor track = perfetto_protos_TrackDescriptor_init_zero;
  track.name = tb_nanopb_str(&name);
  assert_int_equal(tb_nanopb_append(&buffer, perfetto_protos_TrackDescriptor_fields, &track), TB_LIMIT);
  assert_int_equal(buffer.len, 0);
  tb_buffer_free(&buffer);
}

static void the_header_of_field_numbers_agrees_with_the_schema(void **state) {
  (void)state;
  assert_int_equal(TB_TRACE_PACKET_TIMESTAMP, perfetto_protos_TracePacket_timestamp_tag);
  assert_int_equal(TB_TRACE_PACKET_ZSTD_COMPRESSED_PACKETS, 133);
  assert_int_equal(TB_TRACK_EVENT_LEGACY_EVENT_FLOW_DIRECTION,
                   perfetto_protos_TrackEvent_LegacyEvent_flow_direction_tag);
  assert_int_equal(TB_TRACK_EVENT_TYPE_SLICE_END, perfetto_protos_TrackEvent_Type_TYPE_SLICE_END);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_track_descriptor_is_read_back_by_protobuf_c),
      cmocka_unit_test(lists_of_numbers_are_not_packed),
      cmocka_unit_test(a_full_buffer_is_left_as_it_was),
      cmocka_unit_test(the_header_of_field_numbers_agrees_with_the_schema),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
