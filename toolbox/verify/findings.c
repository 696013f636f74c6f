/* SPDX-License-Identifier: Apache-2.0
 *
 * What is known of each kind of finding. What the viewer makes of it was seen in Perfetto's trace processor 55.3:
 * tests/verify/engine.mjs looks again.
 */
#include <string.h>

#include "toolbox/verify/verifier.h"

/* In the order of the list. */
static const struct tb_finding_kind kinds[TB_FINDS_COUNT] = {
    [TB_FINDS_CUT] =
        {TB_FINDS_CUT, TB_FINDING_ERROR, "cut", "the input ends in the middle of something",
         "Perfetto: all before the cut is shown. JSON: an object that is not closed is refused.", "",
         "The recorder was killed, the disk was full, or a copy ended early. All before the cut can be read. What "
         "convert writes of it is whole again."},
    [TB_FINDS_DAMAGED] =
        {TB_FINDS_DAMAGED, TB_FINDING_ERROR, "damaged", "bytes that make no sense",
         "refuses the whole trace in most cases, and otherwise shows less than is there", "",
         "What is in front of the damage and behind it was read, as far as it can be found. Several writers in one "
         "file without a lock, a copy as text, or a defect of the recorder make such files. Times of a Perfetto trace "
         "that are written as differences are too early behind it, by those of the packets that are lost."},
    [TB_FINDS_LIMIT] = {TB_FINDS_LIMIT, TB_FINDING_ERROR, "limit", "something longer, deeper or more than is read",
                        "depends on what it is", "",
                        "A limit keeps hostile files from taking all memory. The reader's own words say which one."},
    [TB_FINDS_LEFT_OUT] = {TB_FINDS_LEFT_OUT, TB_FINDING_WARNING, "left_out",
                           "an event, or a part of one, that tracebridge does not read", "depends on what it is", "",
                           "The reader's own words say what it is and why. It would be missing in a conversion."},
    [TB_FINDS_SECOND_TRACE] =
        {TB_FINDS_SECOND_TRACE, TB_FINDING_WARNING, "second_trace", "another trace begins in the same file",
         "JSON: only the first is shown. Perfetto: both, as if they were one.", "",
         "Files were put one behind the other, as cat does, or a recorder appended to a file of before. Clocks, ids "
         "and sequences of the two have nothing to do with each other."},
    [TB_FINDS_STATE_MISSING] =
        {TB_FINDS_STATE_MISSING, TB_FINDING_ERROR, "state_missing",
         "packets that need what their sequence sent before, which is not there", "drops them",
         "packet_skipped_seq_needs_incremental_state_invalid fuchsia_invalid_string_ref",
         "A sequence sends names, defaults and clocks once, and refers to them later. The packets that had them were "
         "overwritten in a ring buffer, lost, or cut away. Packets after the next sequence_flags with "
         "SEQ_INCREMENTAL_STATE_CLEARED are whole again."},
    [TB_FINDS_INTERNED_MISSING] = {TB_FINDS_INTERNED_MISSING, TB_FINDING_ERROR, "interned_missing",
                                   "references to interned entries that were not sent",
                                   "shows the event without that name or text", "interned_data_tokenizer_errors",
                                   "The iid is not in the interned data of its sequence since its state was cleared. "
                                   "The producer did not send it, "
                                   "or a tool that cut the trace took it away."},
    [TB_FINDS_NO_SEQUENCE] = {TB_FINDS_NO_SEQUENCE, TB_FINDING_ERROR, "no_sequence",
                              "track events that are of no packet sequence", "drops them",
                              "track_event_missing_sequence_id",
                              "trusted_packet_sequence_id is not set. Whoever writes packets without the tracing "
                              "service has to set it, "
                              "to any number."},
    [TB_FINDS_CLOCK_UNKNOWN] =
        {TB_FINDS_CLOCK_UNKNOWN, TB_FINDING_ERROR, "clock_unknown",
         "times on a clock that nothing relates to the trace's", "drops the packets",
         "clock_sync_failure_unknown_source_clock clock_sync_failure_no_path",
         "No ClockSnapshot reads that clock together with one that leads to the trace's clock. The snapshots were lost "
         "with a ring buffer, or the producer uses a clock of its own without saying how it runs."},
    [TB_FINDS_CLOCK_BACKWARDS] =
        {TB_FINDS_CLOCK_BACKWARDS, TB_FINDING_ERROR, "clock_backwards",
         "a clock runs backwards from one snapshot to the next, or comes twice in one",
         "leaves the snapshot out where the trace's clock does, or one comes twice; else converts no times of the "
         "clock any more",
         "invalid_clock_snapshots clock_sync_failure_no_path",
         "Two recordings in one file, packets out of order, a machine that was resumed, or a wall clock that was set "
         "back. Snapshots of the same clocks of a machine are compared, whichever sequence they are on. Times near the "
         "place may be on the wrong side of it. repair leaves as few snapshots out as it takes."},
    [TB_FINDS_CLOCK_JUMP] = {TB_FINDS_CLOCK_JUMP, TB_FINDING_WARNING, "clock_jump",
                             "two clocks moved apart by more than 100 ms from one snapshot to the next",
                             "converts by each snapshot: times around it jump", "",
                             "A wall clock was set, or the machine slept: MONOTONIC does not run then, and "
                             "BOOTTIME does. Durations over "
                             "the place are right on one of the clocks only."},
    [TB_FINDS_NO_TIME] =
        {TB_FINDS_NO_TIME, TB_FINDING_ERROR, "no_time", "events without a time", "drops them",
         "track_event_missing_timestamp json_tokenizer_failure",
         "Of JSON the member ts is missing or no number, of Perfetto neither the packet nor the event has a timestamp. "
         "A conversion keeps them at the time of the event before."},
    [TB_FINDS_NEGATIVE_TIME] =
        {TB_FINDS_NEGATIVE_TIME, TB_FINDING_ERROR, "negative_time", "events before time 0", "drops them",
         "trace_sorter_negative_timestamp_dropped",
         "Times were made relative to an event that was not the first. merge --offset moves them."},
    [TB_FINDS_TRACK_TWO_MEANINGS] =
        {TB_FINDS_TRACK_TWO_MEANINGS, TB_FINDING_ERROR, "track_two_meanings",
         "a track is described again as another one", "keeps the first description, and events go there",
         "track_descriptor_conflicting_reservation",
         "Two descriptors of one uuid differ in more than the name: in process, thread, parent, or in being a counter. "
         "Uuids were reused, or traces were put together without changing them: merge changes them."},
    [TB_FINDS_TRACK_INCOMPLETE] =
        {TB_FINDS_TRACK_INCOMPLETE, TB_FINDING_ERROR, "track_incomplete",
         "a track descriptor lacks its uuid, pid or tid", "passes it over",
         "track_descriptor_missing_uuid track_descriptor_thread_missing_pid_tid track_descriptor_process_missing_pid",
         "A defect of the producer: without them events do not find the track."},
    [TB_FINDS_TRACK_UNDESCRIBED] =
        {TB_FINDS_TRACK_UNDESCRIBED, TB_FINDING_WARNING, "track_undescribed",
         "events on a track that nothing describes", "shows them on a track without process and name", "",
         "The descriptor was lost, or its uuid is computed in another way than that of the events."},
    [TB_FINDS_TRACK_LOOP] = {TB_FINDS_TRACK_LOOP, TB_FINDING_ERROR, "track_loop", "a track is above itself",
                             "drops the events on it", "track_event_track_hierarchy_loop",
                             "The parent_uuid of descriptors lead in a circle. A defect of the producer."},
    [TB_FINDS_PARENT_UNDESCRIBED] =
        {TB_FINDS_PARENT_UNDESCRIBED, TB_FINDING_ERROR, "parent_undescribed",
         "a track is below one that nothing describes", "drops the events on it", "track_hierarchy_missing_uuid",
         "The descriptor of parent_uuid was lost, or nobody wrote it. A conversion keeps the events."},
    [TB_FINDS_UNKNOWN_PHASE] =
        {TB_FINDS_UNKNOWN_PHASE, TB_FINDING_WARNING, "unknown_phase", "events of a phase (ph) that there is none of",
         "drops them", "",
         "The Trace Event Format has no such phase. A conversion to Perfetto makes instants of them."},
    [TB_FINDS_END_WITHOUT_BEGIN] = {TB_FINDS_END_WITHOUT_BEGIN, TB_FINDING_WARNING, "end_without_begin",
                                    "ends of slices that did not begin", "passes them over", "",
                                    "The begin was before the recording, or lost. In the order of time nothing that "
                                    "the end could be for is open on "
                                    "its track."},
    [TB_FINDS_BEGIN_WITHOUT_END] = {TB_FINDS_BEGIN_WITHOUT_END, TB_FINDING_WARNING, "begin_without_end",
                                    "slices that do not end", "shows them up to the end of the trace", "",
                                    "They were still running when the recording ended, or their end was lost."},
    [TB_FINDS_OVERLAP] =
        {TB_FINDS_OVERLAP, TB_FINDING_ERROR, "overlap",
         "slices that overlap another one of their track, neither in the other", "drops the later one",
         "slice_drop_overlapping_complete_event",
         "On one track slices must nest. Work of several things at a time needs a track (tid, or an id of async "
         "events) "
         "for each. convert puts such slices on tracks of their own; rounding of times to microseconds makes some."},
    [TB_FINDS_NEGATIVE_DURATION] =
        {TB_FINDS_NEGATIVE_DURATION, TB_FINDING_ERROR, "negative_duration", "slices that end before they begin",
         "drops them", "slice_negative_duration fuchsia_timestamp_overflow",
         "Begin and end were read from different clocks, or from one that was set back. A conversion makes them end "
         "where they begin."},
    [TB_FINDS_FLOW_WITHOUT_BEGIN] =
        {TB_FINDS_FLOW_WITHOUT_BEGIN, TB_FINDING_WARNING, "flow_without_begin",
         "steps or ends of flows that did not begin", "draws no arrow",
         "flow_end_without_start flow_step_without_start",
         "The begin was before the recording, was lost, or has another id, category or name."},
    [TB_FINDS_FLOW_WITHOUT_END] = {TB_FINDS_FLOW_WITHOUT_END, TB_FINDING_WARNING, "flow_without_end",
                                   "flows that begin and lead nowhere", "draws no arrow", "",
                                   "The other end is in another trace, which a merge with --share-flows would join, "
                                   "comes after the recording, or "
                                   "has another id."},
    [TB_FINDS_FLOW_WITHOUT_SLICE] =
        {TB_FINDS_FLOW_WITHOUT_SLICE, TB_FINDING_WARNING, "flow_without_slice", "flow events where no slice is open",
         "draws no arrow", "flow_no_enclosing_slice",
         "A flow joins slices: its events need the thread and a time within a slice there."},
    [TB_FINDS_COUNTER_NO_VALUE] = {TB_FINDS_COUNTER_NO_VALUE, TB_FINDING_ERROR, "counter_no_value",
                                   "counter events without a number", "drops them",
                                   "track_event_counter_missing_value json_parser_failure",
                                   "Of JSON no member of args is a number, of Perfetto counter_value is not set."},
    [TB_FINDS_COUNTER_NO_TRACK] = {TB_FINDS_COUNTER_NO_TRACK, TB_FINDING_ERROR, "counter_no_track",
                                   "counter values on a track that is no counter", "drops them",
                                   "track_event_counter_invalid_track_uuid",
                                   "The track's descriptor has no counter in it, or there is none."},
    [TB_FINDS_EVENTS_LOST] =
        {TB_FINDS_EVENTS_LOST, TB_FINDING_WARNING, "events_lost",
         "places where the recorder says that events were lost", "shows what there is", "",
         "The buffer between the program and the recorder was full, or the recorder overwrote what was not read yet: "
         "slices around the place may begin or end at wrong times. Bigger buffers, or fewer events."},
    [TB_FINDS_BUFFER_OVERWRITTEN] =
        {TB_FINDS_BUFFER_OVERWRITTEN, TB_FINDING_WARNING, "buffer_overwritten", "chunks of full buffers, written over",
         "shows what there is", "traced_buf_chunks_overwritten",
         "A ring buffer keeps the newest events: what was before them is gone, as is meant. A bigger buffer "
         "(buffers.size_kb) reaches back further."},
    [TB_FINDS_BUFFER_FULL] = {TB_FINDS_BUFFER_FULL, TB_FINDING_WARNING, "buffer_full",
                              "chunks that full buffers did not take", "shows what there is",
                              "traced_buf_chunks_discarded",
                              "A buffer with fill_policy DISCARD was full: what came later is missing."},
    [TB_FINDS_WRITER_DROPPED] =
        {TB_FINDS_WRITER_DROPPED, TB_FINDING_WARNING, "writer_dropped", "packets that their writers dropped",
         "shows what there is", "traced_buf_trace_writer_packet_loss",
         "A program wrote faster than the service read its shared memory buffer. A bigger one (shmem_size_hint_kb) "
         "helps."},
    [TB_FINDS_PATCHES_LATE] = {TB_FINDS_PATCHES_LATE, TB_FINDING_WARNING, "patches_late", "patches that came too late",
                               "shows what there is", "traced_patches_discarded",
                               "The chunk that a patch was for was overwritten before: the packet in it is lost."},
    [TB_FINDS_PACKETS_INVALID] = {TB_FINDS_PACKETS_INVALID, TB_FINDING_WARNING, "packets_invalid",
                                  "packets that the recorder found not valid", "shows what there is", "",
                                  "The service threw away what a producer wrote, since it was no packet."},
    [TB_FINDS_FLUSH_FAILED] = {TB_FINDS_FLUSH_FAILED, TB_FINDING_WARNING, "flush_failed", "flushes that failed",
                               "shows what there is", "traced_flushes_failed",
                               "A producer did not answer in time at the end: its last events may be missing."},
    [TB_FINDS_KERNEL_OVERWRITTEN] =
        {TB_FINDS_KERNEL_OVERWRITTEN, TB_FINDING_WARNING, "kernel_overwritten",
         "events of the kernel, written over before they were read", "shows what there is", "ftrace_cpu_overrun_delta",
         "ftrace's buffers were read too rarely for so many events: bigger ones (buffer_size_kb), or a shorter "
         "drain_period_ms."},
    [TB_FINDS_KERNEL_DROPPED] =
        {TB_FINDS_KERNEL_DROPPED, TB_FINDING_WARNING, "kernel_dropped", "events of the kernel that found no room",
         "shows what there is", "ftrace_cpu_dropped_events_delta",
         "ftrace's buffers were full: bigger ones (buffer_size_kb), or a shorter drain_period_ms."},
    [TB_FINDS_NO_ID] =
        {TB_FINDS_NO_ID, TB_FINDING_WARNING, "no_id", "events that join others by an id, and have none", "drops them",
         "json_parser_failure flow_invalid_id",
         "Async, flow and object events (ph b, n, e, s, t, f, N, O, D and their like) need the member id or id2. A "
         "conversion keeps them, each by itself."},
};

