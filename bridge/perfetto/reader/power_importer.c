/* SPDX-License-Identifier: Apache-2.0
 *
 * Power: what batteries and rails measure and Android estimates, for targets that have the system's own events as
 * text. Counters have the names that the trace processor gives them; of what one application used they say which.
 */
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "perfetto/reader/sched.h"

struct power {
  struct tb_map rails;         /* number, session -> counter */
  struct tb_map consumers;     /* of energy: number, machine -> counter */
  struct tb_map entity_states; /* numbers of entity and state, machine -> counter */
};

static void init_power(void *state, const struct tb_allocator *allocator) {
  struct power *power = state;
  tb_map_init(&power->rails, allocator);
  tb_map_init(&power->consumers, allocator);
  tb_map_init(&power->entity_states, allocator);
}

static void free_power(void *state, const struct tb_allocator *allocator) {
  struct power *power = state;
  (void)allocator;
  tb_map_free(&power->rails);
  tb_map_free(&power->consumers);
  tb_map_free(&power->entity_states);
}

const struct tb_importer_state tb_power_state = {.size = sizeof(struct power), .init = init_power, .free = free_power};

static struct power *power_of(const struct tb_perfetto_reader *r) { return r->importer_state; }

enum { NAME_MAX_LEN = 200 };

/* ---- the battery ------------------------------------------------------------------------------------------------- */

static bool whole_percent(uint64_t bits, int64_t *percent) {
  uint32_t low = (uint32_t)bits;
  float value;
  memcpy(&value, &low, sizeof(value));
  if (!(value >= 0 && value <= 100) || floorf(value) < value) return false;
  *percent = (int64_t)value;
  return true;
}

/* A counter of the battery `b`: "batt.WHAT", or "batt.NAME.WHAT" where there are several. */
static bool emit_charge(struct tb_perfetto_reader *r, const struct tb_wire_field *b, const char *what, int64_t value) {
  struct tb_str name = tb_wire_text(&b[TB_BATTERY_COUNTERS_NAME]);
  return tb_perfetto_emit_gauge(r, 0, value, "batt.%.*s%s%s", (int)name.len, name.ptr, name.len ? "." : "", what);
}

/* What follows from others: the charge where the energy is known in its place, and the power. */
static void emit_derived(struct tb_perfetto_reader *r, const struct tb_wire_field *b) {
  int64_t voltage = (int64_t)b[TB_BATTERY_COUNTERS_VOLTAGE_UV].value;
  int64_t energy = (int64_t)b[TB_BATTERY_COUNTERS_ENERGY_COUNTER_UWH].value;
  int64_t current = (int64_t)b[TB_BATTERY_COUNTERS_CURRENT_UA].value, product;
  if (voltage > 0 && b[TB_BATTERY_COUNTERS_ENERGY_COUNTER_UWH].number &&
      !b[TB_BATTERY_COUNTERS_CHARGE_COUNTER_UAH].number && !__builtin_mul_overflow(energy, 1000000, &product))
    (void)emit_charge(r, b, "charge_uah", product / voltage);
  if (b[TB_BATTERY_COUNTERS_VOLTAGE_UV].number && b[TB_BATTERY_COUNTERS_CURRENT_UA].number &&
      !__builtin_mul_overflow(current, voltage, &product))
    (void)emit_charge(r, b, "power_mw", llabs(product / 1000000000));
}

