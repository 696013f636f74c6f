/* SPDX-License-Identifier: Apache-2.0
 *
 * tb_info as one screen of text.
 */
#include <inttypes.h>
#include <stdio.h>

#include "base/text_page.h"
#include "base/time_text.h"
#include "base/utf8.h"
#include "tracebridge/info.h"

enum { BIGGEST = 5, KINDS = 10, CLOCKS = 8, NAME_COLUMNS = 60, SOURCE_NAMES = 8 };

/* A text of the trace, escaped, cut where it takes many columns. */
static void print_name(struct tb_text_page *page, struct tb_str text) {
  char shown[TB_ESCAPE_MAX];
  size_t columns = 0;
  while (text.len && columns < NAME_COLUMNS) {
    size_t skip = 1, length = tb_utf8_character(text.ptr, text.ptr + text.len, &skip);
    struct tb_str one = {text.ptr, length ? length : skip};
    text = (struct tb_str){text.ptr + one.len, text.len - one.len};
    size_t len = tb_escape(TB_ESCAPE_TEXT, &one, shown, sizeof(shown));
    columns += shown[0] == '\\' ? len : 1;
    tb_text_page_put(page, shown, len);
  }
  if (text.len) tb_text_page_print(page, "...");
}

const char *tb_bytes_text(char buffer[TB_UNIT_TEXT], uint64_t bytes) {
  static const char *const units[] = {"B", "kB", "MB", "GB", "TB"};
  double value = (double)bytes;
  unsigned unit = 0;
  for (; value >= 999.5 && unit + 1 < sizeof(units) / sizeof(units[0]); unit++) value /= 1000;
  int decimals = unit == 0 || value >= 99.95 ? 0 : value >= 9.995 ? 1 : 2;
  (void)snprintf(buffer, 32, "%.*f %s", decimals, value, units[unit]);
  return buffer;
}

/* Nanoseconds as exact seconds. */
static const char *seconds_text(char buffer[32], int64_t ns) {
  uint64_t n = ns < 0 ? 0 - (uint64_t)ns : (uint64_t)ns;
  (void)snprintf(buffer, 32, "%s%" PRIu64 ".%09" PRIu64 " s", ns < 0 ? "-" : "", n / 1000000000, n % 1000000000);
  return buffer;
}

const char *tb_duration_text(char buffer[TB_UNIT_TEXT], uint64_t ns) {
  static const struct {
    uint64_t below, unit;
    const char *name;
  } units[] = {{1000, 1, "ns"}, {1000000, 1000, "us"}, {1000000000, 1000000, "ms"}, {60000000000, 1000000000, "s"}};
  uint64_t seconds = ns / 1000000000;
  for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
    if (ns >= units[i].below) continue;
    double value = (double)ns / (double)units[i].unit;
    (void)snprintf(buffer, 32, "%.*f %s", !i || value >= 100 ? 0 : value >= 10 ? 1 : 2, value, units[i].name);
    return buffer;
  }
  if (seconds < 3600)
    (void)snprintf(buffer, 32, "%" PRIu64 " min %" PRIu64 " s", seconds / 60, seconds % 60);
  else if (seconds < 86400)
    (void)snprintf(buffer, 32, "%" PRIu64 " h %" PRIu64 " min", seconds / 3600, seconds / 60 % 60);
  else
    (void)snprintf(buffer, 32, "%" PRIu64 " d %" PRIu64 " h", seconds / 86400, seconds / 3600 % 24);
  return buffer;
}

static const char *clock_text(char buffer[64], const struct tb_info_clock *clock) {
  const char *name = tb_clock_id_name(clock->id);
  char number[32], machine[32] = "";
  (void)snprintf(number, sizeof(number), "clock %" PRIu32, clock->id);
  if (clock->machine) (void)snprintf(machine, sizeof(machine), " of machine %" PRIu32, clock->machine);
  (void)snprintf(buffer, 64, "%s%s", name ? name : number, machine);
  return buffer;
}

/* NULL where no snapshot is the machine's. */
static const struct tb_info_clock *first_clock(const struct tb_info *info, uint32_t machine) {
  for (size_t i = 0; i < info->clock_count; i++)
    if (info->clocks[i].machine == machine) return &info->clocks[i];
  return NULL;
}

