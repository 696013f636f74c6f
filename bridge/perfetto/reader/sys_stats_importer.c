/* SPDX-License-Identifier: Apache-2.0
 *
 * What Linux says of itself in files, for targets that have the system's own events as text: a mark of a counter for
 * each number. They are called as the trace processor calls them, but for those of one processor among several, which
 * marks have no place for: their name says which; and of disks it is the file's own numbers, not what changed since the
 * last time.
 */
#include <ctype.h>

#include "perfetto/reader/sched.h"
#include "protos/perfetto/sys_stats.pb-c.h"

enum { PAGE_SIZE_DEFAULT = 4096, KIB = 1024, ENTRY_FIELDS = 10, ORDERS_MAX = 32 };

/* The message of one field of SysStats, by field. */
struct entry {
  struct tb_perfetto_reader *r;
  struct tb_str message;
  struct tb_wire_field at[ENTRY_FIELDS];
};

/* A counter, called as printf would print it. False for a number that marks have no place for. */
#define EMIT(entry, value, ...) \
  ((value) <= INT64_MAX && tb_perfetto_emit_gauge((entry)->r, 0, (int64_t)(value), __VA_ARGS__))

static uint64_t number(const struct entry *e, uint32_t field) { return e->at[field].value; }

/* For "%.*s". */
#define TEXT(field) (int)tb_wire_text(&e->at[field]).len, tb_wire_text(&e->at[field]).ptr

static uint64_t page_size(const struct entry *e) {
  const struct tb_system *system = e->r->importer_state;
  return system->page_size ? system->page_size : PAGE_SIZE_DEFAULT;
}

/* ---- memory ------------------------------------------------------------------------------------------------------ */

static bool meminfo(const struct entry *e) {
  static const char *const names[] = {
      [TB_MEMINFO_UNSPECIFIED] = "MemUnspecified",
      [TB_MEMINFO_MEM_TOTAL] = "MemTotal",
      [TB_MEMINFO_MEM_FREE] = "MemFree",
      [TB_MEMINFO_MEM_AVAILABLE] = "MemAvailable",
      [TB_MEMINFO_BUFFERS] = "Buffers",
      [TB_MEMINFO_CACHED] = "Cached",
      [TB_MEMINFO_SWAP_CACHED] = "SwapCached",
      [TB_MEMINFO_ACTIVE] = "Active",
      [TB_MEMINFO_INACTIVE] = "Inactive",
      [TB_MEMINFO_ACTIVE_ANON] = "Active(anon)",
      [TB_MEMINFO_INACTIVE_ANON] = "Inactive(anon)",
      [TB_MEMINFO_ACTIVE_FILE] = "Active(file)",
      [TB_MEMINFO_INACTIVE_FILE] = "Inactive(file)",
      [TB_MEMINFO_UNEVICTABLE] = "Unevictable",
      [TB_MEMINFO_MLOCKED] = "Mlocked",
      [TB_MEMINFO_SWAP_TOTAL] = "SwapTotal",
      [TB_MEMINFO_SWAP_FREE] = "SwapFree",
      [TB_MEMINFO_DIRTY] = "Dirty",
      [TB_MEMINFO_WRITEBACK] = "Writeback",
      [TB_MEMINFO_ANON_PAGES] = "AnonPages",
      [TB_MEMINFO_MAPPED] = "Mapped",
      [TB_MEMINFO_SHMEM] = "Shmem",
      [TB_MEMINFO_SLAB] = "Slab",
      [TB_MEMINFO_SLAB_RECLAIMABLE] = "SReclaimable",
      [TB_MEMINFO_SLAB_UNRECLAIMABLE] = "SUnreclaim",
      [TB_MEMINFO_KERNEL_STACK] = "KernelStack",
      [TB_MEMINFO_PAGE_TABLES] = "PageTables",
      [TB_MEMINFO_COMMIT_LIMIT] = "CommitLimit",
      [TB_MEMINFO_COMMITED_AS] = "Committed_AS",
      [TB_MEMINFO_VMALLOC_TOTAL] = "VmallocTotal",
      [TB_MEMINFO_VMALLOC_USED] = "VmallocUsed",
      [TB_MEMINFO_VMALLOC_CHUNK] = "VmallocChunk",
      [TB_MEMINFO_CMA_TOTAL] = "CmaTotal",
      [TB_MEMINFO_CMA_FREE] = "CmaFree",
      [TB_MEMINFO_GPU] = "Gpu",
      [TB_MEMINFO_ZRAM] = "Zram",
      [TB_MEMINFO_MISC] = "Misc",
      [TB_MEMINFO_ION_HEAP] = "ION_heap",
      [TB_MEMINFO_ION_HEAP_POOL] = "ION_heap_pool",
  };
  uint64_t key = number(e, TB_SYS_STATS_MEMINFO_VALUE_KEY);
  if (key >= sizeof(names) / sizeof(names[0])) return false;
  return EMIT(e, number(e, TB_SYS_STATS_MEMINFO_VALUE_VALUE) * KIB, "%s", names[key]);
}

