/* SPDX-License-Identifier: Apache-2.0
 *
 * Framing, compressed packets, damage and where it is reported. Packets are spelled byte by byte, so that offsets
 * are plain.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <zlib.h>
#include <zstd.h>

#include "base/memory.h"
#include "protobuf/wire.h"
#include "protos/field_numbers.h"
#include "tracebridge/packet.h"

enum { PACKETS_MAX = 64 };

/* What a test got: sequence ids of the packets in order, the losses, the last status. */
struct outcome {
  unsigned count;
  struct tb_packet packets[PACKETS_MAX];
  size_t loss_count;
  struct tb_loss losses[8];
  enum tb_status status;
  struct tb_error error;
};

static void take(struct tb_packet_reader *reader, struct outcome *outcome) {
  const struct tb_packet *packet;
  while ((outcome->status = tb_packet_next(reader, &packet)) == TB_OK) {
    assert_true(outcome->count < PACKETS_MAX);
    outcome->packets[outcome->count++] = *packet;
  }
}

static struct outcome read_with(const struct tb_buffer *bytes, size_t step, const struct tb_reader_options *options) {
  struct outcome outcome = {0};
  struct tb_packet_reader *reader;
  assert_int_equal(tb_packet_reader_create_feed("bytes", options, &reader, NULL), TB_OK);
  for (size_t at = 0; at < bytes->len; at += step) {
    size_t len = bytes->len - at < step ? bytes->len - at : step;
    assert_int_equal(tb_packet_reader_feed(reader, bytes->data + at, len), TB_OK);
    take(reader, &outcome);
    if (outcome.status != TB_AGAIN) break;
  }
  tb_packet_reader_feed_end(reader);
  if (outcome.status == TB_AGAIN) take(reader, &outcome);
  const struct tb_loss *losses = tb_packet_reader_losses(reader, &outcome.loss_count);
  assert_true(outcome.loss_count <= 8);
  if (losses) memcpy(outcome.losses, losses, outcome.loss_count * sizeof(*losses));
  outcome.error = *tb_packet_reader_error(reader);
  tb_packet_reader_close(reader);
  return outcome;
}

static struct outcome read_all(const struct tb_buffer *bytes) { return read_with(bytes, bytes->len, NULL); }

static struct tb_buffer new_trace(void) {
  struct tb_buffer bytes;
  tb_buffer_init(&bytes, tb_default_allocator(), 0);
  return bytes;
}

static void add(struct tb_buffer *bytes, const void *data, size_t len) {
  assert_int_equal(tb_buffer_append(bytes, data, len), TB_OK);
}

static void add_packet(struct tb_buffer *bytes, const void *message, size_t len) {
  char head[TB_WIRE_VARINT_MAX + 1] = {0x0a};
  add(bytes, head, (size_t)(tb_wire_put_varint(head + 1, len) - head));
  add(bytes, message, len);
}

/* A packet of 8 bytes, `0a 06 50 SEQ 5a 02 48 03`: an instant on sequence `sequence` (below 128). */
static void add_event(struct tb_buffer *bytes, unsigned char sequence) {
  const unsigned char message[] = {0x50, sequence, 0x5a, 0x02, 0x48, 0x03};
  add_packet(bytes, message, sizeof(message));
}

static void assert_loss(const struct outcome *outcome, size_t i, const char *reason, uint64_t count, uint64_t offset) {
  assert_true(i < outcome->loss_count);
  assert_string_equal(outcome->losses[i].reason, reason);
  assert_int_equal(outcome->losses[i].count, count);
  assert_int_equal(outcome->losses[i].first_offset, offset);
}

static void assert_sequences(const struct outcome *outcome, const char *expected) {
  char text[PACKETS_MAX * 4 + 1] = "";
  for (unsigned i = 0; i < outcome->count; i++) {
    (void)snprintf(text + strlen(text), sizeof(text) - strlen(text), "%s%u", i ? " " : "",
                   outcome->packets[i].sequence);
  }
  assert_string_equal(text, expected);
}

/* ---- what is there ----------------------------------------------------------------------------------------------- */