enum tb_status tb_perfetto_battery(struct tb_perfetto_reader *r, struct tb_str payload) {
  static const struct {
    uint32_t number;
    const char *name;
  } gauges[] = {{TB_BATTERY_COUNTERS_CHARGE_COUNTER_UAH, "charge_uah"},
                {TB_BATTERY_COUNTERS_CAPACITY_PERCENT, "capacity_pct"},
                {TB_BATTERY_COUNTERS_CURRENT_UA, "current_ua"},
                {TB_BATTERY_COUNTERS_CURRENT_AVG_UA, "current.avg_ua"},
                {TB_BATTERY_COUNTERS_VOLTAGE_UV, "voltage_uv"}};
  struct tb_wire_field fields[TB_BATTERY_COUNTERS_VOLTAGE_UV + 1];
  if (tb_perfetto_passes(r, r->context.has_ts)) return TB_OK;
  if (tb_wire_read_fields(payload, fields, sizeof(fields) / sizeof(fields[0])) != TB_OK) return TB_BAD_DATA;
  bool whole = true;
  for (size_t i = 0; i < sizeof(gauges) / sizeof(gauges[0]); i++) {
    const struct tb_wire_field *field = &fields[gauges[i].number];
    int64_t value = (int64_t)field->value;
    if (!field->number) continue;
    bool said = field->type != TB_WIRE_FIXED32 || whole_percent(field->value, &value);
    whole = said && emit_charge(r, fields, gauges[i].name, value) && whole;
  }
  emit_derived(r, fields);
  if (!whole) tb_perfetto_pass_for_counters(r);
  return TB_OK;
}

/* ---- rails ------------------------------------------------------------------------------------------------------- */

struct rail_message {
  uint64_t index, timestamp_ms, energy;
  bool has_timestamp;
  struct tb_str name;
};

/* RailDescriptor and EnergyData have an index first, and differ in type in what follows. */
static struct rail_message read_rail(struct tb_str message) {
  struct rail_message rail = {0};
  struct tb_wire_cursor cursor = tb_wire_cursor(message);
  struct tb_wire_field field;
  while (tb_wire_read(&cursor, &field) == TB_OK) {
    if (field.number == TB_POWER_RAILS_ENERGY_DATA_INDEX) rail.index = field.value;
    if (field.number == TB_POWER_RAILS_ENERGY_DATA_ENERGY && field.type == TB_WIRE_VARINT) rail.energy = field.value;
    if (field.number != TB_POWER_RAILS_ENERGY_DATA_TIMESTAMP_MS) continue;
    rail.has_timestamp = field.type == TB_WIRE_VARINT;
    rail.timestamp_ms = field.value;
    if (field.type == TB_WIRE_BYTES) rail.name = field.bytes;
  }
  return rail;
}

/* Pixel's rails by what they feed: the trace processor's names for them. The device's numbers of a rail, as in
 * "S10M_", come and go. */
static const char *known_rail(struct tb_str name) {
  static const struct {
    const char *rail, *feeds;
    bool numbered;
  } known[] = {{"VDD_CPUCL0", "cpu.little", true},
               {"VDD_CPUCL0_M", "cpu.little.mem", true},
               {"VDD_CPUCL1", "cpu.mid", true},
               {"VDD_CPUCL1_M", "cpu.mid.mem", true},
               {"VDD_CPUCL2", "cpu.big", true},
               {"VDD_G3D", "gpu", true},
               {"VDD_G3D_L2", "gpu.l2", true},
               {"VDD_TPU", "tpu", true},
               {"VDD_INT", "system.fabric", true},
               {"VDD_MIF", "memory.interface", true},
               {"VDDQ_MEM", "ddr.a", true},
               {"VDD2L", "ddr.b", true},
               {"VDD2H_MEM", "ddr.c", true},
               {"VDD_AOC", "aoc.logic", true},
               {"VDD_AOC_RET", "aoc.memory", true},
               {"VDD_CAM", "multimedia", true},
               {"GNSS_CORE", "gps", true},
               {"VSYS_PWR_DISP", "display", false},
               {"VSYS_PWR_DISPLAY", "display", false},
               {"PPVAR_VSYS_PWR_DISP", "display", false},
               {"VSYS_PWR_MODEM", "modem", false},
               {"VSYS_PWR_WLAN_BT", "wifi.bt", false},
               {"VSYS_PWR_RFFE", "radio.frontend", false},
               {"VSYS_PWR_MMWAVE", "mmwave", false}};
  size_t digits = 1;
  while (digits < name.len && isdigit((unsigned char)name.ptr[digits])) digits++;
  bool numbered = digits > 1 && digits + 2 < name.len && strchr("SL", name.ptr[0]) && strchr("SM", name.ptr[digits]) &&
                  name.ptr[digits + 1] == '_';
  if (numbered) name = (struct tb_str){name.ptr + digits + 2, name.len - digits - 2};
  for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
    if (known[i].numbered == numbered && tb_str_equal(name, tb_str_from(known[i].rail))) return known[i].feeds;
  return NULL;
}

