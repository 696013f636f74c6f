/* SPDX-License-Identifier: Apache-2.0
 *
 * Android's binder in ftrace events, for users of the library: a transaction lasts on the thread that sends it until
 * the reply is received, and on the thread that receives it, as a reply, until that is sent; one that wants no reply
 * is an instant on both. Flows join the two.
 */
#include "ftrace/event_text.h"
#include "perfetto/reader/importers.h"
#include "perfetto/reader/sched.h"

/* Keeps these flow ids apart from those of track events. */
#define BINDER_FLOWS (UINT64_C(0x62696e646572) << 16)

enum { IS_REPLY = 1, IS_ONE_WAY = 2 };
enum { FLAG_ONE_WAY = 1 }; /* of the kernel's transaction_flags */
enum { FIELDS = TB_BINDER_TRANSACTION_FTRACE_EVENT_FLAGS + 1 };

/* What is known of transactions, which say what it is that a thread receives. */
struct binder {
  struct tb_map sent; /* transaction, machine -> IS_REPLY, IS_ONE_WAY */
  struct tb_map when; /* transaction, machine -> its time, of those that have come */
  /* thread, machine -> its process, as process trees say that may come late: binder's events do not */
  struct tb_map processes;
  bool looked_ahead; /* all of the input was searched for what comes late */
};

static void init(void *state, const struct tb_allocator *allocator) {
  tb_map_init(&((struct binder *)state)->sent, allocator);
  tb_map_init(&((struct binder *)state)->when, allocator);
  tb_map_init(&((struct binder *)state)->processes, allocator);
}

static void clean_up(void *state, const struct tb_allocator *allocator) {
  (void)allocator;
  tb_map_free(&((struct binder *)state)->sent);
  tb_map_free(&((struct binder *)state)->when);
  tb_map_free(&((struct binder *)state)->processes);
}

static const struct tb_importer_state binder_state = {.size = sizeof(struct binder), .init = init, .free = clean_up};

static uint64_t note_sent(struct tb_perfetto_reader *r, struct binder *binder, uint32_t machine,
                          struct tb_str message) {
  struct tb_wire_field at[FIELDS];
  (void)tb_wire_read_fields(message, at, FIELDS);
  uint64_t is_reply = at[TB_BINDER_TRANSACTION_FTRACE_EVENT_REPLY].value ? IS_REPLY : 0;
  uint64_t one_way = at[TB_BINDER_TRANSACTION_FTRACE_EVENT_FLAGS].value & FLAG_ONE_WAY ? IS_ONE_WAY : 0;
  uint32_t transaction = (uint32_t)at[TB_BINDER_TRANSACTION_FTRACE_EVENT_DEBUG_ID].value;
  if (tb_map_put(&binder->sent, transaction, machine, is_reply | one_way) != TB_OK) r->out_of_memory = true;
  return is_reply | one_way;
}

/* ---- what comes late: bundles are of one processor each ---------------------------------------------------------- */

static void look_at_event(struct tb_perfetto_reader *r, struct binder *binder, uint32_t machine, struct tb_str event) {
  struct tb_wire_cursor cursor = tb_wire_cursor(event);
  struct tb_wire_field field;
  while (tb_wire_read(&cursor, &field) == TB_OK)
    if (field.number == TB_FTRACE_EVENT_BINDER_TRANSACTION && field.type == TB_WIRE_BYTES)
      (void)note_sent(r, binder, machine, field.bytes);
}

/* Of several that have had a number the first counts. */
static void note_thread(struct tb_perfetto_reader *r, struct binder *binder, uint32_t machine, uint64_t tid,
                        uint64_t pid) {
  if (!tid || tb_map_find(&binder->processes, tid, machine)) return;
  if (tb_map_put(&binder->processes, tid, machine, pid) != TB_OK) r->out_of_memory = true;
}

static void look_at_member(struct tb_perfetto_reader *r, struct binder *binder, uint32_t machine,
                           const struct tb_wire_field *member) {
  uint64_t tid, pid;
  if (member->number == TB_PROCESS_TREE_PROCESSES) {
    tid = pid = tb_wire_find_number(member->bytes, TB_PROCESS_TREE_PROCESS_PID);
  } else {
    tid = tb_wire_find_number(member->bytes, TB_PROCESS_TREE_THREAD_TID);
    pid = tb_wire_find_number(member->bytes, TB_PROCESS_TREE_THREAD_TGID);
  }
  note_thread(r, binder, machine, tid, pid);
}

