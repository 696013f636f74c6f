/* SPDX-License-Identifier: Apache-2.0
 *
 * Packets of a network: instants, and slices of packets that are only counted, on a track for each interface and
 * direction, called and valued as the trace processor does. What overlaps gets further tracks of the same name.
 */
#include <inttypes.h>
#include <stdio.h>

#include "base/mix64.h"
#include "perfetto/reader/reader.h"
#include "protobuf/number_cursor.h"

static const char LOSS_TIME[] = "packets of a network without a timestamp";

enum { LANES_MAX = 64, NAME_MAX_LEN = 255, TEXT_MAX = 32, TEXTS = 4, ARGS_MAX = 10 };

/* Keeps the uuids of these tracks apart from those of descriptors. */
#define NETWORK_TRACKS (UINT64_C(0x6e6574) << 40)

struct network {
  struct tb_map ends; /* of a track by its index: when its last event ends */
};

static void init_network(void *state, const struct tb_allocator *allocator) {
  tb_map_init(&((struct network *)state)->ends, allocator);
}

static void free_network(void *state, const struct tb_allocator *allocator) {
  (void)allocator;
  tb_map_free(&((struct network *)state)->ends);
}

const struct tb_importer_state tb_network_state = {
    .size = sizeof(struct network), .init = init_network, .free = free_network};

/* What packets of a context have in common, by field. */
struct context {
  struct tb_wire_field at[TB_NETWORK_PACKET_EVENT_ICMP_CODE + 1];
};

/* ---- tracks ------------------------------------------------------------------------------------------------------ */

static struct tb_str track_name(const struct context *context, char *text) {
  struct tb_str interface = tb_wire_text(&context->at[TB_NETWORK_PACKET_EVENT_NETWORK_INTERFACE]);
  uint64_t direction = context->at[TB_NETWORK_PACKET_EVENT_DIRECTION].value;
  const char *what = direction == TB_DIR_INGRESS  ? "Received"
                     : direction == TB_DIR_EGRESS ? "Transmitted"
                                                  : "DIR_UNKNOWN";
  int shown = interface.len > NAME_MAX_LEN - TEXT_MAX ? NAME_MAX_LEN - TEXT_MAX : (int)interface.len;
  int len = snprintf(text, NAME_MAX_LEN, "%.*s %s", shown, interface.ptr, what);
  return (struct tb_str){text, (size_t)len};
}

static struct tb_perfetto_track *describe(struct tb_perfetto_reader *r, uint64_t uuid, struct tb_str name) {
  char descriptor[NAME_MAX_LEN + 4 * TB_WIRE_VARINT_MAX];
  char *end = tb_wire_put_uint(descriptor, TB_TRACK_DESCRIPTOR_UUID, uuid);
  end = tb_wire_put_bytes(end, TB_TRACK_DESCRIPTOR_NAME, name.ptr, name.len);
  struct tb_perfetto_track *track;
  enum tb_status status = tb_tracks_describe(&r->tracks, (struct tb_str){descriptor, (size_t)(end - descriptor)},
                                             r->head.machine, r->head.sequence, r->context.ts, false, &track);
  if (status == TB_OK) return track;
  r->out_of_memory = true;
  return NULL;
}

/* The first track of the name that has nothing from `ts` on; the last one where all have. NULL when memory is
 * exhausted. */
static struct tb_perfetto_track *find_track(struct tb_perfetto_reader *r, const struct context *context, int64_t ts) {
  const struct network *network = r->importer_state;
  char text[NAME_MAX_LEN];
  struct tb_str name = track_name(context, text);
  struct tb_perfetto_track *track = NULL;
  for (uint64_t lane = 0; lane < LANES_MAX; lane++) {
    uint64_t uuid = tb_mix_last_word(NETWORK_TRACKS ^ tb_str_hash(name, 0), lane);
    track = tb_tracks_by_uuid(&r->tracks, uuid, r->head.machine, r->head.sequence);
    if (track && !track->described) track = describe(r, uuid, name);
    if (!track) break;
    const uint64_t *end = tb_map_find(&network->ends, track->track.index, 0);
    if (!end || (int64_t)*end <= ts) return track;
  }
  if (!track) r->out_of_memory = true;
  return track;
}

/* ---- arguments --------------------------------------------------------------------------------------------------- */

struct arg_list {
  struct tb_arg *items;
  uint32_t count;
};

