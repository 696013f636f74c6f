/* SPDX-License-Identifier: Apache-2.0
 *
 * Operations of Windows on files: a slice from where one begins to where its I/O request packet ends, on tracks of the
 * thread, called and with arguments as the trace processor has them. One that lacks its begin or its end lasts no
 * time.
 */
#include <inttypes.h>
#include <stdio.h>

#include "base/utf8.h"
#include "perfetto/reader/payloads/etw.h"

enum { OPERATIONS_MAX = 1 << 20, LANES_MAX = 64 };

enum shown { AS_NUMBER, AS_POINTER, AS_TEXT, AS_CLASS, AS_EXTRA };

/* A field of an event, and the argument that it is. */
struct file_event_field {
  uint32_t number;
  enum shown shown;
  const char *name;
};

enum { FIELDS_MAX = 8, WIRE_FIELDS = TB_FILE_IO_DIR_ENUM_ETW_EVENT_OPCODE + 1 };

/* A kind of event: its field of EtwTraceEvent, its fields, and what its operation is called where none of them says
 * so. */
struct file_event_kind {
  uint32_t number, irp, opcode;
  const char *name;
  struct file_event_field fields[FIELDS_MAX];
};

static const char PACKET[] = "I/O Request Packet", OBJECT[] = "File Object", KEY[] = "File Key", THREAD[] = "Thread ID",
                  CLASS[] = "Info Class", EXTRA[] = "Extra Info", MISSING[] = "Missing Event";

