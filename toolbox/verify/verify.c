/* SPDX-License-Identifier: Apache-2.0
 *
 * Reads a trace once, as info does, and gathers what was found. Slices are looked at as they come, and once they turn
 * out to come in no order of time, sorted. Where what came before is not there any more to be sorted, the trace is read
 * again; one that can be read once only is shaped from the start.
 */
#include <string.h>

#include "base/error.h"
#include "base/options.h"
#include "inspect/trace_walk.h"
#include "toolbox/verify/verifier.h"

enum { LOSSES_MAX = 2 * TB_LOSSES_MAX };

struct verify_reading {
  struct tb_verifier *v;
  struct tb_trace_walk walk;
  enum tb_verify_way way; /* what an earlier reading found */
  bool has_events;
};

void tb_verifier_find_many(struct tb_verifier *v, enum tb_finding_code code, uint64_t count, uint64_t offset) {
  struct tb_finding_tally *tally = &v->tallies[code];
  if (!tally->count || offset < tally->first_offset) tally->first_offset = offset;
  tally->count += count;
}

static enum tb_status no_memory(struct tb_error *error) {
  return tb_fail(error, TB_NO_MEMORY, TB_NO_OFFSET, "out of memory");
}

static void choose_way(struct verify_reading *r) {
  struct tb_verifier *v = r->v;
  r->has_events = true;
  bool can_open_again = tb_input_can_open_again(r->walk.input) && strcmp(tb_input_name(r->walk.input), "-") != 0;
  v->way = v->next_way = can_open_again ? r->way : TB_VERIFY_SHAPED;
  v->has_log = v->way != TB_VERIFY_SHAPED;
  v->complete_first = r->walk.reader->ops->source.complete_first;
}

static enum tb_status take_event(void *ctx, const struct tb_event *event) {
  struct verify_reading *r = ctx;
  if (!r->has_events) choose_way(r);
  enum tb_status status = tb_verify_event(r->v, &r->walk.reader->ops->source, event);
  return status == TB_NO_MEMORY ? no_memory(r->v->error) : status;
}

static enum tb_status take_packet(void *ctx, const struct tb_packet *packet) {
  const struct verify_reading *r = ctx;
  enum tb_status status = tb_verify_packet(r->v, r->walk.packets, packet);
  return status == TB_NO_MEMORY ? no_memory(r->v->error) : status;
}

/* ---- the result -------------------------------------------------------------------------------------------------- */

/* What readers lost, in their own words: those of one finding side by side. Where packets or events said the same
 * already, it is not counted twice. */
static bool gather_losses(struct tb_verifier *v, const struct tb_trace_walk *walk, struct tb_loss *losses,
                          size_t counts[TB_FINDS_COUNT], const struct tb_loss *firsts[TB_FINDS_COUNT]) {
  struct tb_loss found[LOSSES_MAX];
  size_t count, placed = 0;
  tb_trace_walk_losses(walk, found, LOSSES_MAX, &count);
  for (unsigned code = 0; code < TB_FINDS_COUNT; code++) {
    bool is_known = v->tallies[code].count != 0;
    firsts[code] = &losses[placed];
    for (size_t i = 0; i < count; i++) {
      if (tb_finding_of_loss(&found[i]) != code) continue;
      losses[placed++] = found[i];
      counts[code]++;
      if (!is_known) tb_verifier_find_many(v, code, found[i].count, found[i].first_offset);
    }
  }
  return true;
}

/* Packets say better where another recording begins. */
static void gather_notes(struct tb_verifier *v, const struct tb_losses *notes) {
  for (size_t i = 0; !v->result.packets && i < notes->count; i++)
    if (strcmp(notes->entries[i].reason, TB_NOTE_ANOTHER_TRACE) == 0)
      tb_verifier_find_many(v, TB_FINDS_SECOND_TRACE, notes->entries[i].count, notes->entries[i].first_offset);
}

static enum tb_status gather(struct tb_verifier *v, const struct tb_trace_walk *walk) {
  size_t counts[TB_FINDS_COUNT] = {0};
  const struct tb_loss *firsts[TB_FINDS_COUNT];
  struct tb_loss *losses = tb_arena_alloc(&v->arena, LOSSES_MAX * sizeof(*losses));
  struct tb_finding *findings = tb_arena_alloc(&v->arena, TB_FINDS_COUNT * sizeof(*findings));
  struct tb_verification *result = &v->result;
  result->file = tb_arena_copy(&v->arena, tb_str_from(tb_input_name(walk->input)));
  if (!losses || !findings || !result->file.ptr) return TB_NO_MEMORY;
  gather_notes(v, &walk->reader->notes);
  gather_losses(v, walk, losses, counts, firsts);
  result->format = tb_trace_walk_format(walk);
  result->findings = findings;
  for (int level = TB_FINDING_ERROR; level >= TB_FINDING_WARNING; level--)
    for (unsigned code = 0; code < TB_FINDS_COUNT; code++) {
      const struct tb_finding_kind *kind = tb_finding_kind_of(code);
      const struct tb_finding_tally *tally = &v->tallies[code];
      if (!tally->count || (int)kind->level != level) continue;
      findings[result->finding_count++] =
          (struct tb_finding){kind, tally->count, tally->first_offset, firsts[code], counts[code]};
      result->error_count += level == TB_FINDING_ERROR;
      result->warning_count += level == TB_FINDING_WARNING;
    }
  return TB_OK;
}

