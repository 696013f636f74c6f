/* SPDX-License-Identifier: Apache-2.0 */
#include "toolbox/redact/own_words.h"

#include <inttypes.h>
#include <stdio.h>

#include "ftrace/event_text.h"
#include "model/arg_lookup.h"
#include "model/task_states.h"

static bool is_among(struct tb_str text, const char *const *words, size_t count) {
  for (size_t i = 0; i < count; i++)
    if (tb_str_equal(text, tb_str_from(words[i]))) return true;
  return false;
}

#define IS_AMONG(text, words) is_among((text), (words), sizeof(words) / sizeof((words)[0]))

bool tb_is_number_text(struct tb_str text) {
  for (size_t i = 0; i < text.len; i++)
    if (text.ptr[i] < '0' || text.ptr[i] > '9') return false;
  return true;
}

bool tb_says_number(struct tb_str text) {
  double number;
  for (size_t i = 0; i < text.len; i++)
    if (text.ptr[i] == '(' || (unsigned char)text.ptr[i] <= ' ') return false; /* nan(any word), to the C library */
  return tb_number_in_text(text, &number);
}

/* ---- metadata of JSON -------------------------------------------------------------------------------------------- */

static const char *const metadata[] = {"process_name", "thread_name", "process_labels", "process_sort_index",
                                       "thread_sort_index"};
static const char *const metadata_keys[] = {"name", "labels", "sort_index"};

bool tb_is_own_metadata(struct tb_str name) { return IS_AMONG(name, metadata); }

/* ---- states of threads ------------------------------------------------------------------------------------------- */

static const char *const state_keys[] = {"cpu", "prio"};

static bool is_letter(char c) {
  return c == 'R' || strchr(tb_ftrace_state_letters(TB_FTRACE_STATES_OLD), c) ||
         strchr(tb_ftrace_state_letters(TB_FTRACE_STATES_4_14), c);
}

/* Linux' letters of a state, as sched_switch has them: "D", "R+", "D|K". */
static bool is_letters_of_state(struct tb_str name) {
  if (name.len && name.ptr[name.len - 1] == '+') name.len--;
  for (size_t i = 0; i < name.len; i++)
    if (i % 2 ? name.ptr[i] != '|' : !name.ptr[i] || !is_letter(name.ptr[i])) return false;
  return name.len % 2;
}

static bool is_state(const struct tb_event *event) {
  return tb_task_state_named(event->name) != TB_TASK_UNKNOWN || is_letters_of_state(event->name) ||
         tb_str_equal(event->name, tb_task_state_letter((enum tb_task_state)event->task_state));
}

/* ---- V8's CPU profiles in JSON ----------------------------------------------------------------------------------- */

static const char *const profile_events[] = {"Profile", "ProfileChunk"};
static const char *const profile_keys[] = {
    "data",     "cpuProfile", "startTime",         "endTime",      "source",        "nodes",   "id",    "parent",
    "children", "hitCount",   "callFrame",         "deoptReason",  "positionTicks", "line",    "ticks", "functionName",
    "scriptId", "url",        "lineNumber",        "columnNumber", "codeType",      "samples", "lines", "timeDeltas",
    "columns",  "trace_ids",  "executionContextId"};

static bool is_own_function(struct tb_str name) {
  return tb_str_equal(name, TB_STR("(root)")) || tb_str_equal(name, TB_STR("(program)")) ||
         tb_str_equal(name, TB_STR("(idle)")) || tb_str_equal(name, TB_STR("(garbage collector)"));
}

static bool is_profile(const struct tb_event *event) {
  return event->phase == 'P' && IS_AMONG(event->name, profile_events);
}

/* ---- by their places --------------------------------------------------------------------------------------------- */

bool tb_is_own_name(const struct tb_event *event) {
  if (event->type == TB_EVENT_METADATA) return true;
  return event->type == TB_EVENT_THREAD_STATE ? is_state(event) : is_profile(event);
}

