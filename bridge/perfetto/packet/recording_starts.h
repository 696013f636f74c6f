/* SPDX-License-Identifier: Apache-2.0
 *
 * Where another recording begins in the same file: traces that were put one behind the other, as cat does, or as a
 * recorder does that appends to an earlier file. It is one where what a recording says once is said again, a uuid is
 * another one, a sequence has a first packet behind others, or clocks that count up read hours less. Traces of our own
 * writer start each sequence once, in a packet like nobody else's, and Dart's name their clock once.
 *
 * A first recording of which no service says anything is not kept apart from a second one that has all of it: that its
 * packets come behind events shows nothing, since in merged traces they are behind those of other inputs.
 */
#ifndef TB_PERFETTO_PACKET_RECORDING_STARTS_H
#define TB_PERFETTO_PACKET_RECORDING_STARTS_H

#include "base/map.h"
#include "perfetto/packet/packet_header.h"

enum { TB_RECORDING_UUID_MAX = 32 };
/* Which our own writer has descriptors on. */
enum { TB_DESCRIPTOR_SEQUENCE = 1 };

/* tb_recording_starts_init, then tb_recording_starts_free. */
struct tb_recording_starts {
  unsigned others;                  /* recordings behind the first, so far */
  char uuid[TB_RECORDING_UUID_MAX]; /* the trace_uuid of the current one, as it is encoded */
  size_t uuid_len;
  struct tb_map once;   /* machine and sequence, kind of packet -> 1: of what each recording says once */
  struct tb_map clocks; /* machine and sequence, clock -> its last reading */
};

void tb_recording_starts_init(struct tb_recording_starts *starts, const struct tb_allocator *allocator);
void tb_recording_starts_free(struct tb_recording_starts *starts);

/* Whether a packet of this kind may be one of those that recordings begin with. */
static inline bool tb_recording_may_open(uint32_t kind) {
  switch (kind) {
    case TB_TRACE_PACKET_CLOCK_SNAPSHOT:
    case TB_TRACE_PACKET_TRACE_UUID:
    case TB_TRACE_PACKET_TRACE_CONFIG:
    case TB_TRACE_PACKET_SYSTEM_INFO:
    case TB_TRACE_PACKET_SERVICE_EVENT:
    case TB_TRACE_PACKET_SYNCHRONIZATION_MARKER:
      return true;
    default:
      return false;
  }
}

/* Takes in a packet. *begins: another recording begins with it, or with those of its kind before it. TB_OK,
 * TB_NO_MEMORY. */
TB_MUST_CHECK enum tb_status tb_recording_starts_take(struct tb_recording_starts *starts,
                                                      const struct tb_packet_header *head, bool *begins);

/* Whether the packet is the one that starts a sequence in what our writer makes, and which comes once: its state is
 * cleared, and its own incremental clock starts at the time of the trace's clock. */
bool tb_recording_is_written_start(const struct tb_packet_header *head);

/* Whether a TracingServiceEvent says that the recording started. */
bool tb_service_event_says_started(struct tb_str service_event);
/* Whether it says that packets up to some time were all written, or are about to be: readers take no earlier events
 * behind such packets. */
bool tb_service_event_says_written(struct tb_str service_event);

/* Takes in that a packet is the first of its sequence; `seen`: which had packets before. *recording is the sequence's,
 * 0 at first. True: another recording began. */
bool tb_recording_starts_sequence(struct tb_recording_starts *starts, bool seen, uint8_t *recording);

#endif
