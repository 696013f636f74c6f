/* SPDX-License-Identifier: Apache-2.0
 *
 * Rewriting packets on the wire: ids and times of one input become those of the merged trace. What needs no change
 * keeps its bytes, whatever it is.
 */
#ifndef TB_MERGE_REWRITE_REWRITE_H
#define TB_MERGE_REWRITE_REWRITE_H

#include "base/map.h"
#include "merge/clocks/time_map.h"
#include "merge/rewrite/rewrite_fields.h"
#include "perfetto/packet/packet_header.h"
#include "perfetto/reader/tables/track_table.h"
#include "protobuf/message_patch.h"

/* What ids and times of an input become. Wholly public, caller-owned; read while packets are rewritten, but for the
 * counts. */
struct tb_remap {
  uint32_t active;                   /* bits 1 << enum tb_field_kind: kinds that anything changes for */
  uint32_t sequence_base;            /* added to sequence ids but 0 */
  const struct tb_map *sequences;    /* or, where not NULL: the new id of each */
  const struct tb_map *uuids;        /* uuids whose new one is not by the salt; NULL: none */
  uint64_t last_uuid, last_uuid_out; /* the uuid that was looked up last, and what came of it; 0: none */
  const struct tb_map *described;    /* uuids of tracks that are described as another than events on them go to */
  uint64_t uuid_salt;                /* 0: uuids stay */
  uint64_t flow_salt;                /* 0: flow ids stay */
  const struct tb_map *clocks;       /* new clock ids, by machine << 32 | clock; others stay */
  uint32_t trace_clock;              /* of the merged trace: what primary_trace_clock becomes; 0: stays */
  bool names_trace_clock;            /* snapshots that name no trace clock name it: readers would take BOOTTIME */
  uint32_t moved_clock;              /* snapshots: readings of this clock move with the input's time; 0: none */
  uint32_t added_clock;              /* snapshots get a reading of this clock more, ... */
  uint32_t added_from;               /* ... made of the reading of this one, where they have it; added_clock 0: none */
  /* A reading of a clock (TB_CLOCK_UNKNOWN: the input's trace clock) of a machine, ns. */
  int64_t (*time)(void *ctx, uint32_t machine, uint32_t clock, int64_t value);
  void *ctx;
  const struct tb_map *pid_added; /* to process and thread ids of a machine, by machine; NULL: they stay */
  const char *process_prefix;     /* in front of process names; NULL: none */
  bool ends_syncs; /* RemoteClockSyncs keep one round, which relates a machine's clocks and places it nowhere */
  uint64_t uuids_changed, flows_changed, clocks_changed, times_changed;
};

/* Which track events get a track: none; those whose track is 0, named so; those also that name none. */
enum tb_merge_track_rule { TB_TRACK_STAYS, TB_TRACK_FOR_ZERO, TB_TRACK_FOR_NONE };

/* What becomes of one packet's head. */
struct tb_merge_edit {
  uint32_t machine_in;
  bool set_timestamp, set_clock, set_machine, set_identity;
  bool drops_time;    /* a track event's own time is left out: the packet's timestamp says it */
  uint8_t track_rule; /* enum tb_merge_track_rule */
  uint64_t timestamp;
  uint32_t clock, machine;
  uint64_t identity; /* merge_identity of the packet; 0: it has none */
  uint64_t track;    /* the track_uuid that an event gets by the rule; never one with a legacy event */
};

/* Sets *patches to what changes in the packet, to nothing where it stays as it is. `fields` are those that
 * tb_packet_header_read_to_merge listed. A packet that is damaged inside keeps its bytes from the damage on. TB_OK,
 * TB_NO_MEMORY, TB_LIMIT. */
TB_MUST_CHECK enum tb_status tb_rewrite_packet(const struct tb_field_tree *tree, struct tb_remap *map,
                                               const struct tb_merge_edit *edit, struct tb_str packet,
                                               const struct tb_packet_fields *fields, struct tb_message_patch *patches);

