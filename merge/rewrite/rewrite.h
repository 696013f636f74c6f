/* SPDX-License-Identifier: Apache-2.0
 *
 * Rewriting packets on the wire: ids and times of one input become those of the merged trace. What needs no change
 * keeps its bytes, whatever it is.
 */
#ifndef TB_MERGE_REWRITE_REWRITE_H
#define TB_MERGE_REWRITE_REWRITE_H

#ifdef __SSE2__
#include <emmintrin.h>
#endif

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

/* First bytes of tags: of TrackEvent.track_uuid; of its extra_counter_track_uuids and extra_double_counter_track_uuids,
 * whose second bytes are 1 and 2. */
enum {
  TB_REWRITE_TRACK_TAG = TB_WIRE_TAG(TB_TRACK_EVENT_TRACK_UUID, TB_WIRE_VARINT),
  TB_REWRITE_COUNTERS_TAG = TB_WIRE_TAG2(TB_TRACK_EVENT_EXTRA_COUNTER_TRACK_UUIDS, TB_WIRE_VARINT) & 0xff,
  TB_REWRITE_DOUBLES_TAG = TB_WIRE_TAG2(TB_TRACK_EVENT_EXTRA_DOUBLE_COUNTER_TRACK_UUIDS, TB_WIRE_VARINT) & 0xff
};

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

/* A bit for each of 16 bytes, lowest first, that a field with the uuid of a track may begin with: the first byte of
 * the tags of track_uuid, of a counter's uuids, and of track_uuid in two bytes. */
static TB_ALWAYS_INLINE unsigned tb_rewrite_find_uuids(const char *at) {
#ifdef __SSE2__
  __m128i v = _mm_loadu_si128((const __m128i *)(const void *)at);
  __m128i of_track = _mm_cmpeq_epi8(_mm_and_si128(v, _mm_set1_epi8(0x7f)), _mm_set1_epi8(TB_REWRITE_TRACK_TAG));
  __m128i packed = _mm_and_si128(v, _mm_set1_epi8((char)0xfd));
  __m128i of_counters = _mm_or_si128(_mm_cmpeq_epi8(packed, _mm_set1_epi8((char)TB_REWRITE_COUNTERS_TAG)),
                                     _mm_cmpeq_epi8(packed, _mm_set1_epi8((char)TB_REWRITE_DOUBLES_TAG)));
  return (unsigned)_mm_movemask_epi8(_mm_or_si128(of_track, of_counters));
#else
  unsigned found = 0;
  for (unsigned i = 0; i < 16; i++) {
    unsigned char c = (unsigned char)at[i], packed = c & 0xfd;
    found |= (unsigned)((c & 0x7f) == TB_REWRITE_TRACK_TAG || packed == TB_REWRITE_COUNTERS_TAG ||
                        packed == TB_REWRITE_DOUBLES_TAG)
             << i;
  }
  return found;
#endif
}

/* Whether the bytes at `at`, of those that tb_rewrite_find_uuids finds, may be a field with a uuid that is set. */
static TB_ALWAYS_INLINE bool tb_rewrite_may_be_uuid(const char *at, const uint64_t *uuids, uint64_t end_of_uuids) {
  unsigned char tag = (unsigned char)at[0], next = (unsigned char)at[1];
  uint64_t value;
  if (tag == TB_REWRITE_TRACK_TAG) {
    if ((tb_load32(at + 1) & 0x80808080) == 0x80808080) return false; /* of more than 28 bits */
    return !tb_wire_read_varint_ahead(at + 1, &value) || (value < end_of_uuids && uuids[value / 64] >> value % 64 & 1);
  }
  if (tag == (TB_REWRITE_TRACK_TAG | 0x80)) return (next & 0x7f) == 0;
  return (next & 0x7f) == ((tag & 0xfd) == TB_REWRITE_COUNTERS_TAG ? 1 : 2);
}

/* True if a quick look shows that a track event is on none of the tracks whose uuids are set in `uuids`, which are all
 * below `end_of_uuids`, that at most 2^28. It looks for bytes that could be such a field, wherever they are. False says
 * nothing. TB_PACKET_AHEAD bytes behind the event must be readable. */
static TB_ALWAYS_INLINE bool tb_rewrite_is_on_none(const uint64_t *uuids, uint64_t end_of_uuids, struct tb_str event) {
  for (size_t i = 0; i < event.len; i += 16) {
    unsigned found = tb_rewrite_find_uuids(event.ptr + i);
    if (event.len - i < 16) found &= (1u << (event.len - i)) - 1;
    for (; found; found &= found - 1)
      if (tb_rewrite_may_be_uuid(event.ptr + i + __builtin_ctz(found), uuids, end_of_uuids)) return false;
  }
  return true;
}

/* The new id, for what must agree with the packets. */
uint64_t tb_remap_uuid(const struct tb_remap *map, uint64_t uuid);
uint64_t tb_remap_flow(const struct tb_remap *map, uint64_t id);
uint32_t tb_remap_sequence(const struct tb_remap *map, uint32_t id);
uint32_t tb_remap_clock(const struct tb_remap *map, uint32_t machine, uint32_t clock);

#endif
