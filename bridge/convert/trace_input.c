/* SPDX-License-Identifier: Apache-2.0
 *
 * A container is read twice: first each member's first bytes are looked at, to choose the one that is a trace; then
 * that one is read. Members are ranked by how surely they are one; the highest rank counts, and has to have one member.
 * Two kinds of containers are known to have several, and which is meant:
 *
 *   a page         ftrace text of the kernel before what else the recorder put in; of several the first
 *   a bug report   the trace that was recorded for it, before others that were stored on the device
 */
#include "convert/trace_input.h"

#include <stdio.h>

#include "base/error.h"
#include "base/memory.h"
#include "convert/containers.h"
#include "convert/format_detect.h"
#include "convert/registry.h"
#include "io/path.h"

enum {
  DETECT_BYTES = 4096,
  DEPTH_MAX = 4,
  MEMBERS_MAX = 1 << 20,
  NAMES_SHOWN = 3,
  NAME_SHOWN = 64,
  NAME_LEN_MAX = 4096
};

static const struct tb_container_ops *const containers[] = {&tb_archive_container, &tb_page_container};
enum { CONTAINERS = sizeof(containers) / sizeof(containers[0]) };

static const struct tb_container_ops *find_container(const char *data, size_t len) {
  for (size_t i = 0; i < CONTAINERS; i++)
    if (containers[i]->detect(data, len)) return containers[i];
  return NULL;
}

/* ---- ranks ------------------------------------------------------------------------------------------------------- */

/* Of the members of a bug report, by their names. */
enum report_rank { NOT_OF_REPORT, SYSTRACE, STORED_TRACE, TRACE_OF_REPORT };

static bool starts(const char *text, const char *with) { return strncmp(text, with, strlen(with)) == 0; }

static bool ends(const char *text, const char *with) {
  size_t len = strlen(text), n = strlen(with);
  return len >= n && strcmp(text + len - n, with) == 0;
}

/* JSON of other programs begins like a trace. */
static bool has_events(const char *data, size_t len) {
  return memmem(data, len, "\"traceEvents\"", 13) || memmem(data, len, "\"ph\"", 4);
}

enum tb_trace_rank tb_trace_rank(const char *data, size_t len) {
  if (find_container(data, len)) return TB_RANK_HAS_TRACE_INSIDE;
  if (tb_registry_decoder(TB_FORMAT_UNKNOWN, data, len)) return TB_RANK_TRACE;
  enum tb_detection sure;
  const struct tb_format_entry *entry = tb_format_find(data, len, &sure);
  if (!entry) return TB_RANK_NO_TRACE;
  if (sure == TB_DETECT_POSSIBLE) return TB_RANK_PERHAPS_TRACE;
  if (entry->reader->source.system_text) return TB_RANK_KERNEL_TRACE;
  return sure > TB_DETECT_LIKELY || has_events(data, len) ? TB_RANK_TRACE : TB_RANK_PERHAPS_TRACE;
}

static enum report_rank rank_name(const char *path) {
  static const char stored[] = "FS/data/misc/perfetto-traces/";
  if (starts(path, stored)) return starts(path + sizeof(stored) - 1, "bugreport/") ? TRACE_OF_REPORT : STORED_TRACE;
  return starts(tb_path_last_part(path), "systrace") ? SYSTRACE : NOT_OF_REPORT;
}

/* What each bug report of Android has, at its top level. */
static bool is_of_report(const char *path) {
  if (strchr(path, '/')) return false;
  return strcmp(path, "main_entry.txt") == 0 || (starts(path, "bugreport") && ends(path, ".txt"));
}

bool tb_trace_input_is_bug_report(struct tb_input *input, const struct tb_allocator *allocator) {
  struct tb_error ignored = {0};
  void *state;
  const char *name;
  bool is = false;
  if (tb_archive_container.open(input, allocator, &state, &ignored) != TB_OK) return false;
  while (!is && tb_archive_container.next(state, &name, &ignored) == TB_OK) is = name && is_of_report(name);
  tb_archive_container.close(state);
  return is;
}

/* ---- the first reading ------------------------------------------------------------------------------------------- */

struct container_member {
  uint64_t number;  /* of all, from 0 on */
  const char *name; /* NULL: none */
  enum tb_trace_rank rank;
  enum report_rank report_rank;
};

struct container_search {
  const struct tb_allocator *allocator;
  const struct tb_container_ops *ops;
  const char *name; /* of the container */
  struct tb_arena arena;
  struct container_member *members; /* those that may be read */
  size_t count, capacity;
  uint64_t number;
  bool is_report, damaged;    /* damaged: what follows the last member is not known */
  bool has_report_trace;      /* a report, and a member has the name of a trace of it */
  struct tb_error unreadable; /* why the first one is, that is */
  uint64_t unreadable_count;
};

