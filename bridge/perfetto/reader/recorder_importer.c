/* SPDX-License-Identifier: Apache-2.0
 *
 * What the recorder, and Chrome, say of themselves: its configuration, its statistics, the machine. For targets that
 * take it as members of the trace; others get the packets. And packets that nobody reads further: their fields.
 */
#include "perfetto/packet/packet_kinds.h"
#include "perfetto/reader/typed_fields.h"

static const char NOTE_LEFT_OUT[] =
    "packets in which the recorder describes itself are left out (tb_writer_options.keep_packets keeps them)";
static const char NOTE_REDACTED[] = "packets in which the recorder describes itself are left out";

/* Names of messages whose fields are known. What else there is has its fields' numbers. */
static const struct {
  uint32_t kind;
  const char *type;
} types[] = {{TB_TRACE_PACKET_TRACE_CONFIG, "perfetto.protos.TraceConfig"},
             {TB_TRACE_PACKET_FTRACE_STATS, "perfetto.protos.FtraceStats"},
             {TB_TRACE_PACKET_TRACE_STATS, "perfetto.protos.TraceStats"},
             {TB_TRACE_PACKET_SYSTEM_INFO, "perfetto.protos.SystemInfo"},
             {TB_TRACE_PACKET_CHROME_METADATA, "perfetto.protos.ChromeMetadataPacket"},
             {TB_TRACE_PACKET_CPU_INFO, "perfetto.protos.CpuInfo"},
             {TB_TRACE_PACKET_TRANSLATION_TABLE, "perfetto.protos.TranslationTable"},
             {TB_TRACE_PACKET_TRACK_EVENT_RANGE_OF_INTEREST, "perfetto.protos.TrackEventRangeOfInterest"},
             {TB_TRACE_PACKET_SHELL_HANDLER_MAPPINGS, "perfetto.protos.ShellHandlerMappings"},
             {TB_TRACE_PACKET_SERVICE_EVENT, "perfetto.protos.TracingServiceEvent"},
             {TB_TRACE_PACKET_MODULE_SYMBOLS, "perfetto.protos.ModuleSymbols"},
             {TB_TRACE_PACKET_DEOBFUSCATION_MAPPING, "perfetto.protos.DeobfuscationMapping"},
             {TB_TRACE_PACKET_TRACE_UUID, "perfetto.protos.TraceUuid"},
             {TB_TRACE_PACKET_ETW_EVENTS, "perfetto.protos.EtwTraceEventBundle"},
             {TB_TRACE_PACKET_SHELL_TRANSITION, "perfetto.protos.ShellTransition"},
             {TB_TRACE_PACKET_PROTOLOG_MESSAGE, "perfetto.protos.ProtoLogMessage"},
             {TB_TRACE_PACKET_PROTOLOG_VIEWER_CONFIG, "perfetto.protos.ProtoLogViewerConfig"},
             {TB_TRACE_PACKET_HEAP_GRAPH, "perfetto.protos.HeapGraph"},
             {TB_TRACE_PACKET_SMAPS_PACKET, "perfetto.protos.SmapsPacket"},
             {TB_TRACE_PACKET_VULKAN_API_EVENT, "perfetto.protos.VulkanApiEvent"},
             {TB_TRACE_PACKET_GRAPHICS_FRAME_EVENT, "perfetto.protos.GraphicsFrameEvent"},
             {TB_TRACE_PACKET_KERNEL_WAKELOCK_DATA, "perfetto.protos.KernelWakelockData"},
             {TB_TRACE_PACKET_SURFACEFLINGER_TRANSACTIONS, "perfetto.protos.TransactionTraceEntry"},
             {TB_TRACE_PACKET_SURFACEFLINGER_LAYERS_SNAPSHOT, "perfetto.protos.LayersSnapshotProto"}};

static uint32_t type_of(struct tb_perfetto_reader *r, uint32_t kind) {
  for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++)
    if (types[i].kind == kind) return tb_descriptor_pool_find_type(&r->schema, tb_str_from(types[i].type));
  return 0;
}