/* The file calls them as the schema does, but in lower case and without the prefix. */
static bool vmstat(const struct entry *e) {
  enum { NAME_MAX_LEN = 64, PREFIX = sizeof("VMSTAT_") - 1 };
  uint64_t key = number(e, TB_SYS_STATS_VMSTAT_VALUE_KEY);
  if (key > INT32_MAX) return false;
  const ProtobufCEnumValue *known =
      protobuf_c_enum_descriptor_get_value(&perfetto__protos__vmstat_counters__descriptor, (int)key);
  if (!known) return false;
  char name[NAME_MAX_LEN];
  size_t len = 0;
  for (const char *from = known->name + PREFIX; *from && len + 1 < sizeof(name); from++)
    name[len++] = (char)tolower((unsigned char)*from);
  name[len] = '\0';
  return EMIT(e, number(e, TB_SYS_STATS_VMSTAT_VALUE_VALUE), "%s", key ? name : "VmstatUnspecified");
}

static bool buddy_info(const struct entry *e) {
  struct tb_wire_cursor cursor = tb_wire_cursor(e->message);
  struct tb_wire_field field;
  unsigned order = 0;
  bool whole = true;
  while (tb_wire_read(&cursor, &field) == TB_OK) {
    if (field.number != TB_SYS_STATS_BUDDY_INFO_ORDER_PAGES || field.type != TB_WIRE_VARINT) continue;
    if (order == ORDERS_MAX) return false;
    unsigned size = (unsigned)((page_size(e) << order++) / KIB);
    whole = EMIT(e, field.value, "mem.buddyinfo[%.*s][%.*s][%u kB]", TEXT(TB_SYS_STATS_BUDDY_INFO_NODE),
                 TEXT(TB_SYS_STATS_BUDDY_INFO_ZONE), size) &&
            whole;
  }
  return whole;
}

static bool slab_info(const struct entry *e) {
  uint64_t pages = number(e, TB_SYS_STATS_SLAB_INFO_PAGES_PER_SLAB) * number(e, TB_SYS_STATS_SLAB_INFO_NUM_SLABS);
  return EMIT(e, pages * page_size(e), "mem.slab.%.*s", TEXT(TB_SYS_STATS_SLAB_INFO_NAME));
}

/* ---- processors -------------------------------------------------------------------------------------------------- */

static bool cpu_stat(const struct entry *e) {
  bool whole = true;
  for (uint32_t field = TB_SYS_STATS_CPU_TIMES_USER_NS; field <= TB_SYS_STATS_CPU_TIMES_STEAL_NS; field++) {
    const ProtobufCFieldDescriptor *known =
        protobuf_c_message_descriptor_get_field(&perfetto__protos__sys_stats__cpu_times__descriptor, field);
    unsigned cpu = (unsigned)number(e, TB_SYS_STATS_CPU_TIMES_CPU_ID);
    whole = EMIT(e, number(e, field), "cpu%u.times.%s", cpu, known->name) && whole;
  }
  return whole;
}

static bool cpuidle_state(const struct entry *e) {
  struct tb_wire_cursor cursor = tb_wire_cursor(e->message);
  struct tb_wire_field field;
  bool whole = true;
  while (tb_wire_read(&cursor, &field) == TB_OK) {
    if (field.number != TB_SYS_STATS_CPU_IDLE_STATE_CPUIDLE_STATE_ENTRY || field.type != TB_WIRE_BYTES) continue;
    struct entry state = {.r = e->r};
    (void)tb_wire_read_fields(field.bytes, state.at, ENTRY_FIELDS);
    struct tb_str name = tb_wire_text(&state.at[TB_SYS_STATS_CPU_IDLE_STATE_ENTRY_STATE]);
    whole = EMIT(&state, number(&state, TB_SYS_STATS_CPU_IDLE_STATE_ENTRY_DURATION_US), "cpuidle%u.%.*s",
                 (unsigned)number(e, TB_SYS_STATS_CPU_IDLE_STATE_CPU_ID), (int)name.len, name.ptr) &&
            whole;
  }
  return whole;
}

/* ---- the rest ---------------------------------------------------------------------------------------------------- */

static bool interrupts(const struct entry *e, const char *what) {
  return EMIT(e, number(e, TB_SYS_STATS_INTERRUPT_COUNT_COUNT), "%s (id: %u)", what,
              (unsigned)number(e, TB_SYS_STATS_INTERRUPT_COUNT_IRQ));
}

static bool disk_stat(const struct entry *e) {
  bool whole = true;
  for (uint32_t field = TB_SYS_STATS_DISK_STAT_READ_SECTORS; field <= TB_SYS_STATS_DISK_STAT_FLUSH_TIME_MS; field++) {
    const ProtobufCFieldDescriptor *known =
        protobuf_c_message_descriptor_get_field(&perfetto__protos__sys_stats__disk_stat__descriptor, field);
    if (!e->at[field].number) continue;
    whole =
        EMIT(e, number(e, field), "diskstat.[%.*s].%s", TEXT(TB_SYS_STATS_DISK_STAT_DEVICE_NAME), known->name) && whole;
  }
  return whole;
}

