/* SPDX-License-Identifier: Apache-2.0 */
#include "perfetto/clock/remote_clock_sync.h"

#include "base/times.h"
#include "perfetto/clock/snapshot.h"
#include "protobuf/wire.h"
#include "protos/field_numbers.h"

struct remote_reading {
  uint32_t clock;
  int64_t ns;
};

struct remote_readings {
  struct remote_reading items[TB_REMOTE_SYNC_CLOCKS];
  size_t count;
};

/* Readings of the other machine, and those of the recording one right after them. */
struct sync_round {
  struct remote_readings client, host;
};

static enum tb_status read_snapshot(struct tb_str message, struct remote_readings *readings) {
  struct tb_wire_cursor cursor = tb_wire_cursor(message);
  struct tb_wire_field field;
  enum tb_status status;
  readings->count = 0;
  while ((status = tb_wire_read(&cursor, &field)) == TB_OK) {
    if (field.number != TB_CLOCK_SNAPSHOT_CLOCKS || field.type != TB_WIRE_BYTES) continue;
    if (readings->count == TB_REMOTE_SYNC_CLOCKS) continue;
    struct tb_snapshot_clock clock;
    status = tb_snapshot_clock_read(field.bytes, &clock);
    if (status != TB_OK) return status;
    readings->items[readings->count++] = (struct remote_reading){(uint32_t)clock.id, tb_snapshot_clock_ns(&clock)};
  }
  return status == TB_END ? TB_OK : TB_BAD_DATA;
}

static enum tb_status read_round(struct tb_str message, struct sync_round *round) {
  struct tb_wire_cursor cursor = tb_wire_cursor(message);
  struct tb_wire_field field;
  enum tb_status status;
  round->client.count = round->host.count = 0;
  while ((status = tb_wire_read(&cursor, &field)) == TB_OK) {
    if (field.type != TB_WIRE_BYTES) continue;
    if (field.number == TB_REMOTE_CLOCK_SYNC_SYNCED_CLOCKS_CLIENT_CLOCKS)
      status = read_snapshot(field.bytes, &round->client);
    else if (field.number == TB_REMOTE_CLOCK_SYNC_SYNCED_CLOCKS_HOST_CLOCKS)
      status = read_snapshot(field.bytes, &round->host);
    if (status != TB_OK) return status;
  }
  return status == TB_END ? TB_OK : TB_BAD_DATA;
}

static bool find(const struct remote_readings *readings, uint32_t clock, int64_t *ns) {
  for (size_t i = 0; i < readings->count; i++) {
    if (readings->items[i].clock != clock) continue;
    *ns = readings->items[i].ns;
    return true;
  }
  return false;
}

static int64_t middle(int64_t a, int64_t b) { return tb_wrap_add(a, tb_wrap_sub(b, a) / 2); }

/* Sums of what each pair of rounds says, and how many. */
struct sums {
  struct tb_remote_clock *clocks;
  int64_t terms[TB_REMOTE_SYNC_CLOCKS];
  size_t count;
};

static void add(struct sums *sums, uint32_t clock, int64_t first_ns, int64_t ahead) {
  size_t i = 0;
  while (i < sums->count && sums->clocks[i].id != clock) i++;
  if (i == TB_REMOTE_SYNC_CLOCKS) return;
  if (i == sums->count) {
    sums->clocks[sums->count++] = (struct tb_remote_clock){.id = clock, .ns = first_ns};
    sums->terms[i] = 0;
  }
  sums->clocks[i].ahead = tb_wrap_add(sums->clocks[i].ahead, ahead);
  sums->terms[i]++;
}

/* The machines read their clocks in turn: each reading but the outer ones is in the middle of two of the other's. */
static void add_rounds(struct sums *sums, const struct sync_round *first, const struct sync_round *second) {
  for (size_t i = 0; i < first->client.count; i++) {
    uint32_t clock = first->client.items[i].clock;
    int64_t c1 = first->client.items[i].ns, h1, c2, h2;
    if (!find(&first->host, clock, &h1) || !find(&second->client, clock, &c2) || !find(&second->host, clock, &h2))
      continue;
    add(sums, clock, c1, tb_wrap_sub(middle(c1, c2), h1));
    add(sums, clock, c1, tb_wrap_sub(c2, middle(h1, h2)));
  }
}

enum tb_status tb_remote_clock_sync_read(struct tb_str message, struct tb_remote_clock *clocks, size_t *count) {
  struct sync_round rounds[2];
  struct sums sums = {.clocks = clocks};
  struct tb_wire_cursor cursor = tb_wire_cursor(message);
  struct tb_wire_field field;
  enum tb_status status;
  size_t read = 0;
  *count = 0;
  while ((status = tb_wire_read(&cursor, &field)) == TB_OK) {
    if (field.number != TB_REMOTE_CLOCK_SYNC_SYNCED_CLOCKS || field.type != TB_WIRE_BYTES) continue;
    struct sync_round *round = &rounds[read % 2];
    if (read_round(field.bytes, round) != TB_OK) return TB_BAD_DATA;
    if (read++) add_rounds(&sums, &rounds[read % 2], round);
  }
  if (status != TB_END) return TB_BAD_DATA;
  for (size_t i = 0; i < sums.count; i++) clocks[i].ahead /= sums.terms[i];
  *count = sums.count;
  return TB_OK;
}

/* ---- the other machine's clocks ---------------------------------------------------------------------------------- */

static enum tb_status add_round(struct tb_clock_graph *graph, struct tb_str round, const struct tb_sync_origin *origin,
                                size_t *refused) {
  struct tb_wire_cursor cursor = tb_wire_cursor(round);
  struct tb_wire_field field;
  while (tb_wire_read(&cursor, &field) == TB_OK) {
    struct tb_snapshot snapshot;
    if (field.number != TB_REMOTE_CLOCK_SYNC_SYNCED_CLOCKS_CLIENT_CLOCKS || field.type != TB_WIRE_BYTES) continue;
    enum tb_status status = tb_snapshot_read(field.bytes, origin->sequence, &snapshot);
    if (status == TB_OK)
      status = tb_clock_graph_add(graph, origin->machine, snapshot.readings, snapshot.count, origin->trace_clock);
    if (status == TB_REFUSED || status == TB_BAD_DATA)
      ++*refused;
    else if (status != TB_OK)
      return status;
  }
  return TB_OK;
}

enum tb_status tb_remote_clock_sync_add(struct tb_clock_graph *graph, struct tb_str message,
                                        const struct tb_sync_origin *origin, size_t *refused) {
  struct tb_wire_cursor cursor = tb_wire_cursor(message);
  struct tb_wire_field field;
  *refused = 0;
  while (tb_wire_read(&cursor, &field) == TB_OK) {
    if (field.number != TB_REMOTE_CLOCK_SYNC_SYNCED_CLOCKS || field.type != TB_WIRE_BYTES) continue;
    enum tb_status status = add_round(graph, field.bytes, origin, refused);
    if (status != TB_OK) return status;
  }
  return TB_OK;
}
