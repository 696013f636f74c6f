/* SPDX-License-Identifier: Apache-2.0 */
#include "merge/clocks/kept_boots.h"

#include <math.h>

#include "merge/merger.h"
#include "protobuf/wire.h"
#include "protos/field_numbers.h"
#include "tracebridge/event.h"

enum { BOOTS_MAX = 1 << 16, SEGMENTS_MAX = 64, NAME_MAX_BYTES = 255 };
static const double PPT = 1e-12;

static void free_boot(struct tb_kept_boot *boot, const struct tb_allocator *a) {
  if (boot->name) tb_free(a, boot->name, strlen(boot->name) + 1);
  tb_reading_fit_free(&boot->wall);
  tb_reading_fit_free(&boot->asleep);
}

void tb_kept_boots_free(struct tb_kept_boots *boots, const struct tb_allocator *a) {
  for (size_t i = 0; i < boots->count; i++) free_boot(&boots->items[i], a);
  tb_free(a, boots->items, boots->capacity * sizeof(*boots->items));
  *boots = (struct tb_kept_boots){0};
}

const char *tb_kept_boots_name(const struct tb_kept_boots *boots, uint32_t machine) {
  for (size_t i = 0; i < boots->count; i++)
    if (boots->items[i].machine == machine && boots->items[i].name) return boots->items[i].name;
  return NULL;
}

/* ---- reading ----------------------------------------------------------------------------------------------------- */

static size_t count_segments(struct tb_str line) {
  struct tb_wire_cursor cursor = tb_wire_cursor(line);
  struct tb_wire_field field;
  size_t n = 0;
  while (tb_wire_read(&cursor, &field) == TB_OK)
    n += field.number == TB_MERGE_BOOT_LINE_SEGMENTS && field.type == TB_WIRE_BYTES;
  return n;
}

/* A time that counts from another; clamped, as of damage alone. */
static int64_t from(int64_t start, uint64_t zigzag) { return tb_time_add(start, tb_wire_zigzag_decode(zigzag)); }

static bool read_segment(struct tb_str bytes, int64_t start, struct tb_reading_segment *segment) {
  enum { FIELDS = TB_MERGE_BOOT_LINE_SEGMENT_COUNT + 1 };
  struct tb_wire_field f[FIELDS] = {{0}};
  if (tb_wire_read_fields(bytes, f, FIELDS) != TB_OK) return false;
  uint64_t lasts = f[TB_MERGE_BOOT_LINE_SEGMENT_LASTS].value;
  segment->first = from(start, f[TB_MERGE_BOOT_LINE_SEGMENT_FIRST].value);
  segment->last = tb_time_add(segment->first, lasts < INT64_MAX ? (int64_t)lasts : INT64_MAX);
  segment->offset = tb_wire_zigzag_decode(f[TB_MERGE_BOOT_LINE_SEGMENT_OFFSET].value);
  segment->count = f[TB_MERGE_BOOT_LINE_SEGMENT_COUNT].value;
  return segment->count != 0;
}

static bool read_segments(struct tb_str line, int64_t start, struct tb_reading_fit *fit) {
  struct tb_wire_cursor cursor = tb_wire_cursor(line);
  struct tb_wire_field field;
  while (tb_wire_read(&cursor, &field) == TB_OK) {
    if (field.number != TB_MERGE_BOOT_LINE_SEGMENTS || field.type != TB_WIRE_BYTES) continue;
    struct tb_reading_segment *segment = &fit->segments[fit->segment_count];
    *segment = (struct tb_reading_segment){.first = 0};
    if (!read_segment(field.bytes, start, segment) || (fit->segment_count && segment->first < segment[-1].first))
      return false;
    fit->segment_count++;
  }
  return true;
}

static void set_extent(struct tb_reading_fit *fit) {
  fit->first = fit->segments[0].first;
  fit->last = fit->segments[0].last;
  for (size_t i = 1; i < fit->segment_count; i++)
    if (fit->segments[i].last > fit->last) fit->last = fit->segments[i].last;
}