bool tb_is_own_key(const struct tb_event *event, struct tb_str key) {
  if (event->type == TB_EVENT_METADATA) return IS_AMONG(key, metadata_keys);
  if (event->type == TB_EVENT_THREAD_STATE) return IS_AMONG(key, state_keys);
  return is_profile(event) && IS_AMONG(key, profile_keys);
}

bool tb_is_own_value(const struct tb_event *event, const struct tb_arg *arg) {
  if (arg->type != TB_ARG_STRING) return false;
  if (event->type == TB_EVENT_COUNTER) return tb_says_number(arg->text);
  if (event->type == TB_EVENT_THREAD_STATE) return IS_AMONG(arg->name, state_keys) && tb_says_number(arg->text);
  if (event->type == TB_EVENT_METADATA && tb_str_equal(arg->name, TB_STR("sort_index")))
    return tb_says_number(arg->text);
  if (event->type == TB_EVENT_METADATA) return event->track && tb_is_idle_name(event->track, arg->text);
  if (!is_profile(event)) return false;
  if (tb_str_equal(arg->name, TB_STR("scriptId"))) return tb_is_number_text(arg->text);
  return tb_str_equal(arg->name, TB_STR("functionName")) && is_own_function(arg->text);
}

/* ---- further members --------------------------------------------------------------------------------------------- */

static const char *const sample_numbers[] = {"cpu", "weight"};
static const char *const colors[] = {"thread_state_uninterruptible",
                                     "thread_state_iowait",
                                     "thread_state_running",
                                     "thread_state_runnable",
                                     "thread_state_sleeping",
                                     "thread_state_unknown",
                                     "background_memory_dump",
                                     "light_memory_dump",
                                     "detailed_memory_dump",
                                     "vsync_highlight_color",
                                     "generic_work",
                                     "good",
                                     "bad",
                                     "terrible",
                                     "black",
                                     "grey",
                                     "white",
                                     "yellow",
                                     "olive",
                                     "rail_response",
                                     "rail_animation",
                                     "rail_idle",
                                     "rail_load",
                                     "startup",
                                     "heap_dump_stack_frame",
                                     "heap_dump_object_type",
                                     "heap_dump_child_node_arrow",
                                     "cq_build_running",
                                     "cq_build_passed",
                                     "cq_build_failed",
                                     "cq_build_abandoned",
                                     "cq_build_attempt_runnig",
                                     "cq_build_attempt_passed",
                                     "cq_build_attempt_failed"};

bool tb_is_own_member(const struct tb_event *event, const struct tb_arg *member) {
  bool is_text = member->type == TB_ARG_STRING, is_number = member->type == TB_ARG_INT;
  if (tb_str_equal(member->name, TB_STR("pid")) || tb_str_equal(member->name, TB_STR("tid")))
    return is_number || tb_is_absent_id(member) || (is_text && tb_says_number(member->text));
  if (event->type == TB_EVENT_SAMPLE && IS_AMONG(member->name, sample_numbers))
    return is_number || member->type == TB_ARG_UINT || member->type == TB_ARG_DOUBLE ||
           (is_text && tb_says_number(member->text));
  return is_text && tb_str_equal(member->name, TB_STR("cname")) && IS_AMONG(member->text, colors);
}

bool tb_is_idle_name(const struct tb_track *track, struct tb_str name) {
  const struct tb_str idle = TB_STR("swapper");
  bool is_idle = track->type == TB_TRACK_THREAD ? track->has_tid && track->tid == 0
                                                : track->type == TB_TRACK_PROCESS && track->has_pid && track->pid == 0;
  if (!is_idle || name.len < idle.len || memcmp(name.ptr, idle.ptr, idle.len) != 0) return false;
  struct tb_str cpu = {name.ptr + idle.len, name.len - idle.len};
  if (!cpu.len) return true;
  return cpu.len > 1 && cpu.ptr[0] == '/' && tb_is_number_text((struct tb_str){cpu.ptr + 1, cpu.len - 1});
}

bool tb_is_machine_label(const struct tb_track *track, struct tb_str label) {
  char own[32];
  int len = snprintf(own, sizeof(own), "machine %" PRIu32, track->machine);
  return track->machine && tb_str_equal(label, (struct tb_str){own, (size_t)len});
}