static void print_more(struct tb_text_page *page, size_t count, size_t shown) {
  if (count > shown) tb_text_page_print(page, "  ... %zu more\n", count - shown);
}

static void print_wall_time(struct tb_text_page *page, const struct tb_info *info) {
  char text[TB_TIME_TEXT];
  if (!info->has_wall_time) return;
  tb_date_text(info->wall_ns, text);
  tb_text_page_print(page, "recorded   %s", text);
  if (info->has_timezone) {
    int32_t minutes = info->timezone_minutes, size = minutes < 0 ? -minutes : minutes;
    tb_date_text(info->wall_ns + (int64_t)minutes * 60 * 1000000000, text);
    text[sizeof("2001-01-01 00:00:00") - 1] = '\0'; /* without the zone's name */
    tb_text_page_print(page, ", there %s %s%02" PRId32 ":%02" PRId32, text, minutes < 0 ? "-" : "+", size / 60,
                       size % 60);
  }
  tb_text_page_print(page, "\n");
}

static void print_head(struct tb_text_page *page, const struct tb_info *info) {
  char a[32], b[32], c[32];
  const struct tb_info_clock *clock = first_clock(info, 0);
  tb_text_page_print(page, "format     %s, %s\n", tb_format_name(info->format), tb_bytes_text(a, info->stored_bytes));
  if (info->is_cut) tb_text_page_print(page, "cut        this file is cut: it ends early, or its compression does\n");
  if (info->another_traces)
    tb_text_page_print(page, "holds      %" PRIu64 " traces, one after the other, which are read as one\n",
                       info->another_traces + 1);
  if (info->loss_count)
    tb_text_page_print(page, "damaged    %zu kind%s of loss, at the end of this page\n", info->loss_count,
                       info->loss_count == 1 ? "" : "s");
  print_wall_time(page, info);
  if (info->first_ts > info->last_ts) {
    tb_text_page_print(page, "time       none\n");
  } else {
    uint64_t span = (uint64_t)info->last_ts - (uint64_t)info->first_ts;
    tb_text_page_print(page, "time       %s, from %s to %s%s%s\n", tb_duration_text(a, span),
                       seconds_text(b, info->first_ts), seconds_text(c, info->last_ts), clock ? " on " : "",
                       clock ? clock_text((char[64]){0}, clock) : "");
  }
  tb_text_page_print(
      page,
      "tracks     %zu process%s, %zu thread%s, %" PRIu64 " counter%s, %" PRIu64 " other%s, on %" PRIu64 " machine%s\n",
      info->process_count, info->process_count == 1 ? "" : "es", info->thread_count, info->thread_count == 1 ? "" : "s",
      info->counter_tracks, info->counter_tracks == 1 ? "" : "s", info->custom_tracks,
      info->custom_tracks == 1 ? "" : "s", info->machines, info->machines == 1 ? "" : "s");
}

static void print_clock(struct tb_text_page *page, const struct tb_info *info, const struct tb_info_clock *clock) {
  char a[64], b[32];
  bool is_first = clock == first_clock(info, clock->machine);
  tb_text_page_print(page, "  %-16s read %" PRIu64 " time%s", clock_text(a, clock), clock->readings,
                     clock->readings == 1 ? "" : "s");
  if (is_first && !clock->machine)
    tb_text_page_print(page, ", the trace's clock");
  else if (is_first && !clock->has_offset)
    tb_text_page_print(page, ", taken for the trace's clock");
  else if (clock->has_offset)
    tb_text_page_print(page, ", %s from %s", seconds_text(b, clock->offset_ns), is_first ? "the trace's clock" : "it");
  if (clock->offset_change_ns) tb_text_page_print(page, ", %" PRId64 " ns more at the end", clock->offset_change_ns);
  tb_text_page_print(page, "\n");
}

static void print_clocks(struct tb_text_page *page, const struct tb_info *info) {
  if (info->clock_count) tb_text_page_print(page, "clocks\n");
  for (size_t i = 0; i < info->clock_count && i < CLOCKS; i++) print_clock(page, info, &info->clocks[i]);
  print_more(page, info->clock_count, CLOCKS);
}