static void each_packet_comes_with_its_sequence_kind_and_offset(void **state) {
  (void)state;
  struct tb_buffer bytes = new_trace();
  add_event(&bytes, 1);
  add_packet(&bytes, "\x40\x07\x50\x02", 4);
  add_packet(&bytes, "", 0);
  struct outcome outcome = read_all(&bytes);
  assert_sequences(&outcome, "1 2 0");
  assert_int_equal(outcome.packets[0].kind, TB_TRACE_PACKET_TRACK_EVENT);
  assert_memory_equal(outcome.packets[0].kind_name.ptr, "track_event", 11);
  assert_int_equal(outcome.packets[0].bytes.len, 6);
  assert_int_equal(outcome.packets[0].payload.len, 2);
  assert_false(outcome.packets[0].has_timestamp);
  assert_true(outcome.packets[1].has_timestamp);
  assert_int_equal(outcome.packets[1].timestamp, 7);
  assert_int_equal(outcome.packets[1].kind, 0);
  assert_int_equal(outcome.packets[1].offset, 8);
  assert_int_equal(outcome.packets[2].offset, 14);
  assert_int_equal(outcome.loss_count, 0);
  assert_int_equal(outcome.status, TB_END);
  tb_buffer_free(&bytes);
}

static void unknown_fields_groups_and_long_varints_are_read_over(void **state) {
  (void)state;
  struct tb_buffer bytes = new_trace();
  /* sequence 5 in a varint of ten bytes; field 2000 as group with a nested one; field 3000 fixed64; 4000 fixed32 */
  const unsigned char message[] = {0x50, 0x85, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x00, 0x83,
                                   0x7d, 0x0b, 0x0c, 0x84, 0x7d, 0xc1, 0xbb, 0x01, 1,    2,    3,    4,
                                   5,    6,    7,    8,    0x85, 0xfa, 0x01, 1,    2,    3,    4};
  const unsigned char long_length[] = {0x0a, 0x82, 0x80, 0x00, 0x50, 0x06};
  const unsigned char strange[] = {0x12, 0x02, 'h', 'i', 0x18, 0x05};
  add_packet(&bytes, message, sizeof(message));
  add(&bytes, long_length, sizeof(long_length));
  add(&bytes, strange, 4); /* a field of Trace that is no packet */
  add_event(&bytes, 7);
  add(&bytes, strange + 4, 2);
  struct outcome outcome = read_all(&bytes);
  assert_sequences(&outcome, "5 6 7");
  assert_int_equal(outcome.loss_count, 0);
  tb_buffer_free(&bytes);
}

static void pieces_of_any_size_give_the_same_packets(void **state) {
  (void)state;
  struct tb_buffer bytes = new_trace();
  for (unsigned char i = 1; i < 60; i++) add_event(&bytes, i);
  struct outcome whole = read_all(&bytes);
  assert_int_equal(whole.count, 59);
  for (size_t step = 1; step < 30; step++) {
    struct outcome outcome = read_with(&bytes, step, NULL);
    assert_int_equal(outcome.count, 59);
    for (unsigned i = 0; i < 59; i++) assert_int_equal(outcome.packets[i].offset, whole.packets[i].offset);
  }
  tb_buffer_free(&bytes);
}

static void a_packet_larger_than_any_window_is_read_whole(void **state) {
  (void)state;
  enum { SIZE = 3 << 20 };
  struct tb_buffer bytes = new_trace(), message = new_trace();
  assert_int_equal(tb_buffer_reserve(&message, SIZE + 16), TB_OK);
  char *end = tb_wire_put_uint(message.data, TB_TRACE_PACKET_TRUSTED_PACKET_SEQUENCE_ID, 3);
  end = tb_wire_put_varint(tb_wire_put_tag(end, TB_TRACE_PACKET_SYS_STATS, TB_WIRE_BYTES), SIZE);
  memset(end, 'x', SIZE);
  message.len = (size_t)(end - message.data) + SIZE;
  add_event(&bytes, 1);
  add_packet(&bytes, message.data, message.len);
  add_event(&bytes, 2);
  struct outcome outcome = read_with(&bytes, 100000, NULL);
  assert_sequences(&outcome, "1 3 2");
  assert_int_equal(outcome.packets[1].payload.len, SIZE);
  tb_buffer_free(&message);
  tb_buffer_free(&bytes);
}

/* ---- compressed packets ------------------------------------------------------------------------------------------ */