static const struct file_event_kind kinds[] = {
    {TB_ETW_TRACE_EVENT_FILE_IO_CREATE,
     TB_FILE_IO_CREATE_ETW_EVENT_IRP_PTR,
     0,
     "CreateFile",
     {{TB_FILE_IO_CREATE_ETW_EVENT_IRP_PTR, AS_POINTER, PACKET},
      {TB_FILE_IO_CREATE_ETW_EVENT_FILE_OBJECT, AS_POINTER, OBJECT},
      {TB_FILE_IO_CREATE_ETW_EVENT_TTID, AS_NUMBER, THREAD},
      {TB_FILE_IO_CREATE_ETW_EVENT_CREATE_OPTIONS, AS_POINTER, "Create Options"},
      {TB_FILE_IO_CREATE_ETW_EVENT_FILE_ATTRIBUTES, AS_POINTER, "File Attributes"},
      {TB_FILE_IO_CREATE_ETW_EVENT_SHARE_ACCESS, AS_POINTER, "Share Access"},
      {TB_FILE_IO_CREATE_ETW_EVENT_OPEN_PATH, AS_TEXT, "Open Path"}}},
    {TB_ETW_TRACE_EVENT_FILE_IO_DIR_ENUM,
     TB_FILE_IO_DIR_ENUM_ETW_EVENT_IRP_PTR,
     TB_FILE_IO_DIR_ENUM_ETW_EVENT_OPCODE,
     "DirEnum",
     {{TB_FILE_IO_DIR_ENUM_ETW_EVENT_IRP_PTR, AS_POINTER, PACKET},
      {TB_FILE_IO_DIR_ENUM_ETW_EVENT_FILE_OBJECT, AS_POINTER, OBJECT},
      {TB_FILE_IO_DIR_ENUM_ETW_EVENT_FILE_KEY, AS_POINTER, KEY},
      {TB_FILE_IO_DIR_ENUM_ETW_EVENT_TTID, AS_NUMBER, THREAD},
      {TB_FILE_IO_DIR_ENUM_ETW_EVENT_LENGTH, AS_NUMBER, "Length"},
      {TB_FILE_IO_DIR_ENUM_ETW_EVENT_INFO_CLASS, AS_CLASS, CLASS},
      {TB_FILE_IO_DIR_ENUM_ETW_EVENT_FILE_INDEX, AS_NUMBER, "File Index"},
      {TB_FILE_IO_DIR_ENUM_ETW_EVENT_FILE_NAME, AS_TEXT, "Enumeration Path"}}},
    {TB_ETW_TRACE_EVENT_FILE_IO_INFO,
     TB_FILE_IO_INFO_ETW_EVENT_IRP_PTR,
     TB_FILE_IO_INFO_ETW_EVENT_OPCODE,
     "Info",
     {{TB_FILE_IO_INFO_ETW_EVENT_IRP_PTR, AS_POINTER, PACKET},
      {TB_FILE_IO_INFO_ETW_EVENT_FILE_OBJECT, AS_POINTER, OBJECT},
      {TB_FILE_IO_INFO_ETW_EVENT_FILE_KEY, AS_POINTER, KEY},
      {TB_FILE_IO_INFO_ETW_EVENT_EXTRA_INFO, AS_EXTRA, EXTRA},
      {TB_FILE_IO_INFO_ETW_EVENT_TTID, AS_NUMBER, THREAD},
      {TB_FILE_IO_INFO_ETW_EVENT_INFO_CLASS, AS_CLASS, CLASS}}},
    {TB_ETW_TRACE_EVENT_FILE_IO_READ_WRITE,
     TB_FILE_IO_READ_WRITE_ETW_EVENT_IRP_PTR,
     TB_FILE_IO_READ_WRITE_ETW_EVENT_OPCODE,
     "ReadOrWrite",
     {{TB_FILE_IO_READ_WRITE_ETW_EVENT_IRP_PTR, AS_POINTER, PACKET},
      {TB_FILE_IO_READ_WRITE_ETW_EVENT_OFFSET, AS_NUMBER, "Offset"},
      {TB_FILE_IO_READ_WRITE_ETW_EVENT_FILE_OBJECT, AS_POINTER, OBJECT},
      {TB_FILE_IO_READ_WRITE_ETW_EVENT_FILE_KEY, AS_POINTER, KEY},
      {TB_FILE_IO_READ_WRITE_ETW_EVENT_TTID, AS_NUMBER, THREAD},
      {TB_FILE_IO_READ_WRITE_ETW_EVENT_IO_SIZE, AS_NUMBER, "I/O Size"},
      {TB_FILE_IO_READ_WRITE_ETW_EVENT_IO_FLAGS, AS_POINTER, "I/O Flags"}}},
    {TB_ETW_TRACE_EVENT_FILE_IO_SIMPLE_OP,
     TB_FILE_IO_SIMPLE_OP_ETW_EVENT_IRP_PTR,
     TB_FILE_IO_SIMPLE_OP_ETW_EVENT_OPCODE,
     "SimpleOp",
     {{TB_FILE_IO_SIMPLE_OP_ETW_EVENT_IRP_PTR, AS_POINTER, PACKET},
      {TB_FILE_IO_SIMPLE_OP_ETW_EVENT_FILE_OBJECT, AS_POINTER, OBJECT},
      {TB_FILE_IO_SIMPLE_OP_ETW_EVENT_FILE_KEY, AS_POINTER, KEY},
      {TB_FILE_IO_SIMPLE_OP_ETW_EVENT_TTID, AS_NUMBER, THREAD}}},
    {TB_ETW_TRACE_EVENT_FILE_IO_OP_END,
     TB_FILE_IO_OP_END_ETW_EVENT_IRP_PTR,
     0,
     "EndOperation",
     {{TB_FILE_IO_OP_END_ETW_EVENT_EXTRA_INFO, AS_NUMBER, EXTRA},
      {TB_FILE_IO_OP_END_ETW_EVENT_NT_STATUS, AS_POINTER, "NT Status"}}},
};

static const struct file_event_kind *find_kind(uint32_t number) {
  for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
    if (kinds[i].number == number) return &kinds[i];
  return NULL;
}

bool tb_etw_is_file(uint32_t kind) { return find_kind(kind) != NULL; }

/* ---- names of Windows -------------------------------------------------------------------------------------------- */

/* Types of the events of FileIo. */
static struct tb_str opcode_name(uint64_t opcode) {
  static const char *const names[] = {[64] = "CreateFile",
                                      [65] = "Cleanup",
                                      [66] = "Close",
                                      [67] = "ReadFile",
                                      [68] = "WriteFile",
                                      [69] = "SetInformation",
                                      [70] = "DeleteFile",
                                      [71] = "RenameFile",
                                      [72] = "DirectoryEnumeration",
                                      [73] = "Flush",
                                      [74] = "QueryFileInformation",
                                      [75] = "FilesystemControlEvent",
                                      [76] = "EndOperation",
                                      [77] = "DirectoryNotification"};
  bool is_known = opcode < sizeof(names) / sizeof(names[0]) && names[opcode];
  return tb_str_from(is_known ? names[opcode] : "");
}