/* ---- the reading ------------------------------------------------------------------------------------------------- */

static enum tb_status verify(struct verify_reading *r, const char *path, const struct tb_verify_options *options,
                             struct tb_error *error) {
  const struct tb_trace_visitor visitor = {.event = take_event,
                                           .packet = take_packet,
                                           .ctx = r,
                                           .progress = options->progress,
                                           .progress_ctx = options->progress_ctx,
                                           .system_as_events = true};
  struct tb_verifier *v = r->v;
  v->error = error;
  v->memory_budget = options->reader->memory_budget;
  v->temporary_directory = options->reader->temporary_directory;
  struct tb_reader_options reader = *options->reader;
  reader.keep_interned = true;
  tb_slice_log_init(&v->log, v->allocator, v->memory_budget, v->temporary_directory);
  enum tb_status status = tb_trace_walk(&r->walk, path, &reader, &visitor, error);
  if (status == TB_OK) status = tb_verify_take_waiting(v);
  if (status == TB_OK) status = v->way == TB_VERIFY_SHAPED ? tb_verify_slices(v) : TB_OK;
  if (status == TB_OK && v->way == TB_VERIFY_LOGGED) status = tb_verify_logged(v);
  if (status == TB_OK) tb_verify_streams_end(v);
  if (status == TB_OK) tb_verify_flows_end(v);
  if (status == TB_OK && r->walk.packets) tb_verify_packets_end(v);
  if (status == TB_OK) status = gather(v, &r->walk);
  return status == TB_NO_MEMORY ? no_memory(error) : status;
}

static struct tb_verifier *create(const struct tb_allocator *allocator) {
  struct tb_verifier *v = tb_calloc(allocator, sizeof(*v));
  if (!v) return NULL;
  v->allocator = allocator;
  tb_arena_init(&v->arena, allocator, 0);
  tb_recordings_init(&v->recordings, allocator);
  tb_merge_sequences_init(&v->sequences, allocator);
  tb_map_init(&v->last_readings, allocator);
  tb_map_init(&v->by_uuid, allocator);
  tb_map_init(&v->flow_places, allocator);
  tb_verify_async_init(v);
  tb_flow_edges_init(&v->flow_ids, allocator);
  return v;
}

/* Reads the trace, again where that takes another way. */
static enum tb_status verify_in_order(const char *path, const struct tb_verify_options *options,
                                      struct tb_verification **verification, struct tb_error *error) {
  const struct tb_allocator *allocator = options->reader->allocator;
  enum tb_status status;
  for (enum tb_verify_way way = TB_VERIFY_AS_THEY_COME;;) {
    struct verify_reading r = {.v = create(allocator), .walk = {.allocator = allocator}, .way = way};
    if (!r.v) return no_memory(error);
    status = verify(&r, path, options, error);
    bool again = status == TB_UNSUPPORTED && r.v->next_way != r.v->way;
    if (status != TB_OK && !again) tb_error_set_file(error, r.walk.input ? tb_input_name(r.walk.input) : path);
    tb_trace_walk_close(&r.walk);
    way = r.v->next_way;
    if (status == TB_OK)
      *verification = &r.v->result;
    else
      tb_verification_free(&r.v->result);
    if (!again) return status;
  }
}

enum tb_status tb_verify(const char *path, const struct tb_verify_options *options,
                         struct tb_verification **verification, struct tb_error *error) {
  struct tb_verify_options filled = {.size = sizeof(filled)};
  struct tb_reader_options reader = {.size = sizeof(reader)};
  struct tb_error own_error = {0};
  enum tb_status status = tb_check_open(path, verification, error);
  if (!verification) return status;
  *verification = NULL;
  if (status == TB_OK) status = tb_options_take(&filled, sizeof(filled), options, error);
  if (status == TB_OK) status = tb_options_take(&reader, sizeof(reader), filled.reader, error);
  if (status != TB_OK) return status;
  filled.reader = &reader;
  if (!reader.allocator) reader.allocator = tb_default_allocator();
  return verify_in_order(path, &filled, verification, error ? error : &own_error);
}

void tb_verification_free(struct tb_verification *verification) {
  if (!verification) return;
  struct tb_verifier *v = (struct tb_verifier *)verification;
  const struct tb_allocator *a = v->allocator;
  tb_verify_slices_free(v);
  tb_verify_streams_free(v);
  tb_verify_flows_free(v);
  tb_recordings_free(&v->recordings);
  tb_merge_sequences_free(&v->sequences);
  tb_map_free(&v->last_readings);
  tb_map_free(&v->by_uuid);
  tb_free(a, v->descriptors, v->descriptor_capacity * sizeof(*v->descriptors));
  tb_free(a, v->clocks, v->clock_capacity * sizeof(*v->clocks));
  tb_free(a, v->uses, v->use_count * sizeof(*v->uses));
  tb_arena_free(&v->arena);
  tb_free(a, v, sizeof(*v));
}
