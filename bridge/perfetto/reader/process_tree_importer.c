/* SPDX-License-Identifier: Apache-2.0
 *
 * Names and numbers of processes and threads from other packets than track descriptors.
 */
#include "perfetto/reader/sched.h"
#include "protos/perfetto/generic_kernel.pb-c.h"
#include "protos/perfetto/processes.pb-c.h"
#include "protos/perfetto/track_descriptor.pb-c.h"

static void name_process(struct tb_perfetto_reader *r, int64_t pid, struct tb_str name, enum tb_name_rank rank) {
  struct tb_perfetto_track *track = tb_perfetto_process(r, pid);
  if (!track) return;
  tb_perfetto_name_track(r, track, name, rank);
  tb_perfetto_emit_track(r, track);
}

static void name_thread(struct tb_perfetto_reader *r, const int64_t *pid, int64_t tid, struct tb_str name) {
  struct tb_perfetto_track *track = tb_perfetto_thread(r, pid, tid);
  if (!track) return;
  tb_perfetto_name_track(r, track, name, TB_NAME_THREAD_TREE);
  tb_perfetto_emit_track(r, track);
}

enum tb_status tb_perfetto_process_descriptor(struct tb_perfetto_reader *r, struct tb_str payload) {
  ProtobufCMessage *message;
  enum tb_status status = tb_perfetto_unpack(r, &perfetto__protos__process_descriptor__descriptor, payload, &message);
  if (status != TB_OK) return status;
  const Perfetto__Protos__ProcessDescriptor *process = (const Perfetto__Protos__ProcessDescriptor *)message;
  struct tb_str name = tb_message_str(process->process_name);
  bool by_command = name.len == 0 && process->n_cmdline;
  if (by_command) name = tb_message_str(process->cmdline[0]);
  if (process->has_pid) name_process(r, process->pid, name, by_command ? TB_NAME_COMMAND : TB_NAME_DESCRIPTOR);
  return TB_OK;
}

/* Of a worker of the kernel's the name without the queue that it worked for last, which is another one soon after:
 * "kworker/0:1-events". */
static struct tb_str name_of_process(const Perfetto__Protos__ProcessTree__Process *process) {
  enum { KTHREADD = 2 };
  static const struct tb_str worker = {"kworker/", 8};
  struct tb_str name = process->n_cmdline ? tb_message_str(process->cmdline[0]) : (struct tb_str){"", 0};
  if (process->ppid != KTHREADD || name.len < worker.len || memcmp(name.ptr, worker.ptr, worker.len) != 0) return name;
  size_t len = worker.len;
  while (len < name.len && name.ptr[len] != '-' && name.ptr[len] != '+') len++;
  return (struct tb_str){name.ptr, len};
}

enum tb_status tb_perfetto_process_tree(struct tb_perfetto_reader *r, struct tb_str payload) {
  if (tb_perfetto_is_in_text(r)) return TB_OK;
  ProtobufCMessage *message;
  enum tb_status status = tb_perfetto_unpack(r, &perfetto__protos__process_tree__descriptor, payload, &message);
  if (status != TB_OK) return status;
  const Perfetto__Protos__ProcessTree *tree = (const Perfetto__Protos__ProcessTree *)message;
  for (size_t i = 0; i < tree->n_processes; i++) {
    const Perfetto__Protos__ProcessTree__Process *process = tree->processes[i];
    int64_t pid = process->pid;
    name_process(r, pid, name_of_process(process), TB_NAME_PROCESS_TREE);
    if (pid) (void)tb_perfetto_thread(r, &pid, pid); /* Linux numbers a process by its first thread */
  }
  for (size_t i = 0; i < tree->n_threads; i++) {
    const Perfetto__Protos__ProcessTree__Thread *thread = tree->threads[i];
    int64_t pid = thread->tgid;
    name_thread(r, thread->has_tgid ? &pid : NULL, thread->tid, tb_message_str(thread->name));
  }
  return TB_OK;
}

enum tb_status tb_perfetto_generic_process_tree(struct tb_perfetto_reader *r, struct tb_str payload) {
  ProtobufCMessage *message;
  enum tb_status status =
      tb_perfetto_unpack(r, &perfetto__protos__generic_kernel_process_tree__descriptor, payload, &message);
  if (status != TB_OK) return status;
  const Perfetto__Protos__GenericKernelProcessTree *tree = (const Perfetto__Protos__GenericKernelProcessTree *)message;
  for (size_t i = 0; i < tree->n_processes; i++) {
    name_process(r, tree->processes[i]->pid, tb_message_str(tree->processes[i]->cmdline), TB_NAME_PROCESS_TREE);
  }
  for (size_t i = 0; i < tree->n_threads; i++) {
    const Perfetto__Protos__GenericKernelProcessTree__Thread *thread = tree->threads[i];
    int64_t pid = thread->pid;
    name_thread(r, thread->has_pid ? &pid : NULL, thread->tid, tb_message_str(thread->comm));
  }
  return TB_OK;
}