/* FILE_INFORMATION_CLASS. */
enum { CLASS_DISPOSITION = 13, CLASS_ALLOCATION = 19, CLASS_END_OF_FILE = 20 };

static const char *const class_names[] = {[1] = "FileDirectoryInformation",
                                          "FileFullDirectoryInformation",
                                          "FileBothDirectoryInformation",
                                          "FileBasicInformation",
                                          "FileStandardInformation",
                                          "FileInternalInformation",
                                          "FileEaInformation",
                                          "FileAccessInformation",
                                          "FileNameInformation",
                                          "FileRenameInformation",
                                          "FileLinkInformation",
                                          "FileNamesInformation",
                                          "FileDispositionInformation",
                                          "FilePositionInformation",
                                          "FileFullEaInformation",
                                          "FileModeInformation",
                                          "FileAlignmentInformation",
                                          "FileAllInformation",
                                          "FileAllocationInformation",
                                          "FileEndOfFileInformation",
                                          "FileAlternateNameInformation",
                                          "FileStreamInformation",
                                          "FilePipeInformation",
                                          "FilePipeLocalInformation",
                                          "FilePipeRemoteInformation",
                                          "FileMailslotQueryInformation",
                                          "FileMailslotSetInformation",
                                          "FileCompressionInformation",
                                          "FileObjectIdInformation",
                                          "FileCompletionInformation",
                                          "FileMoveClusterInformation",
                                          "FileQuotaInformation",
                                          "FileReparsePointInformation",
                                          "FileNetworkOpenInformation",
                                          "FileAttributeTagInformation",
                                          "FileTrackingInformation",
                                          "FileIdBothDirectoryInformation",
                                          "FileIdFullDirectoryInformation",
                                          "FileValidDataLengthInformation",
                                          "FileShortNameInformation",
                                          "FileIoCompletionNotificationInformation",
                                          "FileIoStatusBlockRangeInformation",
                                          "FileIoPriorityHintInformation",
                                          "FileSfioReserveInformation",
                                          "FileSfioVolumeInformation",
                                          "FileHardLinkInformation",
                                          "FileProcessIdsUsingFileInformation",
                                          "FileNormalizedNameInformation",
                                          "FileNetworkPhysicalNameInformation",
                                          "FileIdGlobalTxDirectoryInformation",
                                          "FileIsRemoteDeviceInformation",
                                          "FileUnusedInformation",
                                          "FileNumaNodeInformation",
                                          "FileStandardLinkInformation",
                                          "FileRemoteProtocolInformation",
                                          "FileRenameInformationBypassAccessCheck",
                                          "FileLinkInformationBypassAccessCheck",
                                          "FileVolumeNameInformation",
                                          "FileIdInformation",
                                          "FileIdExtdDirectoryInformation",
                                          "FileReplaceCompletionInformation",
                                          "FileHardLinkFullIdInformation",
                                          "FileIdExtdBothDirectoryInformation",
                                          "FileDispositionInformationEx",
                                          "FileRenameInformationEx",
                                          "FileRenameInformationExBypassAccessCheck",
                                          "FileDesiredStorageClassInformation",
                                          "FileStatInformation",
                                          "FileMemoryPartitionInformation",
                                          "FileStatLxInformation",
                                          "FileCaseSensitiveInformation",
                                          "FileLinkInformationEx",
                                          "FileLinkInformationExBypassAccessCheck",
                                          "FileStorageReserveIdInformation",
                                          "FileCaseSensitiveInformationForceAccessCheck",
                                          "FileKnownFolderInformation",
                                          "FileStatBasicInformation",
                                          "FileId64ExtdDirectoryInformation",
                                          "FileId64ExtdBothDirectoryInformation",
                                          "FileIdAllExtdDirectoryInformation",
                                          "FileIdAllExtdBothDirectoryInformation"};

static struct tb_str class_name(uint64_t number) {
  bool is_known = number < sizeof(class_names) / sizeof(class_names[0]) && class_names[number];
  return tb_str_from(is_known ? class_names[number] : "");
}