static void add_field(struct tb_buffer *bytes, uint32_t field, const void *data, size_t len) {
  struct tb_buffer message = new_trace();
  assert_int_equal(tb_buffer_reserve(&message, len + 16), TB_OK);
  message.len = (size_t)(tb_wire_put_bytes(message.data, field, data, len) - message.data);
  add_packet(bytes, message.data, message.len);
  tb_buffer_free(&message);
}

static void add_zlib(struct tb_buffer *bytes, const struct tb_buffer *packets) {
  unsigned char packed[4096];
  uLongf len = sizeof(packed);
  assert_int_equal(compress(packed, &len, (const unsigned char *)packets->data, packets->len), Z_OK);
  add_field(bytes, TB_TRACE_PACKET_COMPRESSED_PACKETS, packed, len);
}

static void add_zstd(struct tb_buffer *bytes, const struct tb_buffer *packets) {
  char packed[4096];
  size_t len = ZSTD_compress(packed, sizeof(packed), packets->data, packets->len, 3);
  assert_false(ZSTD_isError(len));
  add_field(bytes, TB_TRACE_PACKET_ZSTD_COMPRESSED_PACKETS, packed, len);
}

static void compressed_packets_come_in_the_place_of_theirs(void **state) {
  (void)state;
  struct tb_buffer bytes = new_trace(), inner = new_trace();
  add_event(&inner, 2);
  add_event(&inner, 3);
  add_event(&bytes, 1);
  add_zlib(&bytes, &inner);
  add_event(&bytes, 4);
  uint64_t second = bytes.len;
  add_zstd(&bytes, &inner);
  add_event(&bytes, 5);
  for (size_t step = 1; step < 100; step += 7) {
    struct outcome outcome = read_with(&bytes, step, NULL);
    assert_sequences(&outcome, "1 2 3 4 2 3 5");
    assert_true(outcome.packets[1].compressed);
    assert_int_equal(outcome.packets[2].offset, 8);
    assert_false(outcome.packets[3].compressed);
    assert_int_equal(outcome.packets[5].offset, second);
    assert_int_equal(outcome.loss_count, 0);
  }
  tb_buffer_free(&inner);
  tb_buffer_free(&bytes);
}

static void compressed_packets_in_compressed_packets_are_refused(void **state) {
  (void)state;
  struct tb_buffer bytes = new_trace(), inner = new_trace(), innermost = new_trace();
  add_event(&innermost, 9);
  add_event(&inner, 2);
  add_zlib(&inner, &innermost);
  add_event(&inner, 3);
  add_event(&bytes, 1);
  add_zlib(&bytes, &inner);
  add_event(&bytes, 4);
  struct outcome outcome = read_all(&bytes);
  assert_sequences(&outcome, "1 2 3 4");
  assert_int_equal(outcome.loss_count, 1);
  assert_loss(&outcome, 0, "compressed packets inside compressed packets", 1, 8);
  tb_buffer_free(&innermost);
  tb_buffer_free(&inner);
  tb_buffer_free(&bytes);
}

static void damaged_compressed_packets_give_what_can_be_read(void **state) {
  (void)state;
  struct tb_buffer bytes = new_trace();
  add_event(&bytes, 1);
  add_field(&bytes, TB_TRACE_PACKET_COMPRESSED_PACKETS, "no zlib stream", 14);
  add_field(&bytes, TB_TRACE_PACKET_ZSTD_COMPRESSED_PACKETS, "no zstd frame", 13);
  add_event(&bytes, 2);
  struct outcome outcome = read_all(&bytes);
  assert_sequences(&outcome, "1 2");
  assert_loss(&outcome, 0, "compressed packets are damaged", 2, 8);
  tb_buffer_free(&bytes);
}

static void packets_that_decompress_past_the_limit_are_cut(void **state) {
  (void)state;
  struct tb_buffer bytes = new_trace(), inner = new_trace();
  for (unsigned i = 0; i < 100; i++) add_event(&inner, 2);
  add_zlib(&bytes, &inner);
  add_event(&bytes, 3);
  struct tb_reader_options options = {.size = sizeof(options), .max_record_bytes = 80};
  struct outcome outcome = read_with(&bytes, bytes.len, &options);
  assert_sequences(&outcome, "2 2 2 2 2 2 2 2 2 2 3");
  assert_loss(&outcome, 0, "a packet is longer than the limit", 1, 0);
  tb_buffer_free(&inner);
  tb_buffer_free(&bytes);
}

