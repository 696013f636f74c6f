/* SPDX-License-Identifier: Apache-2.0
 *
 * Which fields of a TracePacket hold ids and times: a tree of field numbers, grown from two tables of paths.
 */
#ifndef TB_MERGE_REWRITE_REWRITE_FIELDS_H
#define TB_MERGE_REWRITE_REWRITE_FIELDS_H

#include "base/memory.h"

/* What a field holds. */
enum tb_field_kind {
  TB_FIELD_PLAIN,          /* nothing to us */
  TB_FIELD_MESSAGE,        /* a message that has such fields inside */
  TB_FIELD_SEQUENCE,       /* a packet sequence's id */
  TB_FIELD_UUID,           /* the uuid of a track that something happens on */
  TB_FIELD_TRACK,          /* the uuid of a track that is described, or of its parent */
  TB_FIELD_FLOW,           /* a flow's id, or another one that is of the whole trace */
  TB_FIELD_CLOCK,          /* a clock's id */
  TB_FIELD_SNAPSHOT,       /* a ClockSnapshot */
  TB_FIELD_SYNC,           /* a RemoteClockSync */
  TB_FIELD_PID,            /* a process id */
  TB_FIELD_TID,            /* a thread id */
  TB_FIELD_PROCESS_NAME,   /* text: the name of the process of the message's pid */
  TB_FIELD_DESCRIPTION,    /* text, which may end with a thread id: see docs/MAPPING.md */
  TB_FIELD_FTRACE_READING, /* ftrace_timestamp of a bundle: its clock at boot_timestamp */
  TB_FIELD_DELTA,          /* how long after its sequence's event before it an event is */
  TB_FIELD_TIME            /* a time: see tb_time_field */
};

enum tb_time_form {
  TB_TIME_VALUES,   /* one number, or several, packed or not */
  TB_TIME_OPTIONAL, /* one number, 0 where it is not known */
  TB_TIME_DELTAS    /* packed: the first is a time, the others are distances to the one before */
};

/* A time inside a packet's payload. The clock is that of enum tb_clock which the field is always on; TB_CLOCK_UNKNOWN:
 * the trace clock. */
struct tb_time_field {
  const char *name; /* path with names, as the public schema has it */
  uint16_t path[6]; /* field numbers from TracePacket on, 0 ends it */
  uint8_t clock;
  uint8_t form;  /* enum tb_time_form */
  uint32_t unit; /* ns of one count */
};

extern const struct tb_time_field tb_time_fields[];
extern const size_t tb_time_field_count;

/* An id inside a packet. */
struct tb_id_field {
  const char *name;
  uint16_t path[6];
  uint8_t kind; /* enum tb_field_kind */
};

extern const struct tb_id_field tb_id_fields[];
extern const size_t tb_id_field_count;

enum { TB_FIELD_NODES = 96, TB_FIELD_ONE_BYTE = 16 }; /* numbers below have a tag of one byte */

/* A message type at a place in the packet: what each field number is. */
struct tb_field_entry {
  uint8_t kind;
  uint8_t rule;  /* TB_FIELD_TIME: index in tb_time_fields */
  uint16_t node; /* TB_FIELD_MESSAGE: the node of the message */
};
struct tb_field_node {
  /* by number, up to the highest that is not plain; at least TB_FIELD_ONE_BYTE of them */
  struct tb_field_entry *fields;
  size_t count;
};

struct tb_field_tree {
  struct tb_field_node *nodes; /* nodes[0] is TracePacket */
  size_t count;
  uint8_t event_tags[256]; /* by the first byte of a track event's field: enum tb_field_pass */
};

/* How a field is passed over that is plain and has a tag of one byte; others are TB_FIELD_STOP. */
enum tb_field_pass { TB_FIELD_STOP, TB_FIELD_PASS_NUMBER, TB_FIELD_PASS_BYTES };

/* Grows the tree from both tables. TB_OK, TB_NO_MEMORY, TB_LIMIT. */
TB_MUST_CHECK enum tb_status tb_field_tree_grow(struct tb_field_tree *tree, const struct tb_allocator *allocator);
void tb_field_tree_free(struct tb_field_tree *tree, const struct tb_allocator *allocator);

static inline const struct tb_field_entry *tb_field_find(const struct tb_field_node *node, uint32_t number) {
  static const struct tb_field_entry plain = {TB_FIELD_PLAIN, 0, 0};
  return number < node->count ? &node->fields[number] : &plain;
}

enum { TB_PAYLOAD_KINDS = 256 };

/* Says of each payload kind (TracePacket's field number) whether it is known to hold no time of its own, or is in the
 * table. */
void tb_payload_times_known_all(uint8_t known[TB_PAYLOAD_KINDS]);

#endif
