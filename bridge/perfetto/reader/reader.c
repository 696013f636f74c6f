/* SPDX-License-Identifier: Apache-2.0 */
#include "perfetto/reader/reader.h"

#include "base/error.h"
#include "model/tracks.h"
#include "perfetto/packet/packet_detect.h"
#include "perfetto/packet/packet_kinds.h"
#include "perfetto/reader/importers.h"
#include "perfetto/reader/track_event_fields.h"
#include "protos/perfetto/gpu.pb-c.h"
#include "protos/perfetto/track_event.pb-c.h"

enum {
  WINDOW_BYTES = 64 * 1024,
  MOST_WINDOWS = 8, /* of a batch */
  ARGS_SLACK = 600,
  FEW_EVENTS = 16,
  ENOUGH_EVENTS = 400 /* a batch of them stays in the cache */,
  MOST_COUNTERS = 2 * TB_TRACK_EVENT_LIST_MAX
};

static const char LOSS_UNREADABLE[] = "packets without the incremental state that they need";
static const char LOSS_CLOCK[] = "timestamps on a clock that nothing relates to the trace clock";
static const char LOSS_PAYLOAD[] = "a packet's payload is damaged";
static const char LOSS_MISFITS[] = "packets with fields of a wire type that their message does not know";
static const char LOSS_INTERNED[] = "references to interned entries that were not sent";
static const char NOTE_SAME_PID[] = "a process whose pid another one has is taken for one of a made-up pid";

/* ---- what the modules share -------------------------------------------------------------------------------------- */

static enum tb_status lose(void *ctx, const char *reason, uint64_t offset) {
  return tb_reader_lose(ctx, reason, offset);
}

/* Bytes of unknown packets: of which sequences they were, nobody knows. */
static enum tb_status lose_packets(void *ctx, const char *reason, uint64_t offset) {
  struct tb_reader *reader = ctx;
  struct tb_perfetto_reader *r = reader->state;
  bool is_cut = tb_loss_kind_of(reason) == TB_LOSS_CUT;
  if (is_cut) {
    r->cut_at = offset;
    r->stream.resumed = false;
  } else if (tb_clock_graph_has_differences(&r->state.clocks)) {
    tb_reader_note(reader, TB_NOTE_DIFFERENCES, offset);
  }
  return tb_reader_lose(reader, reason, offset);
}

/* At the end: what seemed to be a cut was a length that is damaged, and packets followed. */
static void note_false_cut(struct tb_perfetto_reader *r) {
  if (r->cut_at == TB_NO_OFFSET || !r->stream.resumed || !tb_clock_graph_has_differences(&r->state.clocks)) return;
  tb_reader_note(r->reader, TB_NOTE_DIFFERENCES, r->cut_at);
  r->cut_at = TB_NO_OFFSET;
}

enum tb_status tb_perfetto_lose(struct tb_perfetto_reader *r, const char *reason) {
  return tb_reader_lose(r->reader, reason, r->head.offset);
}

void *tb_perfetto_alloc(struct tb_perfetto_reader *r, size_t size) {
  void *p = tb_arena_alloc(&r->batch->arena, size);
  if (!p) r->out_of_memory = true;
  return p;
}

static struct tb_event *spare_event(struct tb_perfetto_reader *r) {
  r->spare = (struct tb_event){0};
  return &r->spare;
}

struct tb_event *tb_perfetto_emit(struct tb_perfetto_reader *r, enum tb_event_type type) {
  struct tb_event *event;
  if (r->full) return spare_event(r);
  if (r->emitted < r->given) {
    event = spare_event(r);
  } else {
    event = tb_batch_add_event(r->batch);
    if (!event) {
      r->full = r->batch->event_count > 0;
      r->out_of_memory = !r->full;
      return spare_event(r);
    }
  }
  r->emitted++;
  event->type = type;
  event->sequence = r->head.sequence;
  event->offset = r->head.offset;
  if (r->context.has_ts) {
    event->has = TB_HAS_TS;
    event->ts = r->context.ts;
  }
  return event;
}