/* Opens a dict among the arguments; its place, for close_dict. */
static size_t open_dict(struct tb_perfetto_reader *r, struct tb_str name) {
  struct tb_arg *dict = tb_perfetto_add_arg(r, name);
  dict->type = TB_ARG_DICT;
  dict->flags = TB_ARG_TYPED;
  return r->batch->arg_count - 1;
}

static void close_dict(struct tb_perfetto_reader *r, size_t place) {
  r->batch->args[place].span = (uint32_t)(r->batch->arg_count - place);
}

/* Emits the member of the trace that the dict at `place` is. */
static void emit_member(struct tb_perfetto_reader *r, size_t place) {
  close_dict(r, place);
  struct tb_event *event = tb_perfetto_emit(r, TB_EVENT_TRACE_METADATA);
  event->has = TB_HAS_NAME | TB_HAS_ARGS;
  event->ts = 0;
  event->name = r->batch->args[place].name;
  event->args = &r->batch->args[place];
  event->arg_count = event->args->span;
}

void tb_perfetto_pass_or_note(struct tb_perfetto_reader *r, const char *note) {
  if (!r->reader->target.no_recorder)
    tb_perfetto_pass_packet(r);
  else if (!r->full && r->given == 0)
    tb_reader_note(r->reader, note, r->head.offset);
}

enum tb_status tb_perfetto_recorder(struct tb_perfetto_reader *r, struct tb_str payload) {
  if (!r->reader->target.recorder_members) {
    tb_perfetto_pass_or_note(r, r->reader->target.redacted ? NOTE_REDACTED : NOTE_LEFT_OUT);
    return TB_OK;
  }
  bool is_chrome = r->head.kind == TB_TRACE_PACKET_CHROME_METADATA;
  size_t member = open_dict(r, is_chrome ? TB_STR("metadata") : TB_STR("otherData"));
  if (r->context.has_ts && !is_chrome) {
    struct tb_arg *ts = tb_perfetto_add_arg(r, TB_STR("timestamp"));
    ts->type = TB_ARG_INT;
    ts->i = r->context.ts;
  }
  size_t packet = open_dict(r, tb_packet_kind_name(r->head.kind));
  tb_perfetto_known_fields(r, type_of(r, r->head.kind), payload, NULL);
  close_dict(r, packet);
  emit_member(r, member);
  return TB_OK;
}

/* Names of what the trace has, and processes' data: no recorder's, and lost where there are no members. */
enum tb_status tb_perfetto_lookup_table(struct tb_perfetto_reader *r, struct tb_str payload) {
  if (r->reader->target.recorder_members) return tb_perfetto_recorder(r, payload);
  tb_perfetto_pass_packet(r);
  return TB_OK;
}

/* What the packet refers to by number, where it brings that itself. */
static void add_interned(struct tb_perfetto_reader *r) {
  if (!r->head.interned_count) return;
  size_t place = open_dict(r, TB_STR("interned_data"));
  tb_perfetto_known_fields(r, 0, r->head.interned, NULL);
  close_dict(r, place);
}

/* Entries of interned data in a packet of its own that no importer looks up: what refers to them are packets that
 * nobody reads. */
static void emit_interned(struct tb_perfetto_reader *r) {
  size_t first = r->batch->arg_count;
  size_t member = open_dict(r, TB_STR("otherData")), packet = open_dict(r, TB_STR("interned_data"));
  tb_perfetto_known_fields(r, 0, r->head.interned, tb_trace_state_knows_interned);
  if (r->batch->arg_count == packet + 1) {
    r->batch->arg_count = first;
    return;
  }
  struct tb_arg *sequence = tb_perfetto_add_arg(r, TB_STR("trusted_packet_sequence_id"));
  sequence->type = TB_ARG_UINT;
  sequence->u = r->head.sequence;
  close_dict(r, packet);
  emit_member(r, member);
}

/* A packet that no importer reads: an instant of the trace with its fields, where it has a time. One of a kind that has
 * no name in the schema is given out, and lost: nobody would know what its numbers say. */
