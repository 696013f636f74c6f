/* SPDX-License-Identifier: Apache-2.0
 *
 * Traces of several machines: clocks, and what places them.
 */
#include "support/merge_fixture.h"
#include "tracebridge/packet.h"

enum { CLIENT = 7, BOOTTIME = 6, MONOTONIC = 3 };

static struct msg trace;

static void add(uint32_t machine, struct msg packet) {
  put_uint(&packet, 10, machine + 1);
  if (machine) put_uint(&packet, 98, machine);
  put_msg(&trace, 1, &packet);
}

static void add_readings(uint32_t machine, struct msg readings) {
  struct msg packet = {.len = 0};
  put_msg(&packet, 6, &readings);
  add(machine, packet);
}

static void add_instant(uint32_t machine, uint64_t ts, uint32_t clock) {
  struct msg event = {.len = 0}, packet = {.len = 0};
  put_uint(&event, 9, 3);
  put_uint(&packet, 8, ts);
  if (clock) put_uint(&packet, 58, clock);
  put_msg(&packet, 11, &event);
  add(machine, packet);
}

/* Two rounds, 2 us apart, in which the client's clock reads `client` and the host's `host`. */
static void add_sync(uint64_t client, uint64_t host, const char *after) {
  struct msg sync = {.len = 0}, packet = {.len = 0};
  for (uint64_t at = 0; at < 4000; at += 2000) {
    struct msg round = {.len = 0};
    struct msg of_client = SNAPSHOT(0, BOOTTIME, client + at), of_host = SNAPSHOT(0, BOOTTIME, host + at + 1000);
    put_msg(&round, 2, &of_client);
    put_msg(&round, 3, &of_host);
    put_msg(&sync, 1, &round);
  }
  put_msg(&packet, 107, &sync);
  if (after) packet.data[packet.len - 1] = *after;
  add(CLIENT, packet);
}

/* The times of all packets with an event, in their order, and the first loss. */
static void expect(const int64_t *times, size_t count, const char *loss) {
  char path[64];
  write_file(path, sizeof(path), trace.data, trace.len);
  struct tb_packet_reader *reader;
  assert_int_equal(tb_packet_reader_open(path, NULL, &reader, NULL), TB_OK);
  const struct tb_packet *packet;
  size_t seen = 0, losses;
  while (tb_packet_next(reader, &packet) == TB_OK) {
    if (packet->kind != 11) continue;
    assert_true(seen < count);
    if (times[seen] < 0)
      assert_true(packet->clock_unknown);
    else
      assert_int_equal(packet->timestamp, times[seen]);
    seen++;
  }
  assert_int_equal(seen, count);
  const struct tb_loss *first = tb_packet_reader_losses(reader, &losses);
  assert_int_equal(losses, loss ? 1 : 0);
  if (loss) assert_string_equal(first->reason, loss);
  tb_packet_reader_close(reader);
  (void)unlink(path);
  trace.len = 0;
}
#define EXPECT(loss, ...) \
  expect((const int64_t[]){__VA_ARGS__}, sizeof((const int64_t[]){__VA_ARGS__}) / sizeof(int64_t), loss)

static void snapshots_of_each_machine_relate_its_own_clocks(void **state) {
  (void)state;
  add_readings(0, SNAPSHOT(BOOTTIME, BOOTTIME, 9000000, MONOTONIC, 8000000));
  add_readings(CLIENT, SNAPSHOT(BOOTTIME, BOOTTIME, 5000000, MONOTONIC, 1000000));
  add_readings(0, SNAPSHOT(BOOTTIME, BOOTTIME, 9100000, MONOTONIC, 8100000));
  add_instant(0, 8200000, MONOTONIC);
  add_instant(CLIENT, 1200000, MONOTONIC);
  add_instant(CLIENT, 5200000, 0);
  add_instant(CLIENT, 1, 5); /* neither has such a clock */
  EXPECT(NULL, 9200000, 5200000, 5200000, -1);
}

static void a_machine_without_snapshots_does_not_use_another_ones(void **state) {
  (void)state;
  add_readings(0, SNAPSHOT(BOOTTIME, BOOTTIME, 9000000, MONOTONIC, 8000000));
  add_instant(CLIENT, 8200000, MONOTONIC);
  add_instant(CLIENT, 8200000, 0);
  EXPECT(NULL, -1, 8200000);
}