/* A process whose machine is known by a label only is emitted with its first thread or counter. */
static struct tb_perfetto_track *labelled_process(struct tb_perfetto_reader *r, const struct tb_perfetto_track *track) {
  enum tb_track_type type = track->track.type;
  const struct tb_track *process = type == TB_TRACK_THREAD || type == TB_TRACK_COUNTER ? track->track.parent : NULL;
  return process && process->type == TB_TRACK_PROCESS && tb_track_get_details(process)->label_count
             ? tb_tracks_at(&r->tracks, process->index)
             : NULL;
}

/* Not counted among the packet's events: when the packet is read again, tracks that were emitted stay emitted. */
void tb_perfetto_emit_track(struct tb_perfetto_reader *r, struct tb_perfetto_track *track) {
  if (track->emitted || r->full) return;
  struct tb_perfetto_track *process = labelled_process(r, track);
  if (process) tb_perfetto_emit_track(r, process);
  struct tb_event *event = tb_batch_add_event(r->batch);
  if (!event) {
    r->full = r->batch->event_count > 0;
    r->out_of_memory = !r->full;
    return;
  }
  event->type = TB_EVENT_TRACK;
  event->track = &track->track;
  event->sequence = r->head.sequence;
  event->offset = r->head.offset;
  track->emitted = true;
}

void tb_perfetto_lose_interned(struct tb_perfetto_reader *r) {
  tb_reader_count_loss(r->reader, LOSS_INTERNED, r->head.offset);
}

struct tb_perfetto_track *tb_perfetto_process(struct tb_perfetto_reader *r, int64_t pid) {
  struct tb_perfetto_track *track = tb_tracks_process(&r->tracks, pid, r->head.machine);
  if (!track) r->out_of_memory = true;
  return track;
}

/* Whether the kernel says a thread for the first time that Linux has numbered a process by. */
static bool is_new_main_thread(struct tb_perfetto_reader *r, const struct tb_perfetto_track *thread) {
  return !thread->emitted && !thread->track.has_pid && thread->track.tid && !thread->name_rank &&
         r->head.kind == TB_TRACE_PACKET_FTRACE_EVENTS &&
         tb_tracks_has_process(&r->tracks, thread->track.tid, r->head.machine);
}

struct tb_perfetto_track *tb_perfetto_thread(struct tb_perfetto_reader *r, const int64_t *pid, int64_t tid) {
  struct tb_perfetto_track *track = tb_tracks_thread(&r->tracks, pid, tid, r->head.machine);
  if (!pid && track && is_new_main_thread(r, track)) track = tb_tracks_thread(&r->tracks, &tid, tid, r->head.machine);
  bool looks = track && !pid && tid && !track->track.has_pid && r->reader->target.threads_placed;
  if (looks && tb_perfetto_look_ahead(r)) track = tb_tracks_thread(&r->tracks, NULL, tid, r->head.machine);
  if (!track) r->out_of_memory = true;
  return track;
}

static int64_t packet_time(const struct tb_perfetto_reader *r) { return r->context.has_ts ? r->context.ts : r->latest; }

void tb_perfetto_name_track_by(struct tb_perfetto_reader *r, struct tb_perfetto_track *track, struct tb_str name,
                               struct tb_name_source by) {
  if (name.len && tb_tracks_set_name(&r->tracks, track, name, by) != TB_OK) r->out_of_memory = true;
}

void tb_perfetto_name_track(struct tb_perfetto_reader *r, struct tb_perfetto_track *track, struct tb_str name,
                            enum tb_name_rank rank) {
  tb_perfetto_name_track_by(r, track, name, (struct tb_name_source){.rank = (uint8_t)rank, .ts = packet_time(r)});
}

/* Once, however often the packet is read. */
static enum tb_status lose_misfits(struct tb_perfetto_reader *r) {
  return r->given ? TB_OK : tb_perfetto_lose(r, LOSS_MISFITS);
}

enum tb_status tb_perfetto_unpack(struct tb_perfetto_reader *r, const ProtobufCMessageDescriptor *type,
                                  struct tb_str bytes, ProtobufCMessage **message) {
  bool misfits = false;
  enum tb_status status = tb_message_read(&r->batch->arena, type, bytes, message, &misfits);
  if (status == TB_NO_MEMORY) r->out_of_memory = true;
  return status == TB_OK && misfits ? lose_misfits(r) : status;
}