/* ---- damage ------------------------------------------------------------------------------------------------------ */

static void by_frames_alone_the_same_packets_come_in_the_same_places(void **state) {
  (void)state;
  const struct tb_reader_options options = {.size = sizeof(options), .framing_only = true};
  struct tb_buffer bytes = new_trace(), inner = new_trace();
  for (unsigned char i = 1; i < 4; i++) add_event(&inner, i);
  for (unsigned char i = 4; i < 9; i++) {
    add_event(&bytes, i);
    if (i % 3 == 0) add_zlib(&bytes, &inner);
    if (i % 3 == 1) add_zstd(&bytes, &inner);
  }
  for (size_t cut = 0; cut <= bytes.len; cut++) {
    struct tb_buffer part = bytes;
    part.len = cut;
    for (size_t step = 1; step < 100; step += 11) {
      struct outcome resolved = read_with(&part, step, NULL), framed = read_with(&part, step, &options);
      assert_int_equal(framed.status, resolved.status);
      assert_int_equal(framed.count, resolved.count);
      assert_int_equal(framed.loss_count, resolved.loss_count);
      for (unsigned i = 0; i < framed.count; i++) {
        assert_int_equal(framed.packets[i].bytes.len, resolved.packets[i].bytes.len);
        assert_int_equal(framed.packets[i].offset, resolved.packets[i].offset);
        assert_int_equal(framed.packets[i].compressed, resolved.packets[i].compressed);
        assert_int_equal(framed.packets[i].sequence, 0);
      }
      for (size_t i = 0; i < framed.loss_count; i++)
        assert_loss(&framed, i, resolved.losses[i].reason, resolved.losses[i].count, resolved.losses[i].first_offset);
    }
  }
  assert_int_equal(read_with(&bytes, bytes.len, &options).count, 14);
  tb_buffer_free(&inner);
  tb_buffer_free(&bytes);
}

static void a_trace_cut_anywhere_gives_every_packet_before_the_cut(void **state) {
  (void)state;
  struct tb_buffer bytes = new_trace();
  for (unsigned char i = 1; i < 6; i++) add_event(&bytes, i);
  for (size_t cut = 1; cut < 40; cut++) {
    struct tb_buffer part = bytes;
    part.len = cut;
    struct outcome outcome = read_all(&part);
    assert_int_equal(outcome.status, cut < 8 ? TB_BAD_DATA : TB_END); /* of nothing but a cut packet: no trace */
    assert_int_equal(outcome.count, cut / 8);
    assert_int_equal(outcome.loss_count, cut % 8 ? 1 : 0);
    if (cut % 8) assert_loss(&outcome, 0, "the trace ends in the middle of a packet", 1, cut / 8 * 8);
  }
  tb_buffer_free(&bytes);
}

static void reading_goes_on_at_the_next_packet_behind_damaged_bytes(void **state) {
  (void)state;
  struct tb_buffer bytes = new_trace();
  add_event(&bytes, 1);
  add(&bytes, "\xff\xff\x0a\x03zzz\x0a", 8);
  add_event(&bytes, 2);
  add_event(&bytes, 3);
  for (size_t step = 1; step < 20; step++) {
    struct outcome outcome = read_with(&bytes, step, NULL);
    assert_sequences(&outcome, "1 2 3");
    assert_int_equal(outcome.packets[1].offset, 16);
    assert_int_equal(outcome.loss_count, 1);
    assert_loss(&outcome, 0, "damaged bytes between packets", 1, 8);
  }
  tb_buffer_free(&bytes);
}

static void a_long_packet_behind_damaged_bytes_is_found(void **state) {
  (void)state;
  enum { LONG = 100000 };
  char message[TB_WIRE_VARINT_MAX + LONG] = {0x50, 2, 0x5a};
  char *at = tb_wire_put_varint(message + 3, LONG);
  struct tb_buffer bytes = new_trace();
  add_event(&bytes, 1);
  /* lengths that fit no packet, as they are in text */
  add(&bytes, "\xff\xff\x0a\xff\xff\x03\x0a\xff\xff\x03\x0a\xff\xff\x03", 14);
  *at++ = 0x0a; /* the event has bytes of a field of its own */
  at = tb_wire_put_varint(at, LONG - 1 - 3);
  add_packet(&bytes, message, (size_t)(at - message) + LONG - 1 - 3);
  add_event(&bytes, 3);
  static const size_t steps[] = {100, 4096, 2 * LONG};
  for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]); i++) {
    struct outcome outcome = read_with(&bytes, steps[i], NULL);
    assert_sequences(&outcome, "1 2 3");
    assert_int_equal(outcome.packets[1].offset, 22);
    assert_int_equal(outcome.loss_count, 1);
  }
  tb_buffer_free(&bytes);
}