/* A rail's number is the recording session's; its counter keeps its name. */
static bool describe_rail(struct tb_perfetto_reader *r, uint64_t session, struct tb_str message) {
  struct rail_message rail = read_rail(message);
  struct tb_perfetto_track *trace = tb_perfetto_find_track(r, 0);
  char name[NAME_MAX_LEN];
  const char *feeds = known_rail(rail.name);
  int len = feeds ? snprintf(name, sizeof(name), "power.rails.%s", feeds)
                  : snprintf(name, sizeof(name), "power.%.*s_uws", (int)rail.name.len, rail.name.ptr);
  if (!trace || !rail.name.len || len < 0 || (size_t)len >= sizeof(name)) return false;
  struct tb_perfetto_track *counter = tb_tracks_named_counter(&r->tracks, trace, (struct tb_str){name, (size_t)len});
  if (!counter || tb_map_put(&power_of(r)->rails, rail.index, session, counter->track.index) != TB_OK)
    r->out_of_memory = true;
  return true;
}

static bool read_energy(struct tb_perfetto_reader *r, uint64_t session, struct tb_str message) {
  struct rail_message rail = read_rail(message);
  uint32_t index;
  if (!tb_map_get(&power_of(r)->rails, rail.index, session, &index)) return false;
  int64_t ts = r->context.ts;
  if (!rail.has_timestamp && !r->context.has_ts) return false;
  if (rail.has_timestamp) {
    ts = (int64_t)(rail.timestamp_ms * 1000000u);
    bool converted = tb_trace_state_convert(&r->state, &r->head, TB_CLOCK_BOOTTIME, ts, &ts);
    if (!converted && tb_trace_state_has_clocks(&r->state, &r->head))
      return false; /* a trace without snapshots has one clock */
  }
  return tb_perfetto_emit_counter_line(r, ts, 0, tb_tracks_at(&r->tracks, index)->track.name, (int64_t)rail.energy);
}

enum tb_status tb_perfetto_power_rails(struct tb_perfetto_reader *r, struct tb_str payload) {
  if (tb_perfetto_passes(r, true)) return TB_OK;
  uint64_t session = 0;
  bool whole = true;
  struct tb_wire_cursor cursor = tb_wire_cursor(payload);
  struct tb_wire_field field;
  while (tb_wire_read(&cursor, &field) == TB_OK)
    if (field.number == TB_POWER_RAILS_SESSION_UUID) session = field.value;
  cursor = tb_wire_cursor(payload);
  enum tb_status status;
  while ((status = tb_wire_read(&cursor, &field)) == TB_OK) {
    if (field.type != TB_WIRE_BYTES) continue;
    if (field.number == TB_POWER_RAILS_RAIL_DESCRIPTOR) whole = describe_rail(r, session, field.bytes) && whole;
    if (field.number == TB_POWER_RAILS_ENERGY_DATA) whole = read_energy(r, session, field.bytes) && whole;
  }
  if (status != TB_END) return TB_BAD_DATA;
  if (!whole) tb_perfetto_pass_for_counters(r);
  return TB_OK;
}

/* ---- estimates and residency ------------------------------------------------------------------------------------- */