/* Leaves the fit without segments where the line makes no sense. */
static enum tb_status read_line(const struct tb_allocator *a, struct tb_str line, int64_t start,
                                enum tb_reading_kind kind, struct tb_reading_fit *fit) {
  enum { FIELDS = TB_MERGE_BOOT_LINE_LARGEST_RESIDUAL_NS + 1 };
  struct tb_wire_field f[FIELDS] = {{0}};
  size_t count = count_segments(line);
  if (!count || count > SEGMENTS_MAX || tb_wire_read_fields(line, f, FIELDS) != TB_OK) return TB_OK;
  double drift = tb_wire_double(f[TB_MERGE_BOOT_LINE_DRIFT].value);
  uint64_t residual = f[TB_MERGE_BOOT_LINE_LARGEST_RESIDUAL_NS].value;
  if (!(fabs(drift) < 1e-3) || residual > INT64_MAX) return TB_OK;
  *fit = (struct tb_reading_fit){.allocator = a,
                                 .kind = kind,
                                 .x0 = from(start, f[TB_MERGE_BOOT_LINE_X0].value),
                                 .drift = drift,
                                 .largest_residual_ns = (int64_t)residual,
                                 .segments = tb_alloc(a, count * sizeof(*fit->segments)),
                                 .segment_capacity = count};
  if (!fit->segments) return TB_NO_MEMORY;
  if (read_segments(line, start, fit))
    set_extent(fit);
  else
    fit->segment_count = 0;
  return TB_OK;
}

static bool is_of_boot(uint64_t clock) {
  return clock == TB_CLOCK_BOOTTIME || clock == TB_CLOCK_MONOTONIC || clock == TB_CLOCK_MONOTONIC_RAW;
}

static enum tb_status copy_name(const struct tb_allocator *a, struct tb_str name, char **copy) {
  if (!name.len || name.len > NAME_MAX_BYTES || memchr(name.ptr, '\0', name.len)) return TB_OK;
  *copy = tb_alloc(a, name.len + 1);
  if (!*copy) return TB_NO_MEMORY;
  memcpy(*copy, name.ptr, name.len);
  (*copy)[name.len] = '\0';
  return TB_OK;
}

static enum tb_status read_boot(const struct tb_allocator *a, struct tb_str message, struct tb_kept_boot *boot) {
  enum { FIELDS = TB_MERGE_BOOT_NAME + 1 };
  struct tb_wire_field f[FIELDS] = {{0}};
  if (tb_wire_read_fields(message, f, FIELDS) != TB_OK) return TB_OK;
  enum tb_status status = copy_name(a, tb_wire_text(&f[TB_MERGE_BOOT_NAME]), &boot->name);
  boot->own_from = (int64_t)f[TB_MERGE_BOOT_OWN_FROM].value;
  boot->merged_from = (int64_t)f[TB_MERGE_BOOT_MERGED_FROM].value;
  boot->merged_to = (int64_t)f[TB_MERGE_BOOT_MERGED_TO].value;
  boot->bound_ns = (int64_t)f[TB_MERGE_BOOT_BOUND_NS].value;
  boot->growth = (double)f[TB_MERGE_BOOT_GROWTH_PPT].value * PPT;
  boot->has_bound = f[TB_MERGE_BOOT_BOUND_NS].number && boot->bound_ns >= 0 && boot->growth < 1;
  uint64_t clock = f[TB_MERGE_BOOT_CLOCK].value;
  if (!is_of_boot(clock) || boot->own_from < 0 || boot->merged_from >= boot->merged_to) return status;
  if (status == TB_OK)
    status = read_line(a, tb_wire_text(&f[TB_MERGE_BOOT_WALL]), boot->own_from, TB_READING_DRIFTS, &boot->wall);
  if (status == TB_OK)
    status = read_line(a, tb_wire_text(&f[TB_MERGE_BOOT_ASLEEP]), boot->own_from, TB_READING_SAME_RATE, &boot->asleep);
  if (boot->wall.segment_count) boot->clock = (uint32_t)clock;
  return status;
}

/* A copy of a fit for a clock that reads `ahead` more than its x. */
static enum tb_status copy_fit(const struct tb_reading_fit *fit, int64_t ahead, struct tb_reading_fit *copy) {
  size_t size = fit->segment_count * sizeof(*fit->segments);
  *copy = *fit;
  copy->segments = tb_alloc(fit->allocator, size);
  copy->segment_capacity = fit->segment_count;
  if (!copy->segments) return TB_NO_MEMORY;
  memcpy(copy->segments, fit->segments, size);
  copy->x0 = tb_time_add(fit->x0, ahead);
  for (size_t i = 0; i < fit->segment_count && ahead; i++) {
    struct tb_reading_segment *s = &copy->segments[i];
    s->first = tb_time_add(s->first, ahead);
    s->last = tb_time_add(s->last, ahead);
    s->offset = tb_time_subtract(s->offset, ahead);
  }
  set_extent(copy);
  return TB_OK;
}