/* ---- looking ahead ----------------------------------------------------------------------------------------------- */

/* The process that the input's first word on the thread names. */
static enum tb_status place_thread(struct tb_perfetto_reader *r, uint32_t machine, int64_t pid, int64_t tid) {
  struct tb_perfetto_track *track = tid ? tb_tracks_thread(&r->tracks, NULL, tid, machine) : NULL;
  if (track && !track->track.has_pid) track = tb_tracks_thread(&r->tracks, &pid, tid, machine);
  return track || !tid ? TB_OK : TB_NO_MEMORY;
}

static enum tb_status place_threads(struct tb_perfetto_reader *r, uint32_t machine,
                                    const Perfetto__Protos__ProcessTree *tree) {
  enum tb_status status = TB_OK;
  for (size_t i = 0; i < tree->n_processes && status == TB_OK; i++)
    status = place_thread(r, machine, tree->processes[i]->pid, tree->processes[i]->pid);
  for (size_t i = 0; i < tree->n_threads && status == TB_OK; i++)
    if (tree->threads[i]->has_tgid) status = place_thread(r, machine, tree->threads[i]->tgid, tree->threads[i]->tid);
  return status;
}

enum tb_status tb_perfetto_look_at_process_tree(struct tb_perfetto_reader *r, const struct tb_packet_header *head) {
  struct tb_arena arena;
  ProtobufCMessage *message;
  tb_arena_init(&arena, r->allocator, 0);
  enum tb_status status =
      tb_message_read(&arena, &perfetto__protos__process_tree__descriptor, head->payload, &message, NULL);
  if (status == TB_OK) status = place_threads(r, head->machine, (const Perfetto__Protos__ProcessTree *)message);
  tb_arena_free(&arena);
  return status;
}

/* ---- kernels other than Linux ------------------------------------------------------------------------------------ */

enum tb_status tb_perfetto_task_rename(struct tb_perfetto_reader *r, struct tb_str payload) {
  ProtobufCMessage *message;
  enum tb_status status =
      tb_perfetto_unpack(r, &perfetto__protos__generic_kernel_task_rename_event__descriptor, payload, &message);
  if (status != TB_OK) return status;
  const Perfetto__Protos__GenericKernelTaskRenameEvent *rename =
      (const Perfetto__Protos__GenericKernelTaskRenameEvent *)message;
  name_thread(r, NULL, rename->tid, tb_message_str(rename->comm));
  return TB_OK;
}

/* ---- the sequence's own thread ----------------------------------------------------------------------------------- */

enum tb_status tb_perfetto_thread_descriptor(struct tb_perfetto_reader *r, struct tb_str payload) {
  struct tb_sequence_state *sequence = r->context.sequence;
  struct tb_sequence_extras *extras = tb_sequence_own_extras(&r->state, sequence);
  struct tb_wire_cursor cursor = tb_wire_cursor(payload);
  struct tb_wire_field field;
  struct tb_str name = {"", 0};
  int64_t pid = tb_sequence_pid(sequence), tid = tb_sequence_tid(sequence);
  enum tb_status status;
  if (!extras) {
    r->out_of_memory = true;
    return TB_OK;
  }
  while ((status = tb_wire_read(&cursor, &field)) == TB_OK) {
    switch (field.number) {
      case TB_THREAD_DESCRIPTOR_PID:
        pid = tb_tracks_described_id(&r->tracks, (int32_t)field.value);
        break;
      case TB_THREAD_DESCRIPTOR_TID:
        tid = tb_tracks_described_id(&r->tracks, (int64_t)field.value);
        break;
      case TB_THREAD_DESCRIPTOR_THREAD_NAME:
        name = field.bytes;
        break;
      case TB_THREAD_DESCRIPTOR_REFERENCE_TIMESTAMP_US:
        extras->reference_us = (int64_t)field.value;
        break;
      case TB_THREAD_DESCRIPTOR_REFERENCE_THREAD_TIME_US:
        extras->thread_time_us = (int64_t)field.value;
        break;
      case TB_THREAD_DESCRIPTOR_REFERENCE_THREAD_INSTRUCTION_COUNT:
        extras->instruction_count = (int64_t)field.value;
        break;
      default:
        break;
    }
  }
  if (status != TB_END) return TB_BAD_DATA;
  sequence->has_thread = sequence->has_reference = true;
  struct tb_perfetto_track *track = tb_tracks_thread(&r->tracks, &pid, tid, r->head.machine);
  if (!track || tb_sequence_set_ids(&r->state, sequence, pid, tid) != TB_OK) {
    r->out_of_memory = true;
    return TB_OK;
  }
  tb_perfetto_name_track(r, track, name, TB_NAME_DESCRIPTOR);
  tb_perfetto_emit_track(r, track);
  return TB_OK;
}