static void packets_without_sequences_are_found_where_two_say_when_they_are(void **state) {
  (void)state;
  static const char timed[] = {0x40, 7, 0x5a, 2, 0x48, 3}, untimed[] = {0x5a, 2, 0x48, 3};
  struct tb_buffer bytes = new_trace();
  add_packet(&bytes, timed, sizeof(timed));
  add(&bytes, "\xff\xff", 2);
  add_packet(&bytes, untimed, sizeof(untimed));
  add_packet(&bytes, timed, sizeof(timed));
  add_packet(&bytes, untimed, sizeof(untimed));
  add_packet(&bytes, timed, sizeof(timed));
  add_packet(&bytes, timed, sizeof(timed));
  add_packet(&bytes, untimed, sizeof(untimed));
  for (size_t step = 1; step < 20; step++) {
    struct outcome outcome = read_with(&bytes, step, NULL);
    assert_sequences(&outcome, "0 0 0 0");
    assert_int_equal(outcome.packets[1].offset, 8 + 2 + 6 + 8 + 6);
    assert_int_equal(outcome.loss_count, 1);
  }
  tb_buffer_free(&bytes);
}

static void a_packet_that_is_no_message_is_left_out_alone(void **state) {
  (void)state;
  struct tb_buffer bytes = new_trace();
  add_event(&bytes, 1);
  add_packet(&bytes, "\x5a\x09\x48\x03", 4); /* a field that runs past the packet's end */
  add_event(&bytes, 2);
  struct outcome outcome = read_all(&bytes);
  assert_sequences(&outcome, "1 2");
  assert_loss(&outcome, 0, "a packet is damaged", 1, 8);
  tb_buffer_free(&bytes);
}

static void the_synchronisation_marker_ends_damage(void **state) {
  (void)state;
  static const unsigned char marker[] = {0x82, 0x47, 0x7a, 0x76, 0xb2, 0x8d, 0x42, 0xba,
                                         0x81, 0xdc, 0x33, 0x32, 0x6d, 0x57, 0xa0, 0x79};
  struct tb_buffer bytes = new_trace();
  add_event(&bytes, 1);
  add(&bytes, "\x07\x07", 2);
  add(&bytes, marker, sizeof(marker));
  add_packet(&bytes, "\x5a\x02\x48\x03", 4); /* it names no sequence, so that nothing else tells it */
  struct outcome outcome = read_all(&bytes);
  assert_sequences(&outcome, "1 0");
  assert_int_equal(outcome.packets[1].offset, 26);
  assert_loss(&outcome, 0, "damaged bytes between packets", 1, 8);
  tb_buffer_free(&bytes);
}

static void a_packet_over_the_limit_is_passed_over(void **state) {
  (void)state;
  struct tb_buffer bytes = new_trace();
  char large[200] = {0x50, 9};
  large[2] = (char)0xba; /* sys_stats would be 0x3a; this is field 7 with a long tag */
  large[3] = 0x00;
  large[4] = (char)0xc2;
  large[5] = 0x01;
  add_event(&bytes, 1);
  add_packet(&bytes, large, sizeof(large));
  add_event(&bytes, 2);
  struct tb_reader_options options = {.size = sizeof(options), .max_record_bytes = 100};
  for (size_t step = 1; step < 300; step += 50) {
    struct outcome outcome = read_with(&bytes, step, &options);
    assert_sequences(&outcome, "1 2");
    assert_int_equal(outcome.loss_count, 1);
    assert_loss(&outcome, 0, "a packet is longer than the limit", 1, 8);
  }
  tb_buffer_free(&bytes);
}