/* Keeps `name` for the number of an energy consumer or of an entity's state. */
static void keep_name(struct tb_perfetto_reader *r, struct tb_map *names, uint64_t number, struct tb_str name) {
  struct tb_perfetto_track *trace = tb_perfetto_find_track(r, 0);
  struct tb_perfetto_track *counter = trace ? tb_tracks_named_counter(&r->tracks, trace, name) : NULL;
  if (!counter || tb_map_put(names, number, r->head.machine, counter->track.index) != TB_OK) r->out_of_memory = true;
}

static bool find_name(struct tb_perfetto_reader *r, const struct tb_map *names, uint64_t number, struct tb_str *name) {
  uint32_t index;
  if (!tb_map_get(names, number, r->head.machine, &index)) return false;
  *name = tb_tracks_at(&r->tracks, index)->track.name;
  return true;
}

static void read_consumers(struct tb_perfetto_reader *r, struct tb_str descriptor) {
  struct tb_wire_cursor cursor = tb_wire_cursor(descriptor);
  struct tb_wire_field field, consumer[TB_ANDROID_ENERGY_CONSUMER_NAME + 1];
  while (tb_wire_read(&cursor, &field) == TB_OK) {
    if (field.number != TB_ANDROID_ENERGY_CONSUMER_DESCRIPTOR_ENERGY_CONSUMERS || field.type != TB_WIRE_BYTES) continue;
    (void)tb_wire_read_fields(field.bytes, consumer, sizeof(consumer) / sizeof(consumer[0]));
    keep_name(r, &power_of(r)->consumers, consumer[TB_ANDROID_ENERGY_CONSUMER_ENERGY_CONSUMER_ID].value,
              tb_wire_text(&consumer[TB_ANDROID_ENERGY_CONSUMER_NAME]));
  }
}

/* What applications used of it, each in a counter of its own. */
static bool read_energy_of_uids(struct tb_perfetto_reader *r, struct tb_str payload, struct tb_str name) {
  struct tb_wire_cursor cursor = tb_wire_cursor(payload);
  struct tb_wire_field field, of[TB_ANDROID_ENERGY_ESTIMATION_BREAKDOWN_ENERGY_UID_BREAKDOWN_ENERGY_UWS + 1];
  bool whole = true;
  while (tb_wire_read(&cursor, &field) == TB_OK) {
    if (field.number != TB_ANDROID_ENERGY_ESTIMATION_BREAKDOWN_PER_UID_BREAKDOWN || field.type != TB_WIRE_BYTES)
      continue;
    (void)tb_wire_read_fields(field.bytes, of, sizeof(of) / sizeof(of[0]));
    whole = tb_perfetto_emit_gauge(
                r, 0, (int64_t)of[TB_ANDROID_ENERGY_ESTIMATION_BREAKDOWN_ENERGY_UID_BREAKDOWN_ENERGY_UWS].value,
                "%.*s uid %d", (int)name.len, name.ptr,
                (int)of[TB_ANDROID_ENERGY_ESTIMATION_BREAKDOWN_ENERGY_UID_BREAKDOWN_UID].value) &&
            whole;
  }
  return whole;
}

enum tb_status tb_perfetto_energy_estimate(struct tb_perfetto_reader *r, struct tb_str payload) {
  struct tb_wire_field fields[TB_ANDROID_ENERGY_ESTIMATION_BREAKDOWN_ENERGY_UWS + 1];
  if (tb_perfetto_passes(r, true)) return TB_OK;
  if (tb_wire_read_fields(payload, fields, sizeof(fields) / sizeof(fields[0])) != TB_OK) return TB_BAD_DATA;
  read_consumers(r, tb_wire_text(&fields[TB_ANDROID_ENERGY_ESTIMATION_BREAKDOWN_ENERGY_CONSUMER_DESCRIPTOR]));
  const struct tb_wire_field *id = &fields[TB_ANDROID_ENERGY_ESTIMATION_BREAKDOWN_ENERGY_CONSUMER_ID];
  const struct tb_wire_field *energy = &fields[TB_ANDROID_ENERGY_ESTIMATION_BREAKDOWN_ENERGY_UWS];
  struct tb_str name;
  if (!id->number || !energy->number) return TB_OK; /* names alone */
  bool whole = r->context.has_ts && find_name(r, &power_of(r)->consumers, id->value, &name) &&
               tb_perfetto_emit_counter_line(r, r->context.ts, 0, name, (int64_t)energy->value) &&
               read_energy_of_uids(r, payload, name);
  if (!whole) tb_perfetto_pass_for_counters(r);
  return TB_OK;
}