/* What the extra number of a class of information is. */
static const char *extra_name(const struct tb_wire_field *class) {
  if (class->number && class->value == CLASS_DISPOSITION) return "Disposition";
  bool is_size = class->value == CLASS_ALLOCATION || class->value == CLASS_END_OF_FILE;
  return class->number && is_size ? "File Size" : EXTRA;
}

/* ---- events ------------------------------------------------------------------------------------------------------ */

static void set_text(struct tb_arg *arg, struct tb_str text) {
  arg->type = tb_utf8_is_text(text) ? TB_ARG_STRING : TB_ARG_BLOB;
  arg->text = text;
}

static void add_arg(struct tb_perfetto_reader *r, const struct file_event_field *field,
                    const struct tb_wire_field *wire) {
  struct tb_wire_field at = wire[field->number];
  bool is_text = field->shown == AS_TEXT;
  if (!at.number || (at.type == TB_WIRE_BYTES) != is_text) return;
  const char *name = field->name;
  if (field->shown == AS_EXTRA) name = extra_name(&wire[TB_FILE_IO_INFO_ETW_EVENT_INFO_CLASS]);
  struct tb_arg *arg = tb_perfetto_add_arg(r, tb_str_from(name));
  arg->type = field->shown == AS_POINTER ? TB_ARG_POINTER : TB_ARG_UINT;
  arg->u = at.value;
  struct tb_str class = field->shown == AS_CLASS ? class_name(at.value) : TB_STR("");
  if (is_text || class.len) set_text(arg, is_text ? at.bytes : class);
}

static void add_missing(struct tb_perfetto_reader *r, const char *what) {
  struct tb_arg *arg = tb_perfetto_add_arg(r, tb_str_from(MISSING));
  arg->type = TB_ARG_STRING;
  arg->text = tb_str_from(what);
}

/* The first of the thread's tracks where nothing is open, since its operations may overlap; the last one where each has
 * something. */
static uint32_t free_lane(const struct tb_etw *etw, uint32_t thread) {
  uint32_t lane = 0;
  while (lane < LANES_MAX - 1 && tb_map_find(&etw->lanes, thread, lane)) lane++;
  return lane;
}

/* NULL without memory. */
static struct tb_perfetto_track *lane_track(struct tb_perfetto_reader *r, const struct tb_etw_operation *of) {
  char name[32];
  int len = of->lane ? snprintf(name, sizeof(name), "File I/O %" PRIu32, of->lane + 1)
                     : snprintf(name, sizeof(name), "File I/O");
  struct tb_perfetto_track *track =
      tb_tracks_named_custom(&r->tracks, tb_tracks_at(&r->tracks, of->thread), (struct tb_str){name, (size_t)len});
  if (!track) r->out_of_memory = true;
  return track;
}

/* Its arguments are those from `first` on. */
static void emit(struct tb_perfetto_reader *r, enum tb_event_type type, const struct tb_etw_operation *of, int64_t ts,
                 size_t first) {
  struct tb_perfetto_track *track = lane_track(r, of);
  if (!track) return;
  tb_perfetto_emit_track(r, tb_tracks_at(&r->tracks, of->thread));
  tb_perfetto_emit_track(r, track);
  struct tb_event *event = tb_perfetto_emit(r, type);
  event->has = TB_HAS_TS | TB_HAS_NAME | (r->batch->arg_count > first ? TB_HAS_ARGS : 0u);
  event->ts = ts;
  event->phase = type == TB_EVENT_SLICE_BEGIN ? 'B' : 'E';
  event->track = &track->track;
  event->name = of->name;
  event->args = &r->batch->args[first];
  event->arg_count = (uint32_t)(r->batch->arg_count - first);
}

/* What lasts no time. */
static void emit_moment(struct tb_perfetto_reader *r, const struct tb_etw_operation *of, size_t first) {
  emit(r, TB_EVENT_SLICE_BEGIN, of, of->ts, first);
  emit(r, TB_EVENT_SLICE_END, of, of->ts, r->batch->arg_count);
}

/* ---- operations -------------------------------------------------------------------------------------------------- */