const struct tb_finding_kind *tb_finding_kind_of(enum tb_finding_code code) {
  return (unsigned)code < TB_FINDS_COUNT ? &kinds[code] : NULL;
}

const struct tb_finding_kind *tb_finding_kind_named(const char *name) {
  for (size_t i = 0; name && i < TB_FINDS_COUNT; i++)
    if (strcmp(kinds[i].name, name) == 0) return &kinds[i];
  return NULL;
}

/* ---- a reader's losses ------------------------------------------------------------------------------------------- */

enum tb_finding_code tb_finding_of_loss(const struct tb_loss *loss) {
  switch (loss->kind) {
    case TB_LOSS_CUT:
      return TB_FINDS_CUT;
    case TB_LOSS_DAMAGED:
      return TB_FINDS_DAMAGED;
    case TB_LOSS_LIMIT:
      return TB_FINDS_LIMIT;
    case TB_LOSS_CLOCK:
      return TB_FINDS_CLOCK_UNKNOWN;
    case TB_LOSS_CLOCK_BACKWARDS:
      return TB_FINDS_CLOCK_BACKWARDS;
    case TB_LOSS_STATE:
      return TB_FINDS_STATE_MISSING;
    case TB_LOSS_INTERNED_MISSING:
      return TB_FINDS_INTERNED_MISSING;
    case TB_LOSS_NO_TIME:
      return TB_FINDS_NO_TIME;
    case TB_LOSS_UNPAIRED:
      return TB_FINDS_END_WITHOUT_BEGIN;
    case TB_LOSS_NEGATIVE_DURATION:
      return TB_FINDS_NEGATIVE_DURATION;
    case TB_LOSS_COUNTER_NO_TRACK:
      return TB_FINDS_COUNTER_NO_TRACK;
    default:
      return TB_FINDS_LEFT_OUT;
  }
}