/* ---- looking ahead ----------------------------------------------------------------------------------------------- */

static enum tb_status ignore_loss(void *ctx, const char *reason, uint64_t offset) {
  (void)ctx;
  (void)reason;
  (void)offset;
  return TB_OK;
}

static void look_at_packet(struct tb_perfetto_reader *r, const struct tb_packet_header *head) {
  struct tb_perfetto_track *track;
  enum tb_status status = TB_OK;
  if (head->kind == TB_TRACE_PACKET_TRACK_DESCRIPTOR) {
    status = tb_tracks_describe(&r->tracks, head->payload, head->machine, head->sequence, INT64_MIN, true, &track);
  } else if (head->kind == TB_TRACE_PACKET_EXTENSION_DESCRIPTOR) {
    status = tb_descriptor_pool_add_extensions(&r->schema, head->payload);
  } else if (head->kind == TB_TRACE_PACKET_PROCESS_TREE && r->reader->target.threads_placed) {
    status = tb_perfetto_look_at_process_tree(r, head);
  }
  if (status == TB_NO_MEMORY) r->out_of_memory = true;
}

/* Of each sequence, by its number, whether its state is whole where the look ahead is. There may be a million. */
struct valid_sequences {
  void *valid; /* bools */
  size_t capacity;
};

/* Packets count that the main pass will read: others want state that was lost. */
static enum tb_status is_readable(struct tb_perfetto_reader *r, struct valid_sequences *sequences,
                                  const struct tb_packet_header *head, bool *readable) {
  uint32_t number;
  size_t before = sequences->capacity;
  if (!tb_trace_state_number(&r->state, head->sequence, head->machine, &number)) return TB_NO_MEMORY;
  enum tb_status status = tb_grow_array(r->allocator, &sequences->valid, &sequences->capacity, (size_t)number + 1,
                                        sizeof(bool), (size_t)UINT32_MAX + 1);
  if (status != TB_OK) return status;
  bool *valid = sequences->valid;
  memset(valid + before, 0, (sequences->capacity - before) * sizeof(*valid));
  *readable = tb_packet_finds_state(head, &valid[number]);
  return TB_OK;
}

static enum tb_status look_through(struct tb_perfetto_reader *r, struct tb_packet_tokenizer *stream,
                                   struct valid_sequences *sequences, tb_perfetto_look look) {
  struct tb_buffer window;
  tb_buffer_init(&window, r->allocator, 0);
  enum tb_status status = TB_OK;
  for (bool goes_on = true; goes_on && !r->out_of_memory;) {
    status = tb_packet_tokenizer_collect(stream);
    if (status == TB_OK) status = tb_buffer_reserve(&window, stream->needed + TB_BATCH_TEXT_BYTES);
    if (status == TB_OK) status = tb_packet_tokenizer_refill(stream, window.data, window.capacity);
    goes_on = status == TB_OK;
    struct tb_packet_header head = {.bytes = {NULL, 0}};
    while (status == TB_OK && (status = tb_packet_tokenizer_next(stream, &head)) == TB_OK) {
      bool readable = false;
      status = is_readable(r, sequences, &head, &readable);
      if (status == TB_OK && readable) look(r, &head);
    }
    goes_on = goes_on && status == TB_AGAIN; /* the window is used up */
  }
  tb_buffer_free(&window);
  return status;
}

bool tb_perfetto_look_at_packets(struct tb_perfetto_reader *r, tb_perfetto_look look) {
  const struct tb_input *source = tb_input_to_read_again(r->reader->input);
  if (!source) return false;
  struct tb_input *input;
  struct tb_error ignored = {0};
  if (tb_input_open_again(source, r->reader->allocator, &input, &ignored) != TB_OK) return false;
  struct tb_packet_tokenizer stream;
  tb_packet_tokenizer_init(&stream, r->allocator, input, r->reader->options.max_record_bytes, ignore_loss, NULL,
                           &ignored);
  struct valid_sequences sequences = {NULL, 0};
  (void)look_through(r, &stream, &sequences, look); /* the main pass meets the same end and reports it */
  tb_free(r->allocator, sequences.valid, sequences.capacity * sizeof(bool));
  tb_packet_tokenizer_free(&stream);
  tb_input_close(input);
  return true;
}