static void a_wrong_length_over_the_limit_hides_nothing(void **state) {
  (void)state;
  struct tb_buffer bytes = new_trace();
  add_event(&bytes, 1);
  add(&bytes, "\x0a\x90\x01\x50\x09", 5); /* 144 bytes would be up to within a packet */
  for (unsigned i = 0; i < 30; i++) add_event(&bytes, 2);
  struct tb_reader_options options = {.size = sizeof(options), .max_record_bytes = 100};
  for (size_t step = 1; step < 300; step += 50) {
    struct outcome outcome = read_with(&bytes, step, &options);
    assert_sequences(&outcome, "1 2 2 2 2 2 2 2 2 2 2 2 2 2 2 2 2 2 2 2 2 2 2 2 2 2 2 2 2 2 2");
    assert_int_equal(outcome.loss_count, 1);
    assert_loss(&outcome, 0, "a packet is longer than the limit", 1, 8);
  }
  tb_buffer_free(&bytes);
}

static void a_wrong_length_costs_one_packet(void **state) {
  (void)state;
  struct tb_buffer bytes = new_trace();
  add_event(&bytes, 1);
  add_event(&bytes, 2);
  add_event(&bytes, 3);
  add_event(&bytes, 4);
  bytes.data[9] = 0x70; /* more than there is */
  struct outcome outcome = read_all(&bytes);
  assert_sequences(&outcome, "1 3 4");
  assert_loss(&outcome, 0, "the trace ends in the middle of a packet", 1, 8);
  tb_buffer_free(&bytes);
}

static void strict_reading_fails_at_the_damage_with_its_offset(void **state) {
  (void)state;
  struct tb_buffer bytes = new_trace();
  add_event(&bytes, 1);
  add(&bytes, "\xff", 1);
  struct tb_reader_options options = {.size = sizeof(options), .strict = true};
  struct outcome outcome = read_with(&bytes, bytes.len, &options);
  assert_sequences(&outcome, "1");
  assert_int_equal(outcome.status, TB_BAD_DATA);
  assert_int_equal(outcome.error.code, TB_BAD_DATA);
  assert_int_equal(outcome.error.offset, 8);
  tb_buffer_free(&bytes);
}

/* ---- sequences --------------------------------------------------------------------------------------------------- */

static void packets_say_what_their_sequence_lost(void **state) {
  (void)state;
  struct tb_buffer bytes = new_trace();
  add_packet(&bytes, "\x50\x01\x68\x02", 4);             /* needs state, before any clear */
  add_packet(&bytes, "\x50\x01\x68\x01", 4);             /* clears */
  add_packet(&bytes, "\x50\x01\x68\x02", 4);             /* needs state, and has it */
  add_packet(&bytes, "\x50\x01\x68\x02\xd0\x02\x01", 7); /* after a loss */
  add_packet(&bytes, "\x50\x01\x68\x03", 4);             /* clears and needs */
  struct outcome outcome = read_all(&bytes);
  assert_int_equal(outcome.count, 5);
  const bool unreadable[] = {true, false, false, true, false};
  for (unsigned i = 0; i < 5; i++) {
    assert_int_equal(outcome.packets[i].unreadable, unreadable[i]);
    assert_int_equal(outcome.packets[i].lost_before, i == 3);
  }
  tb_buffer_free(&bytes);
}

/* An event name and the default clock of a sequence, what comes after a clear, and another sequence. */
static void interned_data_and_defaults_are_those_of_the_packets_sequence(void **state) {
  (void)state;
  struct tb_buffer bytes = new_trace();
  add_packet(&bytes,
             "\x50\x01\x68\x01\x62\x08\x12\x06\x08\x05\x12\x02"
             "ab\xda\x03\x03\xd0\x03\x06",
             20);
  add_packet(&bytes, "\x50\x02", 2);
  add_packet(&bytes, "\x50\x01\x68\x02", 4);
  add_packet(&bytes, "\x50\x01\x68\x01", 4);
  for (int keeps = 0; keeps < 2; keeps++) {
    const struct tb_reader_options options = {.size = sizeof(options), .keep_interned = keeps};
    const bool known[] = {keeps, false, keeps, false};
    struct tb_packet_reader *reader;
    const struct tb_packet *packet;
    struct tb_str entry;
    assert_int_equal(tb_packet_reader_create_feed("bytes", &options, &reader, NULL), TB_OK);
    assert_int_equal(tb_packet_reader_feed(reader, bytes.data, bytes.len), TB_OK);
    assert_false(tb_packet_interned(reader, TB_INTERNED_DATA_EVENT_NAMES, 5, &entry));
    for (size_t i = 0; i < 4; i++) {
      assert_int_equal(tb_packet_next(reader, &packet), TB_OK);
      assert_int_equal(tb_packet_interned(reader, TB_INTERNED_DATA_EVENT_NAMES, 5, &entry), known[i]);
      assert_int_equal(entry.len, known[i] ? 2 : 0);
      if (known[i]) assert_memory_equal(entry.ptr, "ab", 2);
      assert_false(tb_packet_interned(reader, TB_INTERNED_DATA_EVENT_NAMES, 6, &entry));
      assert_false(tb_packet_interned(reader, TB_INTERNED_DATA_EVENT_CATEGORIES, 5, &entry));
      assert_false(tb_packet_interned(reader, 9999, 5, &entry));
      assert_int_equal(tb_packet_defaults(reader).len, known[i] ? 3 : 0);
    }
    tb_packet_reader_close(reader);
  }
  assert_false(tb_packet_interned(NULL, 1, 1, NULL));
  assert_int_equal(tb_packet_defaults(NULL).len, 0);
  tb_buffer_free(&bytes);
}