/* The MONOTONIC of a machine of which BOOTTIME was kept, and that did not sleep while it was read. */
static enum tb_status derive_monotonic(const struct tb_kept_boot *boot, struct tb_kept_boot *mono) {
  int64_t ahead = boot->asleep.segments[0].offset;
  *mono = *boot;
  mono->clock = TB_CLOCK_MONOTONIC;
  mono->name = NULL;
  mono->wall = mono->asleep = (struct tb_reading_fit){.allocator = NULL};
  mono->own_from = tb_time_add(boot->own_from, ahead);
  enum tb_status status = copy_fit(&boot->wall, ahead, &mono->wall);
  return status == TB_OK ? copy_fit(&boot->asleep, 0, &mono->asleep) : status;
}

static enum tb_status add_boot(struct tb_kept_boots *boots, const struct tb_allocator *a, uint32_t machine,
                               struct tb_kept_boot **boot) {
  void *items = boots->items;
  enum tb_status status = tb_grow_array(a, &items, &boots->capacity, boots->count + 1, sizeof(**boot), BOOTS_MAX);
  boots->items = items;
  if (status != TB_OK) return status;
  *boot = &boots->items[boots->count++];
  **boot = (struct tb_kept_boot){.machine = machine};
  return TB_OK;
}

enum tb_status tb_kept_boots_take(struct tb_kept_boots *boots, const struct tb_allocator *a, uint32_t machine,
                                  struct tb_str packet) {
  struct tb_wire_cursor cursor = tb_wire_cursor(packet);
  struct tb_wire_field field;
  struct tb_kept_boot *boot;
  enum tb_status status = TB_OK;
  while (status == TB_OK && tb_wire_read(&cursor, &field) == TB_OK) {
    if (field.number != TB_TRACE_PACKET_MERGE_BOOTS || field.type != TB_WIRE_BYTES) continue;
    status = add_boot(boots, a, machine, &boot);
    if (status == TB_OK) status = read_boot(a, field.bytes, boot);
    if (status != TB_OK || boot->clock != TB_CLOCK_BOOTTIME || boot->asleep.segment_count != 1) continue;
    status = add_boot(boots, a, machine, &boot);
    if (status == TB_OK) status = derive_monotonic(boot - 1, boot);
  }
  return status;
}

/* ---- the clock graph --------------------------------------------------------------------------------------------- */

static enum tb_status relate(struct tb_merger *m, const struct tb_source *s, const struct tb_kept_boot *boot) {
  struct tb_graph_key own = {s->index, boot->machine, tb_kept_clock(boot->clock)};
  struct tb_graph_key host = {s->index, tb_source_host(s), s->prescan.clocks.primary};
  const double span = (double)TB_KEPT_SPAN;
  const int64_t bound_ns = boot->has_bound ? boot->bound_ns : INT64_MAX;
  struct tb_time_bound_point points[2] = {{boot->wall.first, bound_ns}, {boot->wall.last, bound_ns}};
  struct tb_graph_edge edge = {.source = TB_PLACEMENT_SNAPSHOTS,
                               .rank = TB_RANK_SNAPSHOTS,
                               .x0 = boot->own_from,
                               .offset = tb_time_subtract(boot->merged_from, boot->own_from),
                               .drift = ((double)((tb_wide)boot->merged_to - boot->merged_from) - span) / span,
                               .bound = {.points = points, .count = 2, .growth = boot->growth}};
  if (!(fabs(edge.drift) < 1e-2)) return TB_OK;
  enum tb_status status = tb_sync_graph_node(&m->graph, own, &edge.a);
  if (status == TB_OK) status = tb_sync_graph_node(&m->graph, host, &edge.b);
  return status == TB_OK ? tb_sync_graph_edge(&m->graph, &edge) : status;
}

enum tb_status tb_merger_relate_kept_boots(struct tb_merger *m, const struct tb_source *s) {
  enum tb_status status = TB_OK;
  for (size_t i = 0; i < s->prescan.boots.count && status == TB_OK; i++)
    if (s->prescan.boots.items[i].clock) status = relate(m, s, &s->prescan.boots.items[i]);
  return status;
}

/* ---- writing ----------------------------------------------------------------------------------------------------- */

/* A field's tag and varint. */
enum { NUMBER_MAX = 2 + TB_WIRE_VARINT_MAX, SEGMENT_MAX = 4 * NUMBER_MAX };

/* Numbers of 0 are left out. */
static char *put_number(char *at, uint32_t number, uint64_t value) {
  return value ? tb_wire_put_uint(at, number, value) : at;
}

static char *put_distance(char *at, uint32_t number, int64_t start, int64_t value) {
  return put_number(at, number, tb_wire_zigzag(tb_time_subtract(value, start)));
}