/* Descriptors may come after the events that use them. Where the input is a file it is read to its end once, as soon
 * as an event asks for a type, a track or one above it that is not described yet; tracks of what cannot be read
 * twice are completed later by TB_EVENT_TRACK. */
bool tb_perfetto_look_ahead(struct tb_perfetto_reader *r) {
  if (r->looked_ahead) return false;
  r->looked_ahead = true;
  return tb_perfetto_look_at_packets(r, look_at_packet);
}

struct tb_perfetto_track *tb_perfetto_find_track(struct tb_perfetto_reader *r, uint64_t uuid) {
  struct tb_perfetto_track *track = tb_tracks_by_uuid(&r->tracks, uuid, r->head.machine, r->head.sequence);
  if (track && !r->looked_ahead && !tb_tracks_is_placed(track) && tb_perfetto_look_ahead(r)) {
    track = tb_tracks_by_uuid(&r->tracks, uuid, r->head.machine, r->head.sequence);
  }
  if (!track) r->out_of_memory = true;
  return track;
}

/* ---- packets ----------------------------------------------------------------------------------------------------- */

enum tb_status tb_perfetto_track_descriptor(struct tb_perfetto_reader *r, struct tb_str payload) {
  struct tb_perfetto_track *track;
  enum tb_status status =
      tb_tracks_describe(&r->tracks, payload, r->head.machine, r->head.sequence, packet_time(r), false, &track);
  if (r->tracks.renumbered > r->renumbered) tb_reader_note(r->reader, NOTE_SAME_PID, r->head.offset);
  r->renumbered = r->tracks.renumbered;
  if (status == TB_NO_MEMORY) r->out_of_memory = true;
  if (status == TB_OK && r->tracks.misfits) status = lose_misfits(r);
  if (status != TB_OK) return status;
  tb_perfetto_emit_track(r, track);
  struct tb_sequence_state *sequence = r->context.sequence;
  if (sequence->valid && track->track.type == TB_TRACK_THREAD && track->track.has_pid && track->track.has_tid) {
    sequence->has_thread = true; /* the thread of events without a track, as if by a ThreadDescriptor */
    if (tb_sequence_set_ids(&r->state, sequence, track->track.pid, track->track.tid) != TB_OK) r->out_of_memory = true;
  }
  return TB_OK;
}

void tb_perfetto_pass_bytes(struct tb_perfetto_reader *r, struct tb_str packet) {
  struct tb_event *event = tb_perfetto_emit(r, TB_EVENT_PACKETS);
  event->name = tb_packet_kind_name(r->head.kind);
  event->has |= TB_HAS_NAME;
  event->blob = packet;
}

void tb_perfetto_pass_packet(struct tb_perfetto_reader *r) {
  bool has_state = r->head.interned_count || r->head.has_defaults;
  if (r->head.kind == 0 && !(has_state && r->reader->target.packets)) return; /* nothing, or state alone */
  tb_perfetto_pass_bytes(
      r, (struct tb_str){r->head.start, (size_t)(r->head.bytes.ptr + r->head.bytes.len - r->head.start)});
}

static enum tb_status read_payload(struct tb_perfetto_reader *r) {
  enum tb_status status;
  if (r->head.kind == TB_TRACE_PACKET_TRACK_EVENT) {
    status = tb_perfetto_track_event(r, r->head.payload); /* most packets: not looked for */
  } else {
    const struct tb_payload_importer *importer = tb_perfetto_find_importer(r->head.kind);
    if (!importer) {
      if (r->reader->target.recorder_members) return tb_perfetto_whole_packet(r, r->head.payload);
      tb_perfetto_pass_packet(r);
      return TB_OK;
    }
    r->importer_state = importer->state ? tb_perfetto_state_of(r, importer->state) : NULL;
    if (importer->state && !r->importer_state) return TB_OK;
    status = importer->import(r, r->head.payload);
  }
  return status == TB_BAD_DATA && r->reader->error.code == TB_OK ? tb_perfetto_lose(r, LOSS_PAYLOAD) : status;
}