/* True if a quick look shows that a track event holds nothing that changes, whatever the ids and times become: most
 * do not. False says nothing. TB_PACKET_AHEAD bytes behind the event must be readable. */
static TB_ALWAYS_INLINE bool tb_rewrite_leaves_event(const struct tb_field_tree *tree, struct tb_str event) {
  const char *at = event.ptr, *end = at + event.len;
  while (at < end) {
    unsigned pass = tree->event_tags[(unsigned char)*at];
    uint64_t value;
    if (pass == TB_FIELD_STOP) return false;
    at = tb_wire_read_varint_ahead(at + 1, &value);
    if (!at || at > end) return false;
    if (pass != TB_FIELD_PASS_BYTES) continue;
    if (value > (uint64_t)(end - at)) return false;
    at += value;
  }
  return true;
}

/* Passes over a varint; *value is its value where it has four bytes at most, else UINT64_MAX: larger ones are not
 * worth reading. TB_WIRE_VARINT_MAX bytes from `at` on can be read. */
static TB_ALWAYS_INLINE const char *tb_rewrite_pass_uuid(const char *at, uint64_t *value) {
  *value = UINT64_MAX;
  if ((tb_load32(at) & 0x80808080) != 0x80808080) return tb_wire_read_varint_ahead(at, value);
  uint64_t stops = ~tb_load64(at + 2) & UINT64_C(0x8080808080808080);
  return stops ? at + 2 + (__builtin_ctzll(stops) >> 3) + 1 : NULL;
}

/* True if a quick look shows that a track event is on none of the tracks whose uuids are set in `uuids`, which are all
 * below `end_of_uuids`, that at most 2^28. False says nothing. TB_PACKET_AHEAD bytes behind the event must be
 * readable. */
static TB_ALWAYS_INLINE bool tb_rewrite_is_on_none(const struct tb_field_tree *tree, const uint64_t *uuids,
                                                   uint64_t end_of_uuids, struct tb_str event) {
  const char *at = event.ptr, *end = at + event.len;
  while (at < end) {
    unsigned char tag = (unsigned char)*at++;
    unsigned pass = tree->event_tags[tag];
    uint64_t value;
    if (tag == TB_WIRE_TAG(TB_TRACK_EVENT_TRACK_UUID, TB_WIRE_VARINT)) {
      at = tb_rewrite_pass_uuid(at, &value);
      if (!at || at > end || (value < end_of_uuids && uuids[value / 64] >> value % 64 & 1)) return false;
      continue;
    }
    if (pass == TB_FIELD_STOP) { /* names and categories are such fields, other tracks are, too */
      unsigned number = (tag >> 3 & 15u) | (unsigned)(unsigned char)*at << 4, type = tag & 7;
      if (!(tag & 0x80) || (unsigned char)*at++ >= 0x80 || number == TB_TRACK_EVENT_EXTRA_COUNTER_TRACK_UUIDS ||
          number == TB_TRACK_EVENT_EXTRA_DOUBLE_COUNTER_TRACK_UUIDS ||
          (type != TB_WIRE_BYTES && type != TB_WIRE_VARINT))
        return false;
      pass = type == TB_WIRE_BYTES ? TB_FIELD_PASS_BYTES : TB_FIELD_PASS_NUMBER;
    }
    at = tb_wire_read_varint_ahead(at, &value);
    if (!at || at > end) return false;
    if (pass != TB_FIELD_PASS_BYTES) continue;
    if (value > (uint64_t)(end - at)) return false;
    at += value;
  }
  return true;
}

/* The new id, for what must agree with the packets. */
uint64_t tb_remap_uuid(const struct tb_remap *map, uint64_t uuid);
uint64_t tb_remap_flow(const struct tb_remap *map, uint64_t id);
uint32_t tb_remap_sequence(const struct tb_remap *map, uint32_t id);
uint32_t tb_remap_clock(const struct tb_remap *map, uint32_t machine, uint32_t clock);

#endif