static void print_producers(struct tb_text_page *page, const struct tb_info *info) {
  char a[32];
  if (info->producer_count)
    tb_text_page_print(page, "producers  %zu, on %" PRIu64 " sequences\n", info->producer_count, info->sequences);
  for (size_t i = 0; i < info->producer_count && i < BIGGEST; i++) {
    const struct tb_info_producer *producer = &info->producers[i];
    if (producer->pid >= 0)
      tb_text_page_print(page, "  pid %-8" PRId32 " ", producer->pid);
    else
      tb_text_page_print(page, "  pid ?        ");
    tb_text_page_print(page, "uid %-6" PRId32 " %9" PRIu64 " packets %9s  ", producer->uid, producer->packets,
                       tb_bytes_text(a, producer->bytes));
    print_name(page, producer->name);
    tb_text_page_print(page, "\n");
  }
  print_more(page, info->producer_count, BIGGEST);
}

static void print_events(struct tb_text_page *page, const struct tb_info *info) {
  tb_text_page_print(page, "events     %" PRIu64 ", with %" PRIu64 " argument%s and %" PRIu64 " arrow%s of flows",
                     info->events, info->arguments, info->arguments == 1 ? "" : "s", info->flow_arrows,
                     info->flow_arrows == 1 ? "" : "s");
  if (info->flows) tb_text_page_print(page, " (%" PRIu64 " end%s)", info->flows, info->flows == 1 ? "" : "s");
  tb_text_page_print(page, "\n");
  for (unsigned type = 0; type < TB_EVENT_TYPE_COUNT; type++)
    if (info->events_by_type[type])
      tb_text_page_print(page, "  %-18s %9" PRIu64 "\n", tb_event_type_name((enum tb_event_type)type),
                         info->events_by_type[type]);
}

static void print_id(struct tb_text_page *page, int64_t number, bool has, struct tb_str text) {
  if (text.len)
    print_name(page, text);
  else if (has)
    tb_text_page_print(page, "%" PRId64, number);
  else
    tb_text_page_print(page, "-");
}

static void end_with_name(struct tb_text_page *page, struct tb_str name) {
  if (name.len) tb_text_page_print(page, "  ");
  print_name(page, name);
  tb_text_page_print(page, "\n");
}

static void print_threads(struct tb_text_page *page, const struct tb_info *info) {
  char a[32];
  if (info->process_count) tb_text_page_print(page, "processes  by events\n");
  for (size_t i = 0; i < info->process_count && i < BIGGEST; i++) {
    const struct tb_info_thread *process = &info->processes[i];
    tb_text_page_print(page, "  %9" PRIu64 "  pid ", process->events);
    print_id(page, process->pid, process->has_pid, process->pid_text);
    tb_text_page_print(page, ", %" PRIu64 " thread%s", process->threads, process->threads == 1 ? "" : "s");
    if (process->first_ts <= process->last_ts)
      tb_text_page_print(page, ", over %s",
                         tb_duration_text(a, (uint64_t)process->last_ts - (uint64_t)process->first_ts));
    end_with_name(page, process->name);
  }
  print_more(page, info->process_count, BIGGEST);
  if (info->thread_count) tb_text_page_print(page, "threads    by events\n");
  for (size_t i = 0; i < info->thread_count && i < BIGGEST; i++) {
    const struct tb_info_thread *thread = &info->threads[i];
    tb_text_page_print(page, "  %9" PRIu64 "  pid ", thread->events);
    print_id(page, thread->pid, thread->has_pid, thread->pid_text);
    tb_text_page_print(page, ", tid ");
    print_id(page, thread->tid, thread->has_tid, thread->tid_text);
    end_with_name(page, thread->name);
  }
  print_more(page, info->thread_count, BIGGEST);
}