static void emit_loss(struct tb_perfetto_reader *r) {
  struct tb_perfetto_track *track = tb_perfetto_default_track(r);
  if (!track) track = tb_perfetto_find_track(r, 0);
  if (track) tb_perfetto_emit(r, TB_EVENT_DATA_LOSS)->track = &track->track;
}

/* The current packet is not the trace's own: the target gets it as it was. */
static enum tb_status return_packet(struct tb_perfetto_reader *r) {
  r->context = (struct tb_packet_context){0};
  r->emitted = 0;
  r->full = false;
  enum tb_status status = tb_perfetto_return_packet(r);
  if (r->out_of_memory) return tb_trace_state_full(&r->state, r->head.offset);
  if (r->full) tb_packet_tokenizer_back(&r->stream, &r->head);
  return status == TB_BAD_DATA ? tb_perfetto_lose(r, LOSS_PAYLOAD) : status;
}

static enum tb_status lose_unusable(struct tb_perfetto_reader *r) {
  if (r->context.unreadable) return tb_perfetto_lose(r, LOSS_UNREADABLE);
  return r->context.clock_lost ? tb_perfetto_lose(r, LOSS_CLOCK) : TB_OK;
}

/* A packet may be read several times, until there is room for what it gives. */
static enum tb_status note_start(struct tb_perfetto_reader *r) {
  bool begins, begins_again = false;
  if (r->given || (!r->head.opened && r->start_offset == r->head.offset + 1)) return TB_OK;
  r->start_offset = r->head.offset + 1;
  enum tb_status status = tb_recording_starts_take(&r->recordings, &r->head, &begins);
  if (r->head.first)
    begins_again =
        tb_recording_starts_sequence(&r->recordings, r->context.begins_again, &r->context.sequence->recording);
  if (begins || begins_again) tb_reader_note(r->reader, TB_NOTE_ANOTHER_TRACE, r->head.offset);
  return status;
}

static enum tb_status read_packet(struct tb_perfetto_reader *r) {
  if (r->head.fxt_origin.ptr && r->reader->target.fxt_blobs) return return_packet(r);
  if (r->given == 0) {
    enum tb_status status = tb_trace_state_apply(&r->state, &r->head, &r->context);
    if (status != TB_OK) return status;
    if (r->context.unusable) status = lose_unusable(r);
    if (status != TB_OK) return status;
    if (r->context.has_ts && r->context.ts > r->latest) r->latest = r->context.ts;
  }
  r->emitted = 0;
  r->full = false;
  if (r->head.first || (r->head.kind != TB_TRACE_PACKET_TRACK_EVENT && tb_recording_may_open(r->head.kind))) {
    enum tb_status status = note_start(r);
    if (status != TB_OK) return tb_trace_state_full(&r->state, r->head.offset);
  }
  if (r->context.lost_before) emit_loss(r);
  enum tb_status status = r->context.unusable ? TB_OK : read_payload(r);
  if (r->out_of_memory) return tb_trace_state_full(&r->state, r->head.offset);
  if (status != TB_OK) return status;
  r->given = r->full ? r->emitted : 0;
  if (r->full) tb_packet_tokenizer_back(&r->stream, &r->head);
  return TB_OK;
}

/* ---- batches ----------------------------------------------------------------------------------------------------- */

static enum tb_status no_memory(struct tb_perfetto_reader *r) {
  return tb_fail(&r->reader->error, TB_NO_MEMORY, r->head.offset, "out of memory");
}

static enum tb_status end_batch(struct tb_perfetto_reader *r) {
  r->batch_full = true;
  return TB_OK;
}