/* One number of an entity and of its state. */
static uint64_t state_number(const struct tb_wire_field *entity, const struct tb_wire_field *state) {
  return entity->value << 32 | (uint32_t)state->value;
}

static void describe_state(struct tb_perfetto_reader *r, struct tb_str message) {
  struct tb_wire_field state[TB_ENTITY_STATE_RESIDENCY_POWER_ENTITY_STATE_STATE_NAME + 1];
  (void)tb_wire_read_fields(message, state, sizeof(state) / sizeof(state[0]));
  struct tb_str entity = tb_wire_text(&state[TB_ENTITY_STATE_RESIDENCY_POWER_ENTITY_STATE_ENTITY_NAME]);
  struct tb_str name = tb_wire_text(&state[TB_ENTITY_STATE_RESIDENCY_POWER_ENTITY_STATE_STATE_NAME]);
  char text[NAME_MAX_LEN];
  int len = snprintf(text, sizeof(text), "Entity residency: %.*s is %.*s", (int)entity.len, entity.ptr, (int)name.len,
                     name.ptr);
  if (len < 0 || (size_t)len >= sizeof(text)) return; /* its times are passed on as a packet */
  keep_name(r, &power_of(r)->entity_states,
            state_number(&state[TB_ENTITY_STATE_RESIDENCY_POWER_ENTITY_STATE_ENTITY_INDEX],
                         &state[TB_ENTITY_STATE_RESIDENCY_POWER_ENTITY_STATE_STATE_INDEX]),
            (struct tb_str){text, (size_t)len});
}

static bool read_residency(struct tb_perfetto_reader *r, struct tb_str message) {
  struct tb_wire_field residency[TB_ENTITY_STATE_RESIDENCY_STATE_RESIDENCY_TOTAL_TIME_IN_STATE_MS + 1];
  (void)tb_wire_read_fields(message, residency, sizeof(residency) / sizeof(residency[0]));
  uint64_t number = state_number(&residency[TB_ENTITY_STATE_RESIDENCY_STATE_RESIDENCY_ENTITY_INDEX],
                                 &residency[TB_ENTITY_STATE_RESIDENCY_STATE_RESIDENCY_STATE_INDEX]);
  struct tb_str name;
  return r->context.has_ts && find_name(r, &power_of(r)->entity_states, number, &name) &&
         tb_perfetto_emit_counter_line(
             r, r->context.ts, 0, name,
             (int64_t)residency[TB_ENTITY_STATE_RESIDENCY_STATE_RESIDENCY_TOTAL_TIME_IN_STATE_MS].value);
}

enum tb_status tb_perfetto_entity_residency(struct tb_perfetto_reader *r, struct tb_str payload) {
  if (tb_perfetto_passes(r, true)) return TB_OK;
  bool whole = true;
  struct tb_wire_cursor cursor = tb_wire_cursor(payload);
  struct tb_wire_field field;
  enum tb_status status;
  while ((status = tb_wire_read(&cursor, &field)) == TB_OK) {
    if (field.type != TB_WIRE_BYTES) continue;
    if (field.number == TB_ENTITY_STATE_RESIDENCY_POWER_ENTITY_STATE) describe_state(r, field.bytes);
    if (field.number == TB_ENTITY_STATE_RESIDENCY_RESIDENCY) whole = read_residency(r, field.bytes) && whole;
  }
  if (status != TB_END) return TB_BAD_DATA;
  if (!whole) tb_perfetto_pass_for_counters(r);
  return TB_OK;
}