static enum tb_status put_line(struct tb_buffer *to, uint32_t number, const struct tb_reading_fit *fit, int64_t start) {
  size_t room = 4 * NUMBER_MAX + fit->segment_count * (SEGMENT_MAX + NUMBER_MAX);
  struct tb_buffer line;
  tb_buffer_init(&line, to->allocator, 0);
  enum tb_status status = tb_buffer_reserve(&line, room);
  if (status == TB_OK) {
    char *at = line.data;
    if (fit->drift != 0) at = put_distance(at, TB_MERGE_BOOT_LINE_X0, start, fit->x0);
    if (fit->drift != 0) at = tb_wire_put_double(at, TB_MERGE_BOOT_LINE_DRIFT, fit->drift);
    at = put_number(at, TB_MERGE_BOOT_LINE_LARGEST_RESIDUAL_NS, (uint64_t)fit->largest_residual_ns);
    for (size_t i = 0; i < fit->segment_count; i++) {
      const struct tb_reading_segment *s = &fit->segments[i];
      char segment[SEGMENT_MAX], *end = put_distance(segment, TB_MERGE_BOOT_LINE_SEGMENT_FIRST, start, s->first);
      end = put_number(end, TB_MERGE_BOOT_LINE_SEGMENT_LASTS, (uint64_t)tb_time_subtract(s->last, s->first));
      end = put_distance(end, TB_MERGE_BOOT_LINE_SEGMENT_OFFSET, 0, s->offset);
      end = put_number(end, TB_MERGE_BOOT_LINE_SEGMENT_COUNT, s->count);
      at = tb_wire_put_bytes(at, TB_MERGE_BOOT_LINE_SEGMENTS, segment, (size_t)(end - segment));
    }
    line.len = (size_t)(at - line.data);
    status = tb_buffer_reserve(to, line.len + NUMBER_MAX);
  }
  if (status == TB_OK)
    to->len = (size_t)(tb_wire_put_bytes(to->data + to->len, number, line.data, line.len) - to->data);
  tb_buffer_free(&line);
  return status;
}

/* The clock over the merged trace's, as a line; false where it is none: over a sleep, for example. */
static bool find_way(const struct tb_merger *m, const struct tb_time_map *map, const struct tb_reading_fit *wall,
                     struct tb_kept_boot *boot) {
  static const double APART_NS = 2;
  boot->own_from = wall->first;
  boot->merged_from = tb_time_add(tb_time_map_apply(map, boot->own_from), m->shift);
  boot->merged_to = tb_time_add(tb_time_map_apply(map, tb_time_add(boot->own_from, TB_KEPT_SPAN)), m->shift);
  const double rate = (double)((tb_wide)boot->merged_to - boot->merged_from) / (double)TB_KEPT_SPAN;
  const int64_t lasts = tb_time_subtract(wall->last, wall->first), tried[] = {lasts / 2, lasts, TB_KEPT_SPAN / 2};
  for (size_t i = 0; i < sizeof(tried) / sizeof(tried[0]); i++) {
    int64_t merged = tb_time_add(tb_time_map_apply(map, tb_time_add(boot->own_from, tried[i])), m->shift);
    if (fabs(rate * (double)tried[i] - (double)tb_time_subtract(merged, boot->merged_from)) > APART_NS) return false;
  }
  return boot->own_from >= 0 && boot->merged_from >= 0 && boot->merged_from < boot->merged_to;
}

/* How far off the way may be while the clock was read, and how much more 1000 s before and behind. */
static enum tb_status find_bound(const struct tb_merger *m, uint32_t node, const struct tb_reading_fit *wall,
                                 struct tb_kept_boot *boot) {
  static const int64_t AWAY = INT64_C(1000000000000);
  struct tb_time_bound bound;
  int64_t evidence;
  int64_t first = tb_time_subtract(wall->first, AWAY), last = tb_time_add(wall->last, AWAY);
  enum tb_status status = tb_sync_graph_bound(&m->graph, node, first, last, &bound, &evidence);
  if (status != TB_OK) return status;
  int64_t before = tb_time_bound_at(&bound, first), behind = tb_time_bound_at(&bound, last),
          most = before > behind ? before : behind;
  boot->bound_ns = tb_time_bound_at(&bound, wall->first);
  if (tb_time_bound_at(&bound, wall->last) > boot->bound_ns) boot->bound_ns = tb_time_bound_at(&bound, wall->last);
  for (size_t i = 0; i < bound.count; i++) {
    const struct tb_time_bound_point *p = &bound.points[i];
    if (p->time >= wall->first && p->time <= wall->last && p->bound_ns > boot->bound_ns) boot->bound_ns = p->bound_ns;
  }
  boot->has_bound = most < INT64_MAX;
  boot->growth = fmax(0, ((double)most - (double)boot->bound_ns) / (double)AWAY);
  tb_time_bound_free(&bound, m->allocator);
  return TB_OK;
}