/* Ends the batch where it cannot take the packet's events and arguments. */
static enum tb_status make_room(struct tb_perfetto_reader *r, struct tb_batch *batch) {
  size_t args = batch->arg_count + r->head.payload.len + ARGS_SLACK;
  /* a track event makes one event, a few about its track, and one for each of its counters and of JSON's flows */
  size_t events = FEW_EVENTS + (r->head.payload.len < MOST_COUNTERS ? r->head.payload.len : MOST_COUNTERS);
  if (r->head.interned_count && r->head.kind != TB_TRACE_PACKET_TRACK_EVENT) args += r->head.interned.len;
  if (r->head.json_flow_count) {
    args += r->head.bytes.len;
    events += r->head.json_flow_count;
  }
  if (batch->event_count >= ENOUGH_EVENTS) return end_batch(r);
  if (batch->event_count > 0 && batch->event_count + events > TB_BATCH_EVENTS) return end_batch(r);
  if (args <= batch->arg_capacity) return TB_OK;
  if (batch->event_count > 0) return end_batch(r);
  void *grown = batch->args;
  if (args < TB_BATCH_ARGS) args = TB_BATCH_ARGS;
  if (tb_grow_array(batch->allocator, &grown, &batch->arg_capacity, args, sizeof(struct tb_arg), SIZE_MAX / 64) !=
      TB_OK) {
    return no_memory(r);
  }
  batch->args = grown;
  return TB_OK;
}

/* The window stays for as long as the batch is used, where events of the batch point into it. */
static void keep_window(struct tb_perfetto_reader *r, const struct tb_batch *batch) {
  if (batch->event_count == r->events_before_window) return;
  tb_read_buffers_keep(&r->windows, r->reader->fills);
  r->events_before_window = batch->event_count;
  r->windows_kept++;
}

/* Reads on into another window. A packet that is longer than windows are gets a batch of its own, and memory once
 * those before are used up: the batch ends before. */
static enum tb_status next_window(struct tb_perfetto_reader *r, struct tb_batch *batch) {
  bool is_long = r->stream.needed > WINDOW_BYTES;
  keep_window(r, batch);
  if (batch->event_count > 0 && (is_long || r->windows_kept >= MOST_WINDOWS)) return end_batch(r);
  enum tb_status status = is_long ? tb_packet_tokenizer_collect(&r->stream) : tb_packet_tokenizer_release(&r->stream);
  if (status != TB_OK) return status;
  if (is_long) tb_reader_wait(r->reader);
  size_t size = r->stream.needed > WINDOW_BYTES ? r->stream.needed : WINDOW_BYTES;
  char *to = tb_read_buffers_next(&r->windows, size, is_long ? r->reader->fills - 1 : r->reader->used_up);
  if (!to) return no_memory(r);
  return tb_packet_tokenizer_refill(&r->stream, to, size);
}

/* Importers give out what they still have when there are no more packets. */
static enum tb_status end_importers(struct tb_perfetto_reader *r, struct tb_batch *batch) {
  if (!r->importer_memory) return TB_END;
  r->head = (struct tb_packet_header){.offset = r->head.offset};
  r->context = (struct tb_packet_context){0};
  r->given = r->emitted = 0;
  r->full = false;
  enum tb_status status = make_room(r, batch);
  if (status != TB_OK || r->batch_full) return status;
  tb_perfetto_end_importers(r);
  if (r->out_of_memory) return tb_trace_state_full(&r->state, TB_NO_OFFSET);
  return r->full ? end_batch(r) : TB_END;
}

/* TB_OK: go on, unless the batch is full; TB_END and TB_AGAIN: the input has no more. */
static enum tb_status fill_step(struct tb_perfetto_reader *r, struct tb_batch *batch) {
  if (r->tracks.count >= TB_MANY_TRACKS) tb_prefetcher_step(&r->prefetcher, &r->stream, &r->state, &r->tracks);
  enum tb_status status = tb_packet_tokenizer_next(&r->stream, &r->head);
  if (status == TB_AGAIN) {
    status = next_window(r, batch);
    if (status != TB_END) return status;
    note_false_cut(r);
    return end_importers(r, batch);
  }
  if (status != TB_OK) return status;
  r->reader->has_read = true;
  status = make_room(r, batch);
  if (r->batch_full) {
    tb_packet_tokenizer_back(&r->stream, &r->head);
    return status;
  }
  if (status == TB_OK) status = read_packet(r);
  if (batch->event_count > 0) r->stream.max_junk = 0;
  return status == TB_OK && r->full ? end_batch(r) : status;
}

