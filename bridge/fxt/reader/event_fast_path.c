/* SPDX-License-Identifier: Apache-2.0
 *
 * The records that FXT traces are made of: instants and durations without arguments, whose thread and texts are
 * references by index. They are read one after the other directly from the window; every other record is left to the
 * parser of its kind.
 */
#include "fxt/reader/reader.h"

enum { LONGEST = 3 * TB_FXT_WORD };

_Static_assert((int)TB_FXT_BATCH_EVENTS == 64 && (int)TB_BATCH_EVENTS >= 64, "plain_events has a bit for each event");

#define TYPE_AND_SIZE UINT64_C(0xffff)
#define EVENT_TYPE (UINT64_C(15) << 16)
#define ARGUMENT_COUNT (UINT64_C(15) << 20)
#define INLINE_TEXTS ((uint64_t)TB_FXT_INLINE << 32 | (uint64_t)TB_FXT_INLINE << 48)
#define HEAD(type, words) ((uint64_t)TB_FXT_EVENT | (words) << 4 | (uint64_t)(type) << 16)
#define NONE UINT64_MAX /* no header, so masked */

/* By event type, the only values that those bits of a plain record's header have. */
static const uint64_t heads[16] = {[TB_FXT_INSTANT] = HEAD(TB_FXT_INSTANT, 2),
                                   [TB_FXT_COUNTER] = NONE,
                                   [TB_FXT_DURATION_BEGIN] = HEAD(TB_FXT_DURATION_BEGIN, 2),
                                   [TB_FXT_DURATION_END] = HEAD(TB_FXT_DURATION_END, 2),
                                   [TB_FXT_DURATION_COMPLETE] = HEAD(TB_FXT_DURATION_COMPLETE, 3),
                                   [TB_FXT_DURATION_COMPLETE + 1] = NONE,
                                   NONE,
                                   NONE,
                                   NONE,
                                   NONE,
                                   NONE,
                                   NONE,
                                   NONE,
                                   NONE,
                                   NONE,
                                   NONE};

enum { AT_BEGIN = TB_FXT_WORD, AT_END = 2 * TB_FXT_WORD };

static const struct {
  enum tb_event_type type;
  uint32_t has;
  uintptr_t texts_kept;
  unsigned end_at; /* where in the record its last time is, which is its last word */
  char phase, scope;
} kinds[] = {
    [TB_FXT_INSTANT] = {TB_EVENT_INSTANT, TB_HAS_TS | TB_HAS_NAME, UINTPTR_MAX, AT_BEGIN, 'i', 't'},
    [TB_FXT_DURATION_BEGIN] = {TB_EVENT_SLICE_BEGIN, TB_HAS_TS | TB_HAS_NAME, UINTPTR_MAX, AT_BEGIN, 'B', '\0'},
    /* of the innermost slice, whatever name it says: so it gets none */
    [TB_FXT_DURATION_END] = {TB_EVENT_SLICE_END, TB_HAS_TS, 0, AT_BEGIN, 'E', '\0'},
    [TB_FXT_DURATION_COMPLETE] = {TB_EVENT_SLICE_COMPLETE, TB_HAS_TS | TB_HAS_DUR | TB_HAS_NAME, UINTPTR_MAX, AT_END,
                                  'X', '\0'},
};

/* Sees that every field of the batch's next events is zero but those that read_records sets, which sets all of them:
 * clearing a whole event takes longer than reading a record, and they are hardly ever used for anything else. False
 * without memory. */
static bool prepare_events(struct tb_fxt_reader *fx) {
  struct tb_batch *batch = fx->batch;
  size_t count = batch->event_count;
  uint64_t others = ~fx->plain_events >> count << count;
  for (; others; others &= others - 1) {
    batch->event_count = (size_t)__builtin_ctzll(others);
    bool added = tb_batch_add_event(batch) != NULL;
    batch->event_count = count;
    if (!added) return false;
  }
  fx->plain_events |= UINT64_MAX << count;
  return true;
}

