/* SPDX-License-Identifier: Apache-2.0
 *
 * A verification in progress, and its parts: what packets say, what events say as they come, and what slices and flows
 * say in the order of time.
 */
#ifndef TB_TOOLBOX_VERIFY_VERIFIER_H
#define TB_TOOLBOX_VERIFY_VERIFIER_H

#include "base/losses.h"
#include "base/map.h"
#include "inspect/recorder_losses.h"
#include "shape/shaper.h"
#include "tracebridge/verify.h"

struct tb_finding_tally {
  uint64_t count, first_offset;
};

/* The packet that described a track. */
struct tb_verify_descriptor {
  uint64_t uuid, parent, offset;
  int64_t pid, tid;
  uint32_t machine;
  uint8_t kind;    /* of enum tb_track_type */
  bool is_in_loop; /* it was found to be */
  bool has_parent;
};

/* A clock of a machine, as the last snapshot of one sequence read it: those of several come in no order of time. */
struct tb_verify_clock {
  uint32_t machine, sequence, id;
  int64_t last, offset; /* ns; less that of the machine's first clock in the same snapshot */
  bool has_offset;
};

/* What has been of a flow so far. */
struct tb_verify_flow {
  uint64_t points, first_offset;
  bool began, ended; /* by events that say so, or by coming again */
};

/* What is open on a track. */
struct tb_verify_slice {
  int64_t end; /* INT64_MAX: not known */
  uint64_t id, offset;
};

/* Of a track of the shaper's. */
struct tb_verify_track {
  struct tb_verify_slice *open;
  size_t count, capacity;
};

/* Of a track of the reader's. */
struct tb_verify_use {
  const struct tb_track *track; /* NULL: not used */
  uint64_t first_offset;
};

struct tb_verifier {
  struct tb_verification result; /* first, so that tb_verification_free finds it */
  const struct tb_allocator *allocator;
  struct tb_arena arena; /* what the result points to */
  struct tb_finding_tally tallies[TB_FINDS_COUNT];
  struct tb_error *error;

  struct tb_recorder_losses recorder;
  uint64_t stats_offset; /* of the last packet that counts what was lost */
  uint64_t kernel_stats_offset;
  struct tb_verify_descriptor *descriptors;
  size_t descriptor_count, descriptor_capacity;
  struct tb_map by_uuid; /* uuid, machine -> place in descriptors */
  struct tb_verify_clock *clocks;
  size_t clock_count, clock_capacity;

  struct tb_verify_use *uses; /* by index of the reader's track */
  size_t use_count;
  bool has_shaper;
  size_t memory_budget;
  const char *temporary_directory;
  struct tb_shaper shaper; /* brings slices and flows into the order of time */
  struct tb_losses unpaired;
  struct tb_verify_track *tracks; /* by index of the shaper's track */
  size_t track_count;
  struct tb_map flow_places;
  struct tb_flow_edges flow_ids;
  struct tb_verify_flow *flows;
  size_t flow_count, flow_capacity;
};

/* Counts a finding `count` times, first at `offset`. */
void tb_verifier_find_many(struct tb_verifier *v, enum tb_finding_code code, uint64_t count, uint64_t offset);
static inline void tb_verifier_find(struct tb_verifier *v, enum tb_finding_code code, uint64_t offset) {
  tb_verifier_find_many(v, code, 1, offset);
}

/* What a packet says that the reader, which keeps interned data, gave just now. TB_OK or TB_NO_MEMORY. */
TB_MUST_CHECK enum tb_status tb_verify_packet(struct tb_verifier *v, const struct tb_packet_reader *packets,
                                              const struct tb_packet *packet);
/* What they say together, once all were seen, and events too. */
void tb_verify_packets_end(struct tb_verifier *v);

/* What an event says; what slices and flows do is kept for the end. `source`: what its format means. TB_OK,
 * TB_NO_MEMORY or TB_IO. */
TB_MUST_CHECK enum tb_status tb_verify_event(struct tb_verifier *v, const struct tb_source_traits *source,
                                             const struct tb_event *event);

/* What slices and flows do in the order of time. TB_OK, TB_NO_MEMORY or TB_IO. */
TB_MUST_CHECK enum tb_status tb_verify_slices(struct tb_verifier *v);
void tb_verify_slices_free(struct tb_verifier *v);

/* Which finding a reader's loss is. */
enum tb_finding_code tb_finding_of_loss(const struct tb_loss *loss);

#endif