static char *put_way(char *at, const struct tb_kept_boot *boot) {
  at = tb_wire_put_uint(at, TB_MERGE_BOOT_CLOCK, boot->clock);
  at = tb_wire_put_uint(at, TB_MERGE_BOOT_OWN_FROM, (uint64_t)boot->own_from);
  at = tb_wire_put_uint(at, TB_MERGE_BOOT_MERGED_FROM, (uint64_t)boot->merged_from);
  at = tb_wire_put_uint(at, TB_MERGE_BOOT_MERGED_TO, (uint64_t)boot->merged_to);
  if (!boot->has_bound) return at;
  at = tb_wire_put_uint(at, TB_MERGE_BOOT_BOUND_NS, (uint64_t)boot->bound_ns);
  return put_number(at, TB_MERGE_BOOT_GROWTH_PPT, (uint64_t)ceil(boot->growth / PPT));
}

/* `read` NULL: the name alone. */
static enum tb_status put_boot(struct tb_buffer *packet, const struct tb_kept_boot *boot, const char *name,
                               const struct tb_boot_readings *read) {
  struct tb_buffer message;
  size_t len = name ? strnlen(name, NAME_MAX_BYTES) : 0;
  tb_buffer_init(&message, packet->allocator, 0);
  enum tb_status status = tb_buffer_reserve(&message, 8 * NUMBER_MAX + NAME_MAX_BYTES);
  if (status == TB_OK) {
    char *at = read ? put_way(message.data, boot) : message.data;
    if (len) at = tb_wire_put_bytes(at, TB_MERGE_BOOT_NAME, name, len);
    message.len = (size_t)(at - message.data);
  }
  if (status == TB_OK && read) status = put_line(&message, TB_MERGE_BOOT_WALL, read->wall, boot->own_from);
  if (status == TB_OK && read && read->asleep)
    status = put_line(&message, TB_MERGE_BOOT_ASLEEP, read->asleep, boot->own_from);
  if (status == TB_OK) status = tb_buffer_reserve(packet, message.len + NUMBER_MAX);
  if (status == TB_OK)
    packet->len =
        (size_t)(tb_wire_put_bytes(packet->data + packet->len, TB_TRACE_PACKET_MERGE_BOOTS, message.data, message.len) -
                 packet->data);
  tb_buffer_free(&message);
  return status;
}

/* Sets *kept where the clock is kept. */
static enum tb_status keep_clock(struct tb_merger *m, struct tb_source *s, uint32_t clock, struct tb_buffer *packet,
                                 bool *kept) {
  struct tb_graph_key key = {s->index, tb_source_host(s), clock};
  struct tb_boot_readings read;
  struct tb_time_map map;
  uint32_t node, weakest;
  enum tb_status status = tb_source_read_boot(m, s, clock, &read);
  if (status == TB_OK && read.wall && tb_sync_graph_find(&m->graph, key, &node) &&
      m->graph.nodes[node].root == m->target) {
    struct tb_kept_boot boot = {.clock = clock};
    tb_time_map_init(&map, m->allocator);
    status = tb_sync_graph_way(&m->graph, node, &map, NULL, &weakest);
    *kept = status == TB_OK && find_way(m, &map, read.wall, &boot);
    if (*kept) status = find_bound(m, node, read.wall, &boot);
    if (*kept && status == TB_OK) status = put_boot(packet, &boot, NULL, &read);
    tb_time_map_free(&map);
  }
  tb_reading_fit_free(&read.made);
  return status;
}

enum tb_status tb_keep_boots(struct tb_merger *m, struct tb_source *s, struct tb_buffer *packet) {
  static const uint32_t clocks[] = {TB_CLOCK_BOOTTIME, TB_CLOCK_MONOTONIC, TB_CLOCK_MONOTONIC_RAW};
  enum tb_status status = s->machine_name ? put_boot(packet, NULL, s->machine_name, NULL) : TB_OK;
  bool kept = false;
  for (size_t i = 0; i < sizeof(clocks) / sizeof(clocks[0]) && status == TB_OK && !kept; i++)
    status = keep_clock(m, s, clocks[i], packet, &kept);
  return status;
}