/* Of a bundle, or of the members of a process tree. */
static void look_at_members(struct tb_perfetto_reader *r, struct binder *binder, const struct tb_packet_header *head) {
  bool is_tree = head->kind == TB_TRACE_PACKET_PROCESS_TREE;
  struct tb_wire_cursor cursor = tb_wire_cursor(head->payload);
  struct tb_wire_field field;
  while (tb_wire_read(&cursor, &field) == TB_OK) {
    if (field.type != TB_WIRE_BYTES) continue;
    if (!is_tree && field.number == TB_FTRACE_EVENT_BUNDLE_EVENT) look_at_event(r, binder, head->machine, field.bytes);
    if (is_tree && (field.number == TB_PROCESS_TREE_PROCESSES || field.number == TB_PROCESS_TREE_THREADS))
      look_at_member(r, binder, head->machine, &field);
  }
}

static void look_at_packet(struct tb_perfetto_reader *r, const struct tb_packet_header *head) {
  struct binder *binder = tb_perfetto_state_of(r, &binder_state);
  if (binder && (head->kind == TB_TRACE_PACKET_FTRACE_EVENTS || head->kind == TB_TRACE_PACKET_PROCESS_TREE))
    look_at_members(r, binder, head);
}

enum tb_status tb_perfetto_ftrace_ahead(struct tb_perfetto_reader *r, struct tb_str payload) {
  struct binder *binder = tb_perfetto_state_of(r, &binder_state);
  (void)payload; /* the header's */
  if (binder) look_at_members(r, binder, &r->head);
  return TB_OK;
}

/* What is received; NULL where no transaction of the input says it, or one that is sent later than that. */
static const uint64_t *find_sent(struct tb_perfetto_reader *r, struct binder *binder, int64_t ts,
                                 uint32_t transaction) {
  const uint64_t *when = tb_map_find(&binder->when, transaction, r->head.machine);
  return when && (int64_t)*when > ts ? NULL : tb_map_find(&binder->sent, transaction, r->head.machine);
}

/* ---- events ------------------------------------------------------------------------------------------------------ */

/* An event of the thread `tid` on a processor. */
struct binder_event {
  struct tb_perfetto_reader *r;
  int64_t ts, tid;
  uint32_t cpu;
};

static struct tb_perfetto_track *find_thread(const struct binder_event *of) {
  const struct binder *binder = tb_perfetto_state_of(of->r, &binder_state);
  struct tb_perfetto_track *thread = tb_perfetto_thread(of->r, NULL, of->tid);
  if (!binder || !thread || thread->track.has_pid) return thread;
  const uint64_t *process = tb_map_find(&binder->processes, (uint64_t)of->tid, of->r->head.machine);
  const int64_t pid = process ? (int64_t)*process : 0;
  return pid ? tb_perfetto_thread(of->r, &pid, of->tid) : thread;
}

/* NULL without memory. A name of NULL: it has none. */
static struct tb_event *emit(const struct binder_event *of, enum tb_event_type type, const char *name) {
  struct tb_perfetto_track *thread = find_thread(of);
  if (!thread) return NULL;
  tb_perfetto_emit_track(of->r, thread);
  struct tb_event *event = tb_perfetto_emit(of->r, type);
  event->has = TB_HAS_TS | TB_HAS_CPU | (name ? TB_HAS_NAME | TB_HAS_CATEGORIES : 0u);
  event->ts = of->ts;
  event->cpu = of->cpu;
  event->track = &thread->track;
  event->phase = type == TB_EVENT_SLICE_BEGIN ? 'B' : type == TB_EVENT_SLICE_END ? 'E' : 'i';
  if (type == TB_EVENT_INSTANT) event->instant_scope = 't';
  if (!name) return event;
  event->name = tb_str_from(name);
  event->categories = TB_STR("binder");
  return event;
}

static void add_flow(struct tb_perfetto_reader *r, struct tb_event *event, uint32_t transaction, bool is_end) {
  uint64_t *flow = event ? tb_perfetto_alloc(r, sizeof(*flow)) : NULL;
  if (!flow) return;
  *flow = BINDER_FLOWS ^ transaction ^ (uint64_t)r->head.machine << 32;
  event->flow_count = is_end ? 0 : 1;
  event->terminating_flow_count = is_end ? 1 : 0;
  event->flow_ids = is_end ? NULL : flow;
  event->terminating_flow_ids = is_end ? flow : NULL;
}