static enum tb_status fill(struct tb_reader *reader, struct tb_batch *batch) {
  struct tb_perfetto_reader *r = reader->state;
  enum tb_status status = TB_OK;
  r->batch = batch;
  r->may_change_tracks = r->batch_full = false;
  r->events_before_window = r->windows_kept = 0;
  r->tracks.one_machine = reader->target.one_machine;
  r->tracks.unsigned_ids = reader->target.unsigned_ids;
  while (status == TB_OK && !r->batch_full) status = fill_step(r, batch);
  keep_window(r, batch);
  if ((status == TB_END || status == TB_AGAIN) && batch->event_count > 0) return TB_OK;
  if (status == TB_END && !reader->has_read) return tb_packet_tokenizer_end(&r->stream, &reader->losses);
  return status;
}

static void destroy(struct tb_reader *reader) {
  struct tb_perfetto_reader *r = reader->state;
  if (!r) return;
  tb_arena_free(&r->scratch);
  tb_perfetto_free_importers(r);
  tb_descriptor_pool_free(&r->schema);
  tb_tracks_free(&r->tracks);
  tb_trace_state_free(&r->state);
  tb_recording_starts_free(&r->recordings);
  tb_packet_tokenizer_free(&r->stream);
  tb_read_buffers_free(&r->windows);
  tb_free(r->allocator, r, sizeof(*r));
}

/* Once for each batch: the events that were given out before it are used up then. */
static void before_change(void *ctx) {
  struct tb_perfetto_reader *r = ctx;
  if (!r->may_change_tracks) tb_reader_wait(r->reader);
  r->may_change_tracks = true;
}

static enum tb_status create(struct tb_reader *reader) {
  struct tb_perfetto_reader *r = tb_calloc(reader->allocator, sizeof(*r));
  if (!r) return tb_fail(&reader->error, TB_NO_MEMORY, TB_NO_OFFSET, "out of memory");
  r->reader = reader;
  r->allocator = reader->allocator;
  r->latest = INT64_MIN;
  r->cut_at = TB_NO_OFFSET;
  tb_recording_starts_init(&r->recordings, reader->allocator);
  tb_packet_tokenizer_init(&r->stream, reader->allocator, reader->input, reader->options.max_record_bytes, lose_packets,
                           reader, &reader->error);
  r->stream.max_junk = reader->options.max_junk_bytes;
  tb_trace_state_init(&r->state, reader->allocator, reader->options.max_interned_bytes, lose, reader, &reader->error);
  tb_read_buffers_init(&r->windows, reader->allocator);
  tb_tracks_init(&r->tracks, &r->state.budget, &r->state.pool);
  r->tracks.first_index = reader->first_track;
  r->tracks.before_change = before_change;
  r->tracks.change_ctx = r;
  tb_arena_init(&r->scratch, reader->allocator, 0);
  tb_descriptor_pool_init(&r->schema, &r->state.budget, &r->state.pool);
  reader->state = r;
  size_t left = tb_limit_allocator_lift(&r->state.budget);
  r->types.track_event = tb_descriptor_pool_type(&r->schema, TB_STR("perfetto.protos.TrackEvent"));
  r->types.gpu_stage = tb_descriptor_pool_type(&r->schema, TB_STR("perfetto.protos.GpuRenderStageEvent"));
  r->types.annotation = tb_descriptor_pool_type(&r->schema, TB_STR("perfetto.protos.DebugAnnotation"));
  r->types.histogram_sample = tb_descriptor_pool_type(&r->schema, TB_STR("perfetto.protos.ChromeHistogramSample"));
  tb_limit_allocator_lower(&r->state.budget, left);
  if (r->types.track_event && r->types.gpu_stage && r->types.annotation && r->types.histogram_sample) return TB_OK;
  destroy(reader);
  reader->state = NULL;
  return tb_fail(&reader->error, TB_NO_MEMORY, TB_NO_OFFSET, "out of memory");
}

const struct tb_reader_ops tb_perfetto_reader_ops = {.format = TB_FORMAT_PERFETTO,
                                                     .create = create,
                                                     .fill = fill,
                                                     .destroy = destroy,
                                                     .detect = tb_packet_detect,
                                                     .runs_ahead = true,
                                                     .source = {.old_async = true, .names_tracks = true},
                                                     .is_packets = true};
