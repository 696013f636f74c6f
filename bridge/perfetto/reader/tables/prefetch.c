/* SPDX-License-Identifier: Apache-2.0 */
#include "perfetto/reader/tables/prefetch.h"

/* The track that a track event names, where that is among its first fields; else 0. */
static uint64_t uuid_of(struct tb_str event) {
  struct tb_wire_cursor cursor = tb_wire_cursor(event);
  struct tb_wire_field field;
  for (int i = 0; i < 6 && tb_wire_read(&cursor, &field) == TB_OK; i++)
    if (field.number == TB_TRACK_EVENT_TRACK_UUID) return field.value;
  return 0;
}

/* Fetches what the ids lead to, as far as the maps' first places say so. */
static void fetch(const struct tb_prefetch_ids *ids, const struct tb_trace_state *state,
                  const struct tb_tracks *tracks) {
  uint32_t number;
  if (tb_index_map_probe(&state->sequence_table.numbers, ids->sequence, 0, &number)) {
    tb_prefetch(&state->sequence_table.keys[number], sizeof(*state->sequence_table.keys));
    if (number < tb_pages_room(&state->sequences))
      tb_prefetch(tb_pages_at(&state->sequences, number, sizeof(struct tb_sequence_state)),
                  sizeof(struct tb_sequence_state));
  }
  if (tb_index_map_probe(&tracks->by_uuid, ids->uuid, 0, &number))
    tb_prefetch(tb_tracks_at(tracks, number), sizeof(struct tb_perfetto_track));
}

/* Looks at one more packet; false where it is none that is as nearly all are. */
static bool look_at_next(struct tb_prefetcher *p, const struct tb_trace_state *state, const struct tb_tracks *tracks) {
  struct tb_common_packet packet;
  if (!tb_packet_cursor_take(&p->cursor, &packet)) return false;
  struct tb_prefetch_ids *ids = &p->ids[p->count++ % TB_PREFETCH_AHEAD];
  *ids = (struct tb_prefetch_ids){packet.head.sequence, uuid_of(packet.head.payload)};
  tb_index_map_prefetch(&state->sequence_table.numbers, ids->sequence, 0);
  tb_index_map_prefetch(&tracks->by_uuid, ids->uuid, 0);
  if (p->count > TB_PREFETCH_AHEAD / 2)
    fetch(&p->ids[(p->count - 1 - TB_PREFETCH_AHEAD / 2) % TB_PREFETCH_AHEAD], state, tracks);
  return true;
}

void tb_prefetcher_step(struct tb_prefetcher *p, const struct tb_packet_tokenizer *stream,
                        const struct tb_trace_state *state, const struct tb_tracks *tracks) {
  const struct tb_packet_window *window = &p->window;
  bool is_window = window->start == stream->start && window->end == stream->end && window->offset == stream->offset;
  if (is_window && p->cursor.at >= stream->at) {
    (void)look_at_next(p, state, tracks);
    return;
  }
  *p = (struct tb_prefetcher){.window = {.start = stream->start, .end = stream->end, .offset = stream->offset},
                              .cursor = tb_packet_tokenizer_open_cursor(stream)};
  while (p->count < TB_PREFETCH_AHEAD && look_at_next(p, state, tracks)) {
  }
}