static void a_fed_reader_takes_nothing_after_its_end_and_an_opened_one_nothing_at_all(void **state) {
  (void)state;
  struct tb_packet_reader *reader;
  const struct tb_packet *packet;
  assert_int_equal(tb_packet_reader_create_feed("bytes", NULL, &reader, NULL), TB_OK);
  assert_int_equal(tb_packet_next(reader, &packet), TB_AGAIN);
  tb_packet_reader_feed_end(reader);
  assert_int_equal(tb_packet_reader_feed(reader, "", 0), TB_INVALID);
  assert_int_equal(tb_packet_next(reader, &packet), TB_END);
  tb_packet_reader_close(reader);
  assert_int_equal(tb_packet_reader_open(TB_TEST_TRACES "/events.perfetto-trace", NULL, &reader, NULL), TB_OK);
  assert_int_equal(tb_packet_reader_feed(reader, "x", 1), TB_INVALID);
  assert_int_equal(tb_packet_next(reader, &packet), TB_OK);
  tb_packet_reader_close(reader);
  struct tb_error error = {0};
  assert_int_equal(tb_packet_reader_open("/no such file", NULL, &reader, &error), TB_IO);
  assert_null(reader);
  assert_int_equal(error.code, TB_IO);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(each_packet_comes_with_its_sequence_kind_and_offset),
      cmocka_unit_test(unknown_fields_groups_and_long_varints_are_read_over),
      cmocka_unit_test(pieces_of_any_size_give_the_same_packets),
      cmocka_unit_test(a_packet_larger_than_any_window_is_read_whole),
      cmocka_unit_test(compressed_packets_come_in_the_place_of_theirs),
      cmocka_unit_test(compressed_packets_in_compressed_packets_are_refused),
      cmocka_unit_test(damaged_compressed_packets_give_what_can_be_read),
      cmocka_unit_test(packets_that_decompress_past_the_limit_are_cut),
      cmocka_unit_test(by_frames_alone_the_same_packets_come_in_the_same_places),
      cmocka_unit_test(a_trace_cut_anywhere_gives_every_packet_before_the_cut),
      cmocka_unit_test(reading_goes_on_at_the_next_packet_behind_damaged_bytes),
      cmocka_unit_test(a_long_packet_behind_damaged_bytes_is_found),
      cmocka_unit_test(packets_without_sequences_are_found_where_two_say_when_they_are),
      cmocka_unit_test(a_packet_that_is_no_message_is_left_out_alone),
      cmocka_unit_test(the_synchronisation_marker_ends_damage),
      cmocka_unit_test(a_packet_over_the_limit_is_passed_over),
      cmocka_unit_test(a_wrong_length_over_the_limit_hides_nothing),
      cmocka_unit_test(a_wrong_length_costs_one_packet),
      cmocka_unit_test(strict_reading_fails_at_the_damage_with_its_offset),
      cmocka_unit_test(packets_say_what_their_sequence_lost),
      cmocka_unit_test(interned_data_and_defaults_are_those_of_the_packets_sequence),
      cmocka_unit_test(a_fed_reader_takes_nothing_after_its_end_and_an_opened_one_nothing_at_all),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