enum tb_status tb_perfetto_whole_packet(struct tb_perfetto_reader *r, struct tb_str payload) {
  if (r->head.kind == 0 && r->head.interned_count && r->reader->target.recorder_members) emit_interned(r);
  if (!tb_packet_kind_name(r->head.kind).len || !r->reader->target.recorder_members) {
    tb_perfetto_pass_packet(r);
    return TB_OK;
  }
  if (!r->context.has_ts) return tb_perfetto_recorder(r, payload);
  struct tb_perfetto_track *track = tb_perfetto_find_track(r, 0);
  if (!track) return TB_OK;
  size_t first = r->batch->arg_count;
  tb_perfetto_known_fields(r, type_of(r, r->head.kind), payload, NULL);
  add_interned(r);
  size_t count = r->batch->arg_count - first;
  tb_perfetto_emit_track(r, track);
  struct tb_event *event = tb_perfetto_emit(r, TB_EVENT_INSTANT);
  event->has = TB_HAS_TS | TB_HAS_NAME | TB_HAS_CATEGORIES | (count ? TB_HAS_ARGS : 0);
  event->ts = r->context.ts;
  event->phase = 'i';
  event->instant_scope = 'g';
  event->track = &track->track;
  event->name = tb_packet_kind_name(r->head.kind);
  event->categories = TB_STR("packet");
  event->args = &r->batch->args[first];
  event->arg_count = (uint32_t)count;
  return TB_OK;
}

/* ---- Chrome's ---------------------------------------------------------------------------------------------------- */

/* A ChromeMetadata. */
static void add_metadata(struct tb_perfetto_reader *r, struct tb_str message) {
  struct tb_wire_cursor cursor = tb_wire_cursor(message);
  struct tb_wire_field field;
  struct tb_arg value = {.span = 1, .type = TB_ARG_NULL};
  while (tb_wire_read(&cursor, &field) == TB_OK) {
    switch (field.number) {
      case TB_CHROME_METADATA_NAME:
        value.name = field.bytes;
        break;
      case TB_CHROME_METADATA_STRING_VALUE:
      case TB_CHROME_METADATA_JSON_VALUE:
        value.type = field.number == TB_CHROME_METADATA_JSON_VALUE ? TB_ARG_JSON : TB_ARG_STRING;
        value.text = field.bytes;
        break;
      case TB_CHROME_METADATA_BOOL_VALUE:
        value.type = TB_ARG_BOOL;
        value.u = field.value != 0;
        break;
      case TB_CHROME_METADATA_INT_VALUE:
        value.type = TB_ARG_INT;
        value.u = field.value;
        break;
      default:
        break;
    }
  }
  if (value.name.len) *tb_perfetto_add_arg(r, value.name) = value;
}

static bool is_metadata_alone(struct tb_str payload) {
  struct tb_wire_cursor cursor = tb_wire_cursor(payload);
  struct tb_wire_field field;
  while (tb_wire_read(&cursor, &field) == TB_OK)
    if (field.number != TB_CHROME_EVENT_BUNDLE_METADATA) return false;
  return true;
}

static void emit_chrome_metadata(struct tb_perfetto_reader *r, struct tb_str payload) {
  struct tb_wire_cursor cursor = tb_wire_cursor(payload);
  struct tb_wire_field field;
  size_t member = open_dict(r, TB_STR("metadata"));
  while (tb_wire_read(&cursor, &field) == TB_OK)
    if (field.number == TB_CHROME_EVENT_BUNDLE_METADATA) add_metadata(r, field.bytes);
  emit_member(r, member);
}

/* Events of the form that Chrome had before TrackEvents are not read: their packet is given out, too. */
enum tb_status tb_perfetto_chrome_events(struct tb_perfetto_reader *r, struct tb_str payload) {
  bool is_metadata = is_metadata_alone(payload);
  if (r->reader->target.recorder_members) emit_chrome_metadata(r, payload);
  if (!is_metadata)
    tb_perfetto_pass_packet(r);
  else if (!r->reader->target.recorder_members)
    tb_perfetto_pass_or_note(r, r->reader->target.redacted ? NOTE_REDACTED : NOTE_LEFT_OUT);
  return TB_OK;
}