static bool psi(const struct entry *e) {
  static const char *const names[] = {
      "resource.unspecified", "cpu.some", "cpu.full", "io.some", "io.full", "mem.some", "mem.full"};
  uint64_t resource = number(e, TB_SYS_STATS_PSI_SAMPLE_RESOURCE);
  return resource < sizeof(names) / sizeof(names[0]) &&
         EMIT(e, number(e, TB_SYS_STATS_PSI_SAMPLE_TOTAL_NS), "psi.%s", names[resource]);
}

static bool read_entry(const struct entry *e, uint32_t field) {
  switch (field) {
    case TB_SYS_STATS_MEMINFO:
      return meminfo(e);
    case TB_SYS_STATS_VMSTAT:
      return vmstat(e);
    case TB_SYS_STATS_CPU_STAT:
      return cpu_stat(e);
    case TB_SYS_STATS_NUM_IRQ:
      return interrupts(e, "num_irq");
    case TB_SYS_STATS_NUM_SOFTIRQ:
      return interrupts(e, "num_softirq");
    case TB_SYS_STATS_DEVFREQ:
      return EMIT(e, number(e, TB_SYS_STATS_DEVFREQ_VALUE_VALUE), "%.*s Frequency",
                  TEXT(TB_SYS_STATS_DEVFREQ_VALUE_KEY));
    case TB_SYS_STATS_BUDDY_INFO:
      return buddy_info(e);
    case TB_SYS_STATS_DISK_STAT:
      return disk_stat(e);
    case TB_SYS_STATS_PSI:
      return psi(e);
    case TB_SYS_STATS_THERMAL_ZONE:
      return EMIT(e, number(e, TB_SYS_STATS_THERMAL_ZONE_TEMP), "%.*s", TEXT(TB_SYS_STATS_THERMAL_ZONE_TYPE));
    case TB_SYS_STATS_CPUIDLE_STATE:
      return cpuidle_state(e);
    case TB_SYS_STATS_SLAB_INFO:
      return slab_info(e);
    default:
      return false;
  }
}

static bool read_number(struct tb_perfetto_reader *r, const struct tb_wire_field *field, uint32_t *cpu) {
  const struct entry e = {.r = r};
  switch (field->number) {
    case TB_SYS_STATS_NUM_FORKS:
      return EMIT(&e, field->value, "num_forks");
    case TB_SYS_STATS_NUM_IRQ_TOTAL:
      return EMIT(&e, field->value, "num_irq_total");
    case TB_SYS_STATS_NUM_SOFTIRQ_TOTAL:
      return EMIT(&e, field->value, "num_softirq_total");
    case TB_SYS_STATS_GPUFREQ_MHZ:
      return EMIT(&e, field->value, "gpufreq");
    case TB_SYS_STATS_CPUFREQ_KHZ:
      tb_perfetto_emit_frequency_line(r, (*cpu)++, field->value);
      return true;
    default:
      return field->number == TB_SYS_STATS_COLLECTION_END_TIMESTAMP;
  }
}

enum tb_status tb_perfetto_sys_stats(struct tb_perfetto_reader *r, struct tb_str payload) {
  if (tb_perfetto_passes(r, r->context.has_ts)) return TB_OK;
  bool whole = true;
  uint32_t cpu = 0;
  struct tb_wire_cursor cursor = tb_wire_cursor(payload);
  struct tb_wire_field field;
  enum tb_status status;
  while ((status = tb_wire_read(&cursor, &field)) == TB_OK) {
    if (field.type == TB_WIRE_VARINT) {
      whole = read_number(r, &field, &cpu) && whole;
      continue;
    }
    struct entry e = {.r = r, .message = field.bytes};
    if (tb_wire_read_fields(field.bytes, e.at, ENTRY_FIELDS) != TB_OK) return TB_BAD_DATA;
    whole = read_entry(&e, field.number) && whole;
  }
  if (status != TB_END) return TB_BAD_DATA;
  if (!whole) tb_perfetto_pass_for_counters(r);
  return TB_OK;
}

/* Of systems that are not Linux. */
enum tb_status tb_perfetto_cpu_frequency(struct tb_perfetto_reader *r, struct tb_str payload) {
  enum { HZ_IN_KHZ = 1000 };
  struct tb_wire_field fields[TB_GENERIC_KERNEL_CPU_FREQUENCY_EVENT_FREQ_HZ + 1];
  if (tb_perfetto_passes(r, r->context.has_ts)) return TB_OK;
  if (tb_wire_read_fields(payload, fields, sizeof(fields) / sizeof(fields[0])) != TB_OK) return TB_BAD_DATA;
  tb_perfetto_emit_frequency_line(r, (uint32_t)fields[TB_GENERIC_KERNEL_CPU_FREQUENCY_EVENT_CPU].value,
                                  fields[TB_GENERIC_KERNEL_CPU_FREQUENCY_EVENT_FREQ_HZ].value / HZ_IN_KHZ);
  return TB_OK;
}