static enum tb_status no_memory(struct tb_error *error) {
  return tb_fail(error, TB_NO_MEMORY, TB_NO_OFFSET, "out of memory");
}

static enum tb_status add_member(struct container_search *s, const char *name, enum tb_trace_rank rank,
                                 struct tb_error *error) {
  void *members = s->members;
  enum tb_status status =
      tb_grow_array(s->allocator, &members, &s->capacity, s->count + 1, sizeof(*s->members), MEMBERS_MAX);
  s->members = members;
  const char *kept = name ? tb_arena_copy(&s->arena, tb_str_from(name)).ptr : NULL;
  if (status == TB_LIMIT) return tb_fail(error, status, TB_NO_OFFSET, "has more members than are looked through");
  if (status != TB_OK || (name && !kept)) return no_memory(error);
  s->members[s->count++] = (struct container_member){s->number, kept, rank, name ? rank_name(name) : NOT_OF_REPORT};
  return TB_OK;
}

/* Looks at the first bytes of the current member. */
static enum tb_status look_at_member(struct container_search *s, void *state, const char *name,
                                     struct tb_error *error) {
  const struct tb_input_source source = {.ctx = state, .read = s->ops->read};
  struct tb_input *input;
  const char *data;
  size_t len = 0;
  struct tb_error why = {0};
  enum tb_status status = tb_input_open_inside(name ? name : "", &source, NULL, s->allocator, 1, &input, error);
  if (status != TB_OK) return status;
  status = tb_input_peek(input, &data, DETECT_BYTES, &len, &why);
  if (status == TB_IO || status == TB_NO_MEMORY) {
    if (error && error->code == TB_OK) *error = why;
  } else {
    enum tb_trace_rank rank = len ? tb_trace_rank(data, len) : TB_RANK_NO_TRACE;
    bool unreadable = !len && why.code != TB_OK;
    s->unreadable_count += unreadable;
    if (unreadable && s->unreadable.code == TB_OK) {
      s->unreadable = why;
      tb_error_set_file(&s->unreadable, name ? name : s->name);
    }
    status = rank ? add_member(s, name, rank, error) : TB_OK;
  }
  tb_input_close(input);
  return status;
}

static enum tb_status look_through(struct container_search *s, struct tb_input *container, struct tb_error *error) {
  struct tb_input *input;
  void *state;
  const char *name;
  enum tb_status status = tb_input_open_again(container, s->allocator, &input, error);
  if (status != TB_OK) return status;
  status = s->ops->open(input, s->allocator, &state, error);
  if (status == TB_OK) {
    for (; (status = s->ops->next(state, &name, error)) == TB_OK; s->number++) {
      s->is_report |= name && is_of_report(name);
      status = look_at_member(s, state, name, error);
      if (status != TB_OK) break;
    }
    s->ops->close(state);
  }
  tb_input_close(input);
  for (size_t i = 0; i < s->count; i++) s->has_report_trace |= s->is_report && s->members[i].report_rank;
  s->damaged = status == TB_BAD_DATA && s->count;
  if (s->damaged && error) *error = (struct tb_error){0};
  return status == TB_END || s->damaged ? TB_OK : status;
}

/* ---- the choice -------------------------------------------------------------------------------------------------- */

/* The dumps of a report's services only look like packets. */
static bool is_trace(const struct container_search *s, const struct container_member *m) {
  return m->rank >= TB_RANK_TRACE && !(s->is_report && m->name && starts(m->name, "proto/"));
}

/* An archive may look like a bug report and be none: where nothing in it has the name of a report's trace, what surely
 * is one counts. */
static int rank_of(const struct container_search *s, const struct container_member *m) {
  if (s->has_report_trace) return (int)m->report_rank;
  if (s->is_report) return is_trace(s, m) ? TB_RANK_TRACE : TB_RANK_NO_TRACE;
  return s->ops == &tb_archive_container && m->rank == TB_RANK_KERNEL_TRACE ? TB_RANK_TRACE : (int)m->rank;
}

static enum tb_status refuse_none(const struct container_search *s, struct tb_error *error) {
  if (s->unreadable.code != TB_OK) {
    if (error && error->code == TB_OK)
      return tb_fail(error, TB_UNKNOWN_FORMAT, TB_NO_OFFSET, "its member %s cannot be read: %s", s->unreadable.file,
                     s->unreadable.message);
    return TB_UNKNOWN_FORMAT;
  }
  return tb_fail(error, TB_UNKNOWN_FORMAT, TB_NO_OFFSET, "is %s, and none of what is in it is a trace",
                 s->ops == &tb_page_container ? "an HTML page"
                 : s->is_report               ? "a bug report"
                                              : "an archive");
}