static void print_packets(struct tb_text_page *page, const struct tb_info *info) {
  char a[32], number[32];
  if (info->packet_count) tb_text_page_print(page, "packets    %" PRIu64 "\n", info->packet_count);
  for (size_t i = 0; i < info->packet_kind_count && i < KINDS; i++) {
    const struct tb_info_packets *kind = &info->packets[i];
    (void)snprintf(number, sizeof(number), kind->field ? "field %" PRIu32 : "no payload", kind->field);
    tb_text_page_print(page, "  %-32.*s %9" PRIu64 " %9s\n", kind->name.len ? (int)kind->name.len : (int)sizeof(number),
                       kind->name.len ? kind->name.ptr : number, kind->count, tb_bytes_text(a, kind->bytes));
  }
  print_more(page, info->packet_kind_count, KINDS);
}

static void print_records(struct tb_text_page *page, const struct tb_info *info) {
  char a[32], ticks[48];
  if (info->provider_count) tb_text_page_print(page, "providers  %zu\n", info->provider_count);
  for (size_t i = 0; i < info->provider_count && i < BIGGEST; i++) {
    const struct tb_info_provider *provider = &info->providers[i];
    (void)snprintf(ticks, sizeof(ticks), provider->ticks_per_second ? "%" PRIu64 " ticks/s" : "ticks of 1 ns",
                   provider->ticks_per_second);
    tb_text_page_print(page, "  id %-8" PRIu32 " %-20s %9" PRIu64 " records %9s  ", provider->id, ticks,
                       provider->records, tb_bytes_text(a, provider->bytes));
    print_name(page, provider->name);
    if (provider->losses)
      tb_text_page_print(page, ", its buffer filled up %" PRIu64 " time%s", provider->losses,
                         provider->losses == 1 ? "" : "s");
    tb_text_page_print(page, "\n");
  }
  print_more(page, info->provider_count, BIGGEST);
  if (info->record_count) tb_text_page_print(page, "records    %" PRIu64 "\n", info->record_count);
  for (size_t i = 0; i < info->record_kind_count; i++)
    tb_text_page_print(page, "  %-18s %9" PRIu64 " %9s\n", info->records[i].kind, info->records[i].count,
                       tb_bytes_text(a, info->records[i].bytes));
}

static void print_recorder(struct tb_text_page *page, const struct tb_info *info) {
  char a[32];
  if (info->fact_count) tb_text_page_print(page, "recording\n");
  for (size_t i = 0; i < info->fact_count; i++) {
    tb_text_page_print(page, "  %-16s ", info->facts[i].what);
    print_name(page, info->facts[i].value);
    tb_text_page_print(page, "\n");
  }
  if (info->data_source_count) tb_text_page_print(page, "sources    %zu:", info->data_source_count);
  for (size_t i = 0; i < info->data_source_count && i < SOURCE_NAMES; i++) {
    tb_text_page_print(page, i ? ", " : " ");
    print_name(page, info->data_sources[i]);
  }
  if (info->data_source_count) tb_text_page_print(page, info->data_source_count > SOURCE_NAMES ? ", ...\n" : "\n");
  if (info->buffer_count) tb_text_page_print(page, "buffers    %zu:", info->buffer_count);
  for (size_t i = 0; i < info->buffer_count && i < SOURCE_NAMES; i++)
    tb_text_page_print(page, "%s%s", i ? ", " : " ", tb_bytes_text(a, info->buffer_bytes[i]));
  if (info->buffer_count) tb_text_page_print(page, info->buffer_count > SOURCE_NAMES ? ", ...\n" : "\n");
  if (info->missed_count) tb_text_page_print(page, "missed by the recorder\n");
  for (size_t i = 0; i < info->missed_count; i++)
    tb_text_page_print(page, "  %9" PRIu64 "  %s\n", info->missed[i].count, info->missed[i].text);
}

static void print_names(struct tb_text_page *page, const char *head, const struct tb_info_name *names, size_t count,
                        size_t total) {
  if (count) tb_text_page_print(page, "%s\n", head);
  for (size_t i = 0; i < count && i < BIGGEST; i++) {
    tb_text_page_print(page, "  %9" PRIu64 "  ", names[i].count);
    print_name(page, names[i].text);
    tb_text_page_print(page, "\n");
  }
  print_more(page, total, BIGGEST);
}

