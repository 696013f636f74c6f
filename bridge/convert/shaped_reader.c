/* SPDX-License-Identifier: Apache-2.0 */
#include "convert/shaped_reader.h"

#include "base/error.h"
#include "shape/shaper.h"

enum { IN_PLACE_AT_ONCE = 16 }; /* so many are still in the cache when they are given out */

static enum tb_status no_memory(struct tb_reader *reader) {
  return tb_fail(&reader->error, TB_NO_MEMORY, TB_NO_OFFSET, "out of memory");
}

/* What the events mean is known with the format. */
static enum tb_status open_shaper(struct tb_reader *reader) {
  reader->shaper = tb_alloc(reader->allocator, sizeof(*reader->shaper));
  if (!reader->shaper) return no_memory(reader);
  tb_shaper_init(reader->shaper, reader->allocator, &reader->ops->source, &reader->options, &reader->losses);
  return TB_OK;
}

/* The source's next event. */
static enum tb_status next_of_source(struct tb_reader *reader, struct tb_event **event) {
  enum tb_status status = TB_OK;
  reader->is_shaped = true;
  if (reader->next_event == reader->batch.event_count) {
    if (reader->shaper) tb_shaper_keep_names(reader->shaper);
    status = tb_reader_fill_own_batch(reader);
  }
  if (status == TB_OK && !reader->shaper) status = open_shaper(reader);
  if (status == TB_OK) *event = &reader->batch.events[reader->next_event++];
  return status;
}

/* With `sorted`: reads all that the source has. TB_OK once it has no more. */
static enum tb_status collect(struct tb_reader *reader) {
  struct tb_event *event;
  enum tb_status status;
  while ((status = next_of_source(reader, &event)) == TB_OK) {
    status = tb_shaper_collect(reader->shaper, event, &reader->error);
    if (status != TB_OK) return status;
  }
  return status == TB_END && reader->shaper ? TB_OK : status;
}

/* With a window: collects until an event is due. */
static enum tb_status put_in_window(struct tb_reader *reader) {
  struct tb_event *event;
  for (;;) {
    struct tb_shaper *shaper = reader->shaper;
    enum tb_status status = shaper ? tb_shaper_step(shaper, &reader->error) : TB_AGAIN;
    if (status != TB_AGAIN) return status;
    status = next_of_source(reader, &event);
    if (status == TB_OK) status = tb_shaper_collect(reader->shaper, event, &reader->error);
    if (status == TB_END && reader->shaper && !reader->shaper->window.ended) {
      reader->shaper->window.ended = true;
      status = TB_OK;
    }
    if (status != TB_OK) return status;
  }
}

static enum tb_status put_sorted(struct tb_reader *reader) {
  if (reader->options.sort_window_ns) return put_in_window(reader);
  struct tb_shaper *shaper = reader->shaper;
  enum tb_status status = TB_OK;
  if (!shaper || !shaper->collected) status = collect(reader);
  if (status != TB_OK) return status;
  shaper = reader->shaper;
  shaper->collected = true;
  return tb_shaper_step(shaper, &reader->error);
}

static enum tb_status put_next(struct tb_reader *reader) {
  struct tb_event *event;
  if (reader->options.sorted) return put_sorted(reader);
  enum tb_status status = next_of_source(reader, &event);
  return status == TB_OK ? tb_shaper_put(reader->shaper, event) : status;
}

/* What is there already, or in its place, without making more: NULL where more is to be made. */
static const struct tb_event *take_shaped(struct tb_reader *reader) {
  struct tb_shaper *shaper = reader->shaper;
  const struct tb_event *made = shaper ? tb_shaper_take(shaper) : NULL;
  if (made || !shaper || shaper->sorted || reader->next_event == reader->batch.event_count) return made;
  size_t left = reader->batch.event_count - reader->next_event;
  reader->next_event += tb_shaper_put_in_place(shaper, &reader->batch.events[reader->next_event],
                                               left < IN_PLACE_AT_ONCE ? left : IN_PLACE_AT_ONCE);
  return tb_shaper_take(shaper);
}