static enum tb_status refuse_several(const struct container_search *s, int rank, size_t count, struct tb_error *error) {
  char names[NAMES_SHOWN * (NAME_SHOWN + 4)];
  size_t len = 0, shown = 0;
  for (size_t i = 0; i < s->count && shown < NAMES_SHOWN; i++) {
    if (rank_of(s, &s->members[i]) != rank) continue;
    len += (size_t)snprintf(names + len, sizeof(names) - len, "%s%.*s", shown++ ? ", " : "", NAME_SHOWN,
                            s->members[i].name ? s->members[i].name : "?");
  }
  const char *more = count > shown ? ", ..." : "";
  if (rank < TB_RANK_TRACE && !s->is_report)
    return tb_fail(error, TB_UNKNOWN_FORMAT, TB_NO_OFFSET,
                   "is an archive of which %zu members may be traces, and none surely is one (%s%s): unpack the one to "
                   "read",
                   count, names, more);
  return tb_fail(error, TB_UNKNOWN_FORMAT, TB_NO_OFFSET, "is an archive of %zu traces (%s%s): unpack the one to read%s",
                 count, names, more, s->is_report ? "" : "; `tracebridge merge` takes all of them");
}

/* Its number goes before it. */
static const char *unread_text(bool is_report, bool several) {
  if (is_report)
    return several ? "other traces in the bug report, which are not read: unpack them"
                   : "other trace in the bug report, which is not read: unpack it";
  return several ? "other traces in the page, which are not read" : "other trace in the page, which is not read";
}

/* The member to read; NULL where there is none, or no telling which, and *error says so. */
static const struct container_member *choose(const struct container_search *s, struct tb_unread_traces *unread,
                                             struct tb_error *error) {
  const struct container_member *best = NULL;
  size_t of_best = 0, traces = 0;
  for (size_t i = 0; i < s->count; i++) {
    const struct container_member *m = &s->members[i];
    traces += is_trace(s, m);
    if (!rank_of(s, m) || (best && rank_of(s, m) < rank_of(s, best))) continue;
    if (!best || rank_of(s, m) > rank_of(s, best)) {
      best = m;
      of_best = 0;
    }
    of_best++;
  }
  if (!best) {
    (void)refuse_none(s, error);
    return NULL;
  }
  if (of_best > 1 && s->ops == &tb_archive_container) {
    (void)refuse_several(s, rank_of(s, best), of_best, error);
    return NULL;
  }
  if (unread) {
    unread->damaged |= s->damaged;
    unread->unreadable += s->unreadable_count;
  }
  if (unread && traces > 1 && (s->is_report || s->ops == &tb_page_container)) {
    unread->count = traces - 1;
    unread->text = unread_text(s->is_report, unread->count > 1);
  }
  return best;
}

const char *tb_unread_loss(const struct tb_unread_traces *unread) {
  return unread->damaged ? "the archive is damaged: what is behind the damage" : NULL;
}

/* ---- the second reading ------------------------------------------------------------------------------------------ */

/* What an input that reads a member owns. */
struct opened_member {
  const struct tb_allocator *allocator;
  const struct tb_container_ops *ops;
  void *state;
  struct tb_input *container; /* whose descriptor is read */
  struct tb_input *again;
};

static enum tb_status read_member(void *ctx, char *to, size_t capacity, size_t *got, struct tb_error *error) {
  const struct opened_member *m = ctx;
  return m->ops->read(m->state, to, capacity, got, error);
}

static void close_member(void *ctx) {
  struct opened_member *m = ctx;
  if (m->state) m->ops->close(m->state);
  tb_input_close(m->container);
  tb_free(m->allocator, m, sizeof(*m));
}

/* The name of a member as that of a file; a page's part has the page's. */
static enum tb_status name_member(const struct container_search *s, const struct container_member *member, char *name) {
  int len = member->name ? snprintf(name, NAME_LEN_MAX, "%s/%s", s->name, member->name)
                         : snprintf(name, NAME_LEN_MAX, "%s", s->name);
  return len < 0 ? TB_INVALID : TB_OK;
}

static enum tb_status go_to_member(struct opened_member *m, uint64_t number, struct tb_error *error) {
  const char *name;
  enum tb_status status = m->ops->open(m->again, m->allocator, &m->state, error);
  if (status != TB_OK) m->state = NULL;
  for (uint64_t i = 0; status == TB_OK && i <= number; i++) status = m->ops->next(m->state, &name, error);
  return status == TB_END ? tb_fail(error, TB_IO, TB_NO_OFFSET, "it changed while it was read") : status;
}