static void print_self_times(struct tb_text_page *page, const struct tb_info *info) {
  char a[32];
  if (info->slices_by_self_count) tb_text_page_print(page, "           by time without what is in them\n");
  for (size_t i = 0; i < info->slices_by_self_count && i < BIGGEST; i++) {
    tb_text_page_print(page, "  %9s  ", tb_duration_text(a, info->slices_by_self[i].self_ns));
    print_name(page, info->slices_by_self[i].text);
    tb_text_page_print(page, "\n");
  }
}

static void print_losses(struct tb_text_page *page, const char *head, const struct tb_loss *entries, size_t count) {
  if (count) tb_text_page_print(page, "%s\n", head);
  for (size_t i = 0; i < count; i++) {
    tb_text_page_print(page, "  %9" PRIu64 "  %s", entries[i].count, entries[i].reason);
    if (entries[i].first_offset != TB_NO_OFFSET)
      tb_text_page_print(page, " (first at byte %" PRIu64 ")", entries[i].first_offset);
    tb_text_page_print(page, "\n");
  }
}

static void print_rest(struct tb_text_page *page, const struct tb_info *info) {
  if (info->metadata_count) tb_text_page_print(page, "metadata  ");
  for (size_t i = 0; i < info->metadata_count && i < KINDS; i++) {
    tb_text_page_print(page, " ");
    print_name(page, info->metadata[i]);
  }
  if (info->metadata_count) tb_text_page_print(page, info->metadata_count > KINDS ? " ...\n" : "\n");
  if (info->oddity_count) tb_text_page_print(page, "oddities\n");
  for (size_t i = 0; i < info->oddity_count; i++)
    tb_text_page_print(page, "  %9" PRIu64 "  %s\n", info->oddities[i].count, info->oddities[i].text);
  print_losses(page, "noted", info->notes, info->note_count);
  print_losses(page, "lost", info->losses, info->loss_count);
}

enum tb_status tb_info_text(const struct tb_info *info, tb_text_sink sink, void *ctx) {
  if (!info || !sink) return TB_INVALID;
  struct tb_text_page page = {.sink = sink, .ctx = ctx};
  print_head(&page, info);
  print_recorder(&page, info);
  print_clocks(&page, info);
  print_producers(&page, info);
  print_events(&page, info);
  print_names(&page, "slices     by name", info->slice_names, info->slice_name_count, info->slice_name_total);
  print_self_times(&page, info);
  print_names(&page, "counters   by samples", info->counter_names, info->counter_name_count, info->counter_name_total);
  print_names(&page, "categories by events", info->categories, info->category_count, info->category_total);
  print_threads(&page, info);
  print_packets(&page, info);
  print_records(&page, info);
  print_rest(&page, info);
  return page.stopped ? TB_CANCELLED : TB_OK;
}

enum tb_status tb_info_line(const struct tb_info *info, tb_text_sink sink, void *ctx) {
  if (!info || !sink) return TB_INVALID;
  struct tb_text_page page = {.sink = sink, .ctx = ctx};
  char a[32], date[TB_TIME_TEXT];
  char name[TB_ESCAPE_MAX];
  for (struct tb_str rest = info->file; rest.len;)
    tb_text_page_put(&page, name, tb_escape(TB_ESCAPE_TEXT, &rest, name, sizeof(name)));
  tb_text_page_print(&page, ": %s, %s", tb_format_name(info->format), tb_bytes_text(a, info->stored_bytes));
  if (info->has_wall_time) {
    tb_date_text(info->wall_ns, date);
    tb_text_page_print(&page, ", %s", date);
  }
  if (info->first_ts <= info->last_ts)
    tb_text_page_print(&page, ", %s", tb_duration_text(a, (uint64_t)info->last_ts - (uint64_t)info->first_ts));
  tb_text_page_print(&page, ", %" PRIu64 " event%s, %zu process%s, %zu thread%s", info->events,
                     info->events == 1 ? "" : "s", info->process_count, info->process_count == 1 ? "" : "es",
                     info->thread_count, info->thread_count == 1 ? "" : "s");
  if (info->loss_count)
    tb_text_page_print(&page, ", %zu kind%s of loss", info->loss_count, info->loss_count == 1 ? "" : "s");
  if (info->missed_count) tb_text_page_print(&page, ", the recorder missed some");
  tb_text_page_print(&page, "\n");
  return page.stopped ? TB_CANCELLED : TB_OK;
}