/* What the transaction says, called as the trace processor calls it. */
static void add_args(const struct binder_event *of, const struct tb_wire_field *at, size_t first,
                     struct tb_event *event) {
  static const struct {
    uint32_t number;
    const char *name;
  } shown[] = {{TB_BINDER_TRANSACTION_FTRACE_EVENT_DEBUG_ID, "transaction id"},
               {TB_BINDER_TRANSACTION_FTRACE_EVENT_TARGET_NODE, "destination node"},
               {TB_BINDER_TRANSACTION_FTRACE_EVENT_TO_PROC, "destination process"},
               {TB_BINDER_TRANSACTION_FTRACE_EVENT_TO_THREAD, "destination thread"},
               {TB_BINDER_TRANSACTION_FTRACE_EVENT_FLAGS, "flags"},
               {TB_BINDER_TRANSACTION_FTRACE_EVENT_CODE, "code"}};
  for (size_t i = 0; i < sizeof(shown) / sizeof(shown[0]); i++) {
    if (!at[shown[i].number].number) continue;
    struct tb_arg *arg = tb_perfetto_add_arg(of->r, tb_str_from(shown[i].name));
    arg->type = TB_ARG_INT;
    arg->i = (int32_t)at[shown[i].number].value;
  }
  if (!event || of->r->batch->arg_count == first) return;
  event->args = &of->r->batch->args[first];
  event->arg_count = (uint32_t)(of->r->batch->arg_count - first);
  event->has |= TB_HAS_ARGS;
}

static void send(const struct binder_event *of, struct binder *binder, struct tb_str message) {
  struct tb_wire_field at[FIELDS];
  uint64_t sent = note_sent(of->r, binder, of->r->head.machine, message);
  (void)tb_wire_read_fields(message, at, FIELDS);
  uint32_t transaction = (uint32_t)at[TB_BINDER_TRANSACTION_FTRACE_EVENT_DEBUG_ID].value;
  if (tb_map_put(&binder->when, transaction, of->r->head.machine, (uint64_t)of->ts) != TB_OK)
    of->r->out_of_memory = true;
  struct tb_event *event;
  size_t first = of->r->batch->arg_count;
  if (sent & IS_REPLY) {
    event = emit(of, TB_EVENT_SLICE_END, NULL);
  } else {
    bool is_one_way = sent & IS_ONE_WAY;
    event = emit(of, is_one_way ? TB_EVENT_INSTANT : TB_EVENT_SLICE_BEGIN,
                 is_one_way ? "binder transaction async" : "binder transaction");
    add_flow(of->r, event, transaction, false);
  }
  add_args(of, at, first, event);
}

static bool receive(const struct binder_event *of, struct binder *binder, struct tb_str message) {
  uint32_t transaction = (uint32_t)tb_wire_find_number(message, TB_BINDER_TRANSACTION_RECEIVED_FTRACE_EVENT_DEBUG_ID);
  const uint64_t *sent = find_sent(of->r, binder, of->ts, transaction);
  if (!sent) return false;
  if (*sent & IS_REPLY)
    (void)emit(of, TB_EVENT_SLICE_END, NULL);
  else if (*sent & IS_ONE_WAY)
    add_flow(of->r, emit(of, TB_EVENT_INSTANT, "binder async rcv"), transaction, true);
  else
    add_flow(of->r, emit(of, TB_EVENT_SLICE_BEGIN, "binder reply"), transaction, true);
  return true;
}

bool tb_perfetto_emit_binder(struct tb_perfetto_reader *r, int64_t ts, uint32_t cpu, int64_t tid, uint32_t kind,
                             struct tb_str payload) {
  const struct binder_event event = {.r = r, .ts = ts, .cpu = cpu, .tid = tid};
  struct binder *binder = tb_perfetto_state_of(r, &binder_state);
  if (!binder) return true;
  if (!binder->looked_ahead) {
    binder->looked_ahead = true;
    (void)tb_perfetto_look_at_packets(r, look_at_packet);
  }
  if (kind == TB_FTRACE_EVENT_BINDER_TRANSACTION_RECEIVED) return receive(&event, binder, payload);
  send(&event, binder, payload);
  return true;
}