static struct tb_arg *add_arg(struct arg_list *list, const char *name, uint64_t number) {
  struct tb_arg *arg = &list->items[list->count++];
  *arg = (struct tb_arg){.name = tb_str_from(name), .span = 1, .type = TB_ARG_INT, .u = number};
  return arg;
}

static void set_text(struct tb_arg *arg, char *text, int len) {
  arg->type = TB_ARG_STRING;
  arg->text = (struct tb_str){text, (size_t)len};
}

static const char *transport_name(uint64_t protocol) {
  enum { ICMP = 1, TCP = 6, UDP = 17, ICMPV6 = 58 }; /* IANA's numbers */
  switch (protocol) {
    case ICMP:
      return "IPPROTO_ICMP";
    case TCP:
      return "IPPROTO_TCP";
    case UDP:
      return "IPPROTO_UDP";
    case ICMPV6:
      return "IPPROTO_ICMPV6";
    default:
      return NULL;
  }
}

/* A letter for each flag of TCP's header that is set, lowest first. */
static int print_flags(char *text, uint64_t flags) {
  static const char letters[] = "fsrpauec";
  for (unsigned i = 0; i < sizeof(letters) - 1; i++) text[i] = flags >> i & 1 ? letters[i] : '.';
  return sizeof(letters) - 1;
}

/* The arguments that only some packets have. */
static void add_details(struct arg_list *list, const struct tb_wire_field *at, char *text) {
  static const struct {
    const char *name;
    uint32_t number;
  } numbers[] = {{"local_port", TB_NETWORK_PACKET_EVENT_LOCAL_PORT},
                 {"remote_port", TB_NETWORK_PACKET_EVENT_REMOTE_PORT},
                 {"packet_icmp_type", TB_NETWORK_PACKET_EVENT_ICMP_TYPE},
                 {"packet_icmp_code", TB_NETWORK_PACKET_EVENT_ICMP_CODE}};
  const struct tb_wire_field *flags = &at[TB_NETWORK_PACKET_EVENT_TCP_FLAGS];
  if (flags->number) set_text(add_arg(list, "packet_tcp_flags", 0), text, print_flags(text, flags->value));
  for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
    if (at[numbers[i].number].number) add_arg(list, numbers[i].name, at[numbers[i].number].value);
}

static void add_args(struct tb_perfetto_reader *r, struct tb_event *event, const struct context *context,
                     uint64_t length, uint64_t count) {
  const struct tb_wire_field *at = context->at;
  char *name = tb_perfetto_alloc(r, TEXTS * TEXT_MAX);
  struct arg_list list = {.items = tb_perfetto_alloc(r, ARGS_MAX * sizeof(*list.items))};
  if (!name || !list.items) return;
  char *transport = name + TEXT_MAX, *tag = transport + TEXT_MAX, *flags = tag + TEXT_MAX;
  uint64_t protocol = at[TB_NETWORK_PACKET_EVENT_IP_PROTO].value, uid = at[TB_NETWORK_PACKET_EVENT_UID].value;
  const char *known = transport_name(protocol);
  set_text(add_arg(&list, "packet_transport", 0), transport,
           known ? snprintf(transport, TEXT_MAX, "%s", known)
                 : snprintf(transport, TEXT_MAX, "IPPROTO (%" PRIu64 ")", protocol));
  add_arg(&list, "socket_uid", uid);
  set_text(add_arg(&list, "socket_tag", 0), tag,
           snprintf(tag, TEXT_MAX, "0x%" PRIx64, at[TB_NETWORK_PACKET_EVENT_TAG].value));
  add_details(&list, at, flags);
  add_arg(&list, "packet_length", length);
  add_arg(&list, "packet_count", count);
  event->args = list.items;
  event->arg_count = list.count;
  event->name = (struct tb_str){name, (size_t)snprintf(name, TEXT_MAX, "uid=%" PRIu64, uid)};
  event->has |= TB_HAS_NAME | TB_HAS_ARGS;
}

/* ---- events ------------------------------------------------------------------------------------------------------ */