/* *input becomes what reads the member; where that fails it is as it was. */
static enum tb_status open_member(struct container_search *s, const struct container_member *member, unsigned threads,
                                  struct tb_input **input, struct tb_error *error) {
  struct opened_member *m = tb_calloc(s->allocator, sizeof(*m));
  char *name = tb_arena_alloc(&s->arena, NAME_LEN_MAX);
  if (!m || !name) {
    tb_free(s->allocator, m, sizeof(*m));
    return no_memory(error);
  }
  m->allocator = s->allocator;
  m->ops = s->ops;
  struct tb_input *inside;
  enum tb_status status = name_member(s, member, name);
  if (status == TB_OK) status = tb_input_open_again(*input, s->allocator, &m->again, error);
  if (status == TB_OK) status = go_to_member(m, member->number, error);
  const struct tb_input_source source = {.ctx = m, .read = read_member, .close = close_member};
  if (status == TB_OK) status = tb_input_open_inside(name, &source, m->again, s->allocator, threads, &inside, error);
  if (status == TB_OK) {
    m->container = *input;
    *input = inside;
    return TB_OK;
  }
  if (m->state) m->ops->close(m->state);
  tb_input_close(m->again);
  tb_free(s->allocator, m, sizeof(*m));
  return status;
}

/* ---- the whole --------------------------------------------------------------------------------------------------- */

static enum tb_status look_inside(struct tb_input **input, const struct tb_container_ops *ops,
                                  const struct tb_allocator *allocator, unsigned threads,
                                  struct tb_unread_traces *unread, struct tb_error *error) {
  struct container_search s = {.allocator = allocator, .ops = ops};
  tb_arena_init(&s.arena, allocator, 0);
  enum tb_status status = tb_input_keep(input, error);
  s.name = tb_input_name(*input);
  if (status == TB_OK) status = look_through(&s, *input, error);
  if (status == TB_OK) {
    const struct container_member *member = choose(&s, unread, error);
    status = member ? open_member(&s, member, threads, input, error) : TB_UNKNOWN_FORMAT;
  }
  if (status != TB_OK) tb_error_set_file(error, s.name);
  tb_free(allocator, s.members, s.capacity * sizeof(*s.members));
  tb_arena_free(&s.arena);
  return status;
}

static enum tb_status open_containers(struct tb_input **input, const struct tb_allocator *allocator, unsigned threads,
                                      bool format_known, struct tb_unread_traces *unread, struct tb_error *error) {
  for (unsigned depth = 0; depth < DEPTH_MAX; depth++) {
    const char *data;
    size_t len;
    struct tb_error why = {0};
    enum tb_status status = tb_input_peek(*input, &data, DETECT_BYTES, &len, &why);
    if (status == TB_NO_MEMORY) return no_memory(error);
    if (status != TB_OK) return TB_OK; /* whoever reads meets it again */
    const struct tb_container_ops *ops = find_container(data, len);
    if (!ops) return TB_OK;
    status = look_inside(input, ops, allocator, threads, unread, format_known ? &why : error);
    if (status == TB_OK) continue;
    if (!format_known) return status;
    if (status != TB_NO_MEMORY && status != TB_IO) return TB_OK; /* it only looks like a container */
    *error = why;
    return status;
  }
  return TB_OK;
}

static enum tb_status decode(struct tb_input **input, const struct tb_allocator *allocator,
                             struct tb_trace_format *format, struct tb_error *error) {
  const char *data = NULL;
  size_t len = 0;
  struct tb_error ignored = {0};
  if (tb_input_peek(*input, &data, DETECT_BYTES, &len, &ignored) == TB_NO_MEMORY) return no_memory(error);
  const struct tb_format_entry *entry = tb_registry_decoder(format->read_as, data, len);
  if (!entry) return TB_OK;
  *format = (struct tb_trace_format){entry->decoder->into, entry->format};
  return entry->decoder->open(input, allocator, error);
}

enum tb_status tb_trace_input_open(const struct tb_input_place *place, const struct tb_allocator *allocator,
                                   unsigned threads, struct tb_trace_format *format, struct tb_input **input,
                                   struct tb_unread_traces *unread, struct tb_error *error) {
  struct tb_trace_format nothing = {0};
  if (!allocator) allocator = tb_default_allocator();
  if (!format) format = &nothing;
  enum tb_status status = tb_input_open_place(place, allocator, threads, input, error);
  if (status == TB_OK)
    status = open_containers(input, allocator, threads, format->read_as != TB_FORMAT_UNKNOWN, unread, error);
  if (status == TB_OK) status = decode(input, allocator, format, error);
  if (status == TB_OK) return TB_OK;
  tb_input_close(*input);
  *input = NULL;
  return status;
}