static TB_ALWAYS_INLINE struct tb_str string_at(struct tb_fxt_string_page *const *pages, uint64_t index) {
  return pages[index / TB_FXT_PAGE_STRINGS]->strings[index % TB_FXT_PAGE_STRINGS];
}

static TB_ALWAYS_INLINE bool take_ns(const struct tb_fxt_rate *rate, bool in_ns, const char *at, int64_t *ns) {
  uint64_t ticks = tb_fxt_load(at);
  if (!in_ns) return tb_fxt_rate_ns(rate, ticks, ns);
  *ns = (int64_t)ticks;
  return ticks <= INT64_MAX;
}

/* Reads records from `at` on, up to the first that is not plain, or no good. Returns where it stopped. `in_ns`: ticks
 * are ns. */
static TB_ALWAYS_INLINE const char *read_records(struct tb_fxt_reader *fx, const char *at, const char *end,
                                                 bool in_ns) {
  const struct tb_fxt_provider *provider = fx->tables.provider;
  const struct tb_track *const *threads = provider->threads;
  struct tb_fxt_string_page *const *pages = provider->pages;
  const struct tb_fxt_rate rate = provider->rate;
  const uint32_t sequence = provider->id;
  struct tb_batch *batch = fx->batch;
  struct tb_event *event = batch->events + batch->event_count, *const full = batch->events + TB_FXT_BATCH_EVENTS;
  const uint64_t window_offset = fx->text_offset;
  const char *window = batch->text;
  for (; event < full && end - at >= LONGEST; event++) {
    uint64_t header = tb_fxt_load(at);
    unsigned type = (unsigned)tb_fxt_field(header, 16, 19);
    if ((header & (TYPE_AND_SIZE | EVENT_TYPE | ARGUMENT_COUNT | INLINE_TEXTS)) != heads[type]) break;
    const struct tb_track *thread = threads[tb_fxt_field(header, 24, 31)];
    struct tb_str category = string_at(pages, tb_fxt_field(header, 32, 47));
    struct tb_str name = string_at(pages, tb_fxt_field(header, 48, 63));
    int64_t ts, end_ts;
    const char *end_at = at + kinds[type].end_at;
    if (!thread || !category.ptr || !name.ptr || !take_ns(&rate, in_ns, at + TB_FXT_WORD, &ts) ||
        !take_ns(&rate, in_ns, end_at, &end_ts) || end_ts < ts)
      break;
    uintptr_t kept = kinds[type].texts_kept; /* a mask, for the types come in no order that a branch could foretell */
    category = (struct tb_str){(const char *)((uintptr_t)category.ptr & kept), category.len & kept};
    event->type = kinds[type].type;
    event->has = kinds[type].has | (category.len ? TB_HAS_CATEGORIES : 0u);
    event->phase = kinds[type].phase;
    event->instant_scope = kinds[type].scope;
    event->ts = ts;
    event->dur = end_ts - ts;
    event->track = thread;
    event->name = (struct tb_str){(const char *)((uintptr_t)name.ptr & kept), name.len & kept};
    event->categories = category;
    event->sequence = sequence;
    event->offset = window_offset + (uint64_t)(at - window);
    at = end_at + TB_FXT_WORD;
  }
  batch->event_count = (size_t)(event - batch->events);
  return at;
}

void tb_fxt_read_plain(struct tb_fxt_reader *fx) {
  const struct tb_fxt_provider *provider = fx->tables.provider;
  struct tb_batch *batch = fx->batch;
  bool may = !fx->skip && !fx->reader->watch.take && provider->threads && provider->pages &&
             fx->reader->options.max_record_bytes >= LONGEST && fx->text_len - fx->at >= LONGEST &&
             batch->event_count < TB_FXT_BATCH_EVENTS;
  if (!may || !prepare_events(fx)) return;
  const char *at = batch->text + fx->at, *end = batch->text + fx->text_len;
  bool in_ns = provider->rate.ticks_per_second == TB_FXT_NS_PER_SECOND;
  at = in_ns ? read_records(fx, at, end, true) : read_records(fx, at, end, false);
  fx->at = (size_t)(at - batch->text);
}