/* `count` packets of together `length` bytes, from `ts` on; nothing where they were given out in an earlier batch. */
static void emit_packets(struct tb_perfetto_reader *r, const struct context *context, int64_t ts, uint64_t duration,
                         uint64_t length, uint64_t count) {
  struct network *network = r->importer_state;
  if (r->emitted < r->given) {
    r->emitted++;
    return;
  }
  struct tb_perfetto_track *track = find_track(r, context, ts);
  if (!track) return;
  tb_perfetto_emit_track(r, track);
  struct tb_event *event = tb_perfetto_emit(r, duration ? TB_EVENT_SLICE_BEGIN : TB_EVENT_INSTANT);
  if (r->full) return;
  event->ts = ts;
  event->track = &track->track;
  add_args(r, event, context, length, count);
  int64_t until = (int64_t)((uint64_t)ts + duration);
  if (tb_map_put(&network->ends, track->track.index, 0, (uint64_t)until) != TB_OK) r->out_of_memory = true;
  if (!duration) return;
  event = tb_perfetto_emit(r, TB_EVENT_SLICE_END); /* a packet with a duration is one slice: there is room */
  event->ts = until;
  event->track = &track->track;
}

static bool is_passed(struct tb_perfetto_reader *r) {
  if (r->reader->target.packets) tb_perfetto_pass_packet(r);
  return r->reader->target.packets;
}

static enum tb_status read_context(struct tb_str message, struct context *context) {
  return tb_wire_read_fields(message, context->at, sizeof(context->at) / sizeof(context->at[0])) == TB_OK ? TB_OK
                                                                                                          : TB_BAD_DATA;
}

enum tb_status tb_perfetto_network_packet(struct tb_perfetto_reader *r, struct tb_str payload) {
  struct context context;
  if (is_passed(r)) return TB_OK;
  if (read_context(payload, &context) != TB_OK) return TB_BAD_DATA;
  if (!r->context.has_ts) return tb_perfetto_lose(r, LOSS_TIME);
  emit_packets(r, &context, r->context.ts, 0, context.at[TB_NETWORK_PACKET_EVENT_LENGTH].value, 1);
  return TB_OK;
}

/* The context of a bundle: its own or the interned one; that of an iid that was not sent is empty. */
static enum tb_status bundle_context(struct tb_perfetto_reader *r, const struct tb_wire_field *bundle,
                                     struct context *context) {
  struct tb_str message = tb_wire_text(&bundle[TB_NETWORK_PACKET_BUNDLE_CTX]);
  if (bundle[TB_NETWORK_PACKET_BUNDLE_IID].number) {
    const struct tb_str *entry =
        tb_perfetto_interned(r, TB_INDEX_PACKET_CONTEXT, bundle[TB_NETWORK_PACKET_BUNDLE_IID].value);
    struct tb_wire_field fields[TB_NETWORK_PACKET_CONTEXT_CTX + 1] = {{0}};
    if (entry) (void)tb_wire_read_fields(*entry, fields, sizeof(fields) / sizeof(fields[0]));
    message = tb_wire_text(&fields[TB_NETWORK_PACKET_CONTEXT_CTX]);
  }
  return read_context(message, context);
}

enum tb_status tb_perfetto_network_bundle(struct tb_perfetto_reader *r, struct tb_str payload) {
  struct tb_wire_field bundle[TB_NETWORK_PACKET_BUNDLE_TOTAL_LENGTH + 1];
  struct context context;
  if (is_passed(r)) return TB_OK;
  if (tb_wire_read_fields(payload, bundle, sizeof(bundle) / sizeof(bundle[0])) != TB_OK) return TB_BAD_DATA;
  if (bundle_context(r, bundle, &context) != TB_OK) return TB_BAD_DATA;
  if (!r->context.has_ts) return tb_perfetto_lose(r, LOSS_TIME);
  const struct tb_wire_field *total = &bundle[TB_NETWORK_PACKET_BUNDLE_TOTAL_LENGTH];
  if (total->number) {
    emit_packets(r, &context, r->context.ts, bundle[TB_NETWORK_PACKET_BUNDLE_TOTAL_DURATION].value, total->value,
                 bundle[TB_NETWORK_PACKET_BUNDLE_TOTAL_PACKETS].value);
    return TB_OK;
  }
  struct tb_number_cursor times = tb_number_cursor(payload, TB_NETWORK_PACKET_BUNDLE_PACKET_TIMESTAMPS);
  struct tb_number_cursor lengths = tb_number_cursor(payload, TB_NETWORK_PACKET_BUNDLE_PACKET_LENGTHS);
  uint64_t delay, length = 0;
  while (!r->full && tb_number_cursor_next(&times, &delay)) {
    (void)tb_number_cursor_next(&lengths, &length);
    emit_packets(r, &context, (int64_t)((uint64_t)r->context.ts + delay), 0, length, 1);
  }
  return TB_OK;
}