static enum tb_status next_shaped(struct tb_reader *reader, const struct tb_event **event) {
  if (reader->error.code != TB_OK) return reader->error.code;
  for (;;) {
    const struct tb_event *made = take_shaped(reader);
    if (made) {
      *event = made;
      return TB_OK;
    }
    struct tb_shaper *shaper = reader->shaper;
    if (shaper && shaper->ended) return TB_END;
    enum tb_status status = put_next(reader);
    if (status == TB_END && reader->shaper) {
      reader->shaper->ended = true;
      status = tb_shaper_end(reader->shaper);
    }
    if (status == TB_NO_MEMORY && reader->error.code == TB_OK) return no_memory(reader);
    if (status != TB_OK) return status;
  }
}

static enum tb_status next_as_it_is(struct tb_reader *reader, const struct tb_event **event) {
  if (reader->next_event == reader->batch.event_count) {
    enum tb_status status = tb_reader_fill_own_batch(reader);
    if (status != TB_OK) return status;
  }
  *event = &reader->batch.events[reader->next_event++];
  return TB_OK;
}

/* Whether the user asked for events of this type. */
static bool is_chosen(const struct tb_reader *reader, const struct tb_event *event) {
  const uint64_t types = reader->options.event_types;
  return !types || (types >> event->type & 1);
}

enum tb_status tb_reader_next_chosen(struct tb_reader *reader, const struct tb_event **event) {
  enum tb_status status;
  do status = reader->options.shape == TB_SHAPE_ONE ? next_shaped(reader, event) : next_as_it_is(reader, event);
  while (status == TB_OK && !is_chosen(reader, *event));
  return status;
}

/* What is there already: events of one source's event, or what is left of a batch. */
static const struct tb_event *take_ready(struct tb_reader *reader) {
  if (reader->options.shape == TB_SHAPE_ONE) return reader->error.code == TB_OK ? take_shaped(reader) : NULL;
  bool any = reader->next_event < reader->batch.event_count;
  return any ? &reader->batch.events[reader->next_event++] : NULL;
}

const struct tb_event *tb_reader_next_ready(struct tb_reader *reader) {
  const struct tb_event *event;
  do event = take_ready(reader);
  while (event && !is_chosen(reader, event));
  return event;
}

enum tb_status tb_reader_next_batch(struct tb_reader *reader, const struct tb_event **events, size_t most,
                                    size_t *count) {
  if (count) *count = 0;
  if (!reader || !events || !count || !most) return TB_INVALID;
  enum tb_status status = tb_reader_next(reader, &events[0]);
  if (status != TB_OK) return status;
  const struct tb_event *event;
  for (*count = 1; *count < most && (event = tb_reader_next_ready(reader));) events[(*count)++] = event;
  return TB_OK;
}

const struct tb_track *tb_reader_track(const struct tb_reader *reader, size_t index) {
  const struct tb_shaper *shaper = reader ? reader->shaper : NULL;
  return shaper && index < shaper->tracks.count ? &shaper->tracks.items[index]->track : NULL;
}

void tb_reader_put_back(struct tb_reader *reader) {
  if (reader->options.shape == TB_SHAPE_ONE)
    tb_shaper_put_back(reader->shaper);
  else
    reader->next_event--;
}

/* ---- processes and threads --------------------------------------------------------------------------------------- */

const struct tb_track *tb_reader_next_track(const struct tb_reader *reader, const struct tb_track *before,
                                            enum tb_track_type type) {
  const struct tb_track *track;
  for (size_t i = before ? (size_t)before->index + 1 : 0; (track = tb_reader_track(reader, i)); i++)
    if (track->type == type) return track;
  return NULL;
}

const struct tb_track *tb_reader_process(const struct tb_reader *reader, int64_t pid) {
  const struct tb_track *track = NULL;
  while ((track = tb_reader_next_track(reader, track, TB_TRACK_PROCESS)) && !(track->has_pid && track->pid == pid)) {
  }
  return track;
}

const struct tb_track *tb_reader_thread(const struct tb_reader *reader, int64_t tid) {
  const struct tb_track *track = NULL;
  while ((track = tb_reader_next_track(reader, track, TB_TRACK_THREAD)) && !(track->has_tid && track->tid == tid)) {
  }
  return track;
}

void tb_reader_free_shaper(struct tb_reader *reader) {
  if (!reader->shaper) return;
  tb_shaper_free(reader->shaper);
  tb_free(reader->allocator, reader->shaper, sizeof(*reader->shaper));
}