static void a_sync_places_a_machine_from_there_on_and_a_later_one_anew(void **state) {
  (void)state;
  add_readings(CLIENT, SNAPSHOT(BOOTTIME, BOOTTIME, 5000000, MONOTONIC, 1000000));
  add_instant(CLIENT, 5100000, 0);
  add_sync(5200000, 9200000, NULL);
  add_instant(CLIENT, 5300000, 0);
  add_instant(CLIENT, 1300000, MONOTONIC);
  add_sync(5400000, 9400500, NULL);
  add_instant(CLIENT, 5500000, 0);
  add_instant(0, 9500000, 0);
  EXPECT(NULL, 5100000, 9300000, 9300000, 9500500, 9500000);
}

static void one_round_places_nothing(void **state) {
  (void)state;
  struct msg packet = {.len = 0}, sync = {.len = 0}, round = {.len = 0};
  struct msg client = SNAPSHOT(0, BOOTTIME, 5000000), host = SNAPSHOT(0, BOOTTIME, 9000000);
  put_msg(&round, 2, &client);
  put_msg(&round, 3, &host);
  put_msg(&sync, 1, &round);
  put_msg(&packet, 107, &sync);
  add(CLIENT, packet);
  add_instant(CLIENT, 5100000, 0);
  EXPECT(NULL, 5100000);
}

static void a_damaged_sync_is_a_loss_and_places_nothing(void **state) {
  (void)state;
  add_sync(5200000, 9200000, "\xff"); /* the last number of it does not end */
  add_instant(CLIENT, 5300000, 0);
  EXPECT("a remote clock sync is damaged", 5300000);
}

static void a_sync_that_is_damaged_far_in_is_a_loss_too(void **state) {
  (void)state;
  for (uint64_t clocks = 20; clocks <= 80; clocks += 60) { /* 64 are read */
    struct msg packet = {.len = 0}, sync = {.len = 0}, round = {.len = 0}, client = {.len = 0}, clock = {.len = 0};
    for (uint64_t i = 0; i < clocks; i++) {
      clock.len = 0;
      put_uint(&clock, 1, 200 + i);
      put_uint(&clock, 2, 1000);
      if (i == clocks - 1) clock.data[clock.len - 1] = '\xff';
      put_msg(&client, 1, &clock);
    }
    put_msg(&round, 2, &client);
    put_msg(&sync, 1, &round);
    put_msg(&packet, 107, &sync);
    add(CLIENT, packet);
    add_instant(CLIENT, 5300000, 0);
    EXPECT(clocks < 64 ? "a remote clock sync is damaged" : NULL, 5300000);
  }
}

static void a_damaged_snapshot_is_a_loss(void **state) {
  (void)state;
  struct msg readings = SNAPSHOT(BOOTTIME, BOOTTIME, 5000000, MONOTONIC, 1000000);
  readings.data[readings.len - 3] = '\xff'; /* of the primary clock's field; then its end is not there */
  readings.data[readings.len - 1] = '\xff';
  add_readings(0, readings);
  add_instant(0, 5300000, 0);
  EXPECT("a clock snapshot is damaged", 5300000);
}

static void a_machine_whose_trace_clock_runs_back_is_a_loss_of_that_machine_alone(void **state) {
  (void)state;
  add_readings(CLIENT, SNAPSHOT(BOOTTIME, BOOTTIME, 5000000, MONOTONIC, 1000000));
  add_readings(0, SNAPSHOT(BOOTTIME, BOOTTIME, 4000000, MONOTONIC, 1000000));
  add_readings(CLIENT, SNAPSHOT(BOOTTIME, BOOTTIME, 4500000, MONOTONIC, 1100000));
  add_instant(0, 1100000, MONOTONIC);
  add_instant(CLIENT, 1200000, MONOTONIC);
  EXPECT("the trace clock runs backwards in a clock snapshot", 4100000, 5200000);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(snapshots_of_each_machine_relate_its_own_clocks),
      cmocka_unit_test(a_machine_without_snapshots_does_not_use_another_ones),
      cmocka_unit_test(a_sync_places_a_machine_from_there_on_and_a_later_one_anew),
      cmocka_unit_test(one_round_places_nothing),
      cmocka_unit_test(a_damaged_sync_is_a_loss_and_places_nothing),
      cmocka_unit_test(a_sync_that_is_damaged_far_in_is_a_loss_too),
      cmocka_unit_test(a_damaged_snapshot_is_a_loss),
      cmocka_unit_test(a_machine_whose_trace_clock_runs_back_is_a_loss_of_that_machine_alone),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