/* Without an end the operation's track stays its own. */
static void forget(struct tb_etw *etw, uint32_t place, bool has_ended) {
  const struct tb_etw_operation *gone = &etw->operations[place], *last = &etw->operations[etw->count - 1];
  tb_map_remove(&etw->begun, gone->irp, gone->machine);
  if (has_ended) tb_map_count_down(&etw->lanes, gone->thread, gone->lane);
  uint64_t *moved = tb_map_find(&etw->begun, last->irp, last->machine);
  if (moved) *moved = place;
  etw->operations[place] = *last;
  etw->count--;
}

/* The end of an operation is not in the trace. */
static void end_unmatched(struct tb_perfetto_reader *r, uint32_t place) {
  struct tb_etw *etw = r->importer_state;
  const struct tb_etw_operation *operation = &etw->operations[place];
  size_t first = r->batch->arg_count;
  add_missing(r, "End");
  emit(r, TB_EVENT_SLICE_END, operation, operation->ts, first);
  if (!r->full) forget(etw, place, true);
}

static void begin(struct tb_perfetto_reader *r, const struct tb_etw_operation *operation, size_t first) {
  struct tb_etw *etw = r->importer_state;
  void *operations = etw->operations;
  enum tb_status status = tb_grow_array(etw->begun.allocator, &operations, &etw->capacity, etw->count + 1,
                                        sizeof(*etw->operations), OPERATIONS_MAX);
  etw->operations = operations;
  if (status == TB_OK) status = tb_map_put(&etw->begun, operation->irp, operation->machine, etw->count);
  if (status == TB_OK) status = tb_map_count_up(&etw->lanes, operation->thread, operation->lane);
  if (status == TB_NO_MEMORY) r->out_of_memory = true;
  if (status == TB_OK) etw->operations[etw->count++] = *operation;
  emit(r, TB_EVENT_SLICE_BEGIN, operation, operation->ts, first);
}

/* The trace processor ends an operation on the thread where it began, and none that another thread ends. */
static void end(struct tb_perfetto_reader *r, const struct tb_etw_operation *said, size_t first) {
  struct tb_etw *etw = r->importer_state;
  uint32_t place;
  if (!tb_map_get(&etw->begun, said->irp, said->machine, &place)) {
    add_missing(r, "Start");
    emit_moment(r, said, first);
    return;
  }
  const struct tb_etw_operation *operation = &etw->operations[place];
  bool is_same = operation->thread == said->thread;
  if (is_same) emit(r, TB_EVENT_SLICE_END, operation, said->ts, first);
  forget(etw, place, is_same);
}

void tb_etw_emit_file(struct tb_perfetto_reader *r, const struct tb_etw_event *event, uint32_t number,
                      struct tb_str message) {
  struct tb_etw *etw = r->importer_state;
  const struct file_event_kind *kind = find_kind(number);
  const struct tb_perfetto_track *thread = tb_perfetto_thread(r, NULL, event->tid);
  struct tb_wire_field wire[WIRE_FIELDS];
  (void)tb_wire_read_fields(message, wire, WIRE_FIELDS);
  if (!kind || !thread) return;
  bool has_opcode = kind->opcode && wire[kind->opcode].number;
  struct tb_str name = has_opcode ? opcode_name(wire[kind->opcode].value) : TB_STR("");
  struct tb_etw_operation operation = {.irp = wire[kind->irp].value,
                                       .machine = r->head.machine,
                                       .thread = thread->track.index,
                                       .ts = event->ts,
                                       .name = name.len ? name : tb_str_from(kind->name)};
  bool ends = number == TB_ETW_TRACE_EVENT_FILE_IO_OP_END;
  uint32_t before;
  if (!ends && wire[kind->irp].number && tb_map_get(&etw->begun, operation.irp, operation.machine, &before))
    end_unmatched(r, before);
  operation.lane = free_lane(etw, operation.thread);
  size_t first = r->batch->arg_count;
  for (size_t i = 0; i < FIELDS_MAX && kind->fields[i].name; i++) add_arg(r, &kind->fields[i], wire);
  if (!wire[kind->irp].number)
    emit_moment(r, &operation, first);
  else if (ends)
    end(r, &operation, first);
  else
    begin(r, &operation, first);
}

void tb_etw_end_files(struct tb_perfetto_reader *r) {
  const struct tb_etw *etw = r->importer_state;
  while (etw->count && !r->full) end_unmatched(r, (uint32_t)etw->count - 1);
}
