/* SPDX-License-Identifier: Apache-2.0
 *
 * Traces whose source is text (tests/data/perfetto) against the events that they must give.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>

#include "protobuf/wire.h"
#include "protos/field_numbers.h"
#include "support/event_text.h"
#include "support/failing_allocator.h"
#include "support/source_shape.h"
#include "support/whole_file.h"

#define TRACE(name) TB_TEST_TRACES "/" name ".perfetto-trace"

static void assert_events(const char *path, const char *expected) {
  struct tb_buffer text;
  assert_int_equal(tb_event_text_of_file(path, &tb_source_shape, &text), TB_END);
  assert_string_equal(text.data, expected);
  tb_buffer_free(&text);
}

static void every_field_of_a_track_event_is_resolved(void **state) {
  (void)state;
  assert_events(
      TRACE("events"),
      "TRACK process 7 'proc'\n"
      "TRACK thread 7/8 'thr'\n"
      "TRACK counter 7/8 'thread_time'\n"
      "TRACK counter 7 'bytes'\n"
      "TRACK counter 7/8 'thread_instruction_count'\n"
      "1000 BEGIN[B] thread 7/8 'thr' \"work\" (cat,dog) tts 100000 instructions 5 flow 78 flow 77 correlation 0 "
      "request <main at main.c:9> <leaf in lib/x.so pc 77> from <f at a.c:3> {n=-5 u=18446744073709551615u "
      "d={list=[{2.5d 'interned text'}] b=true} p=0xff j=json {\"k\":1} old={x=1 y=[{true}]}}\n"
      "2000 END[E] thread 7/8 'thr' tts 150000 flow end 77\n"
      "2500 COUNTER[C] counter 7 'bytes' {20}\n"
      "2600 COUNTER[C] counter 7 'bytes' {14}\n"
      "2700 INSTANT[ip] process 7 'proc' \"of the process\" <g at g.c:2>\n"
      "TRACK trace\n"
      "2800 INSTANT[ig] trace \"of all\" correlation 9 from < at b.c>\n"
      "TRACK track 7 'lane'\n"
      "2900 BEGIN[b] track 7 'lane' by 7/8 \"before its track\" (one,two) id 16 scope s\n"
      "3000 END[e] track 7 'lane'\n"
      "TRACK track 7 'mode'\n"
      "3100 BEGIN[b] track 7 'mode' \"on\"\n"
      "3200 END[e] track 7 'mode'\n"
      "3200 BEGIN[b] track 7 'mode' \"off\"\n"
      "3300 END[e] track 7 'mode'\n"
      "TRACK trace on machine 5\n"
      "3400 INSTANT[ig] trace on machine 5 \"elsewhere\"\n");
}

static void the_rules_of_a_sequence_hold(void **state) {
  (void)state;
  assert_events(TRACE("sequences"),
                "TRACK trace\n"
                "2 INSTANT[ig] trace \"first\"\n"
                "3 INSTANT[ig] trace \"first, sent anew\"\n"
                "4 INSTANT[ig] trace \"of another sequence\"\n"
                "5 INSTANT[ig] trace \"\"\n"
                "LOSS trace\n"
                "8 INSTANT[ig] trace \"whole again\"\n"
                "9 INSTANT[ig] trace \"the first of its sequence\"\n"
                "7000 INSTANT[ig] trace \"7000\"\n"
                "10000 INSTANT[ig] trace \"10000\"\n"
                "11 INSTANT[ig] trace \"11\"\n"
                "lost 3 at 0: packets without the incremental state that they need\n"
                "lost 1 at 138: references to interned entries that were not sent\n"
                "lost 1 at 365: timestamps on a clock that nothing relates to the trace clock\n");
}

static void times_come_on_the_trace_clock(void **state) {
  (void)state;
  assert_events(TRACE("clocks"),
                "1000 CLOCKS 3=1000 6=5000 1=900000\n"
                "2000 CLOCKS 3=2000 6=7000 1=800000\n"
                "CLOCKS 6=100 128=30\n"
                "TRACK trace\n"
                "0 INSTANT[ig] trace \"before the first: 0\"\n"
                "1500 INSTANT[ig] trace \"by the first: 1500\"\n"
                "2100 INSTANT[ig] trace \"by the second: 2100\"\n"
                "2100 INSTANT[ig] trace \"over two edges: 2100\"\n"
                "1234 INSTANT[ig] trace \"on the trace clock\"\n"
                "lost 2 at 242: timestamps on a clock that nothing relates to the trace clock\n");
}

static void clocks_of_a_sequence_are_its_own_and_incremental_ones_end_with_its_state(void **state) {
  (void)state;
  struct tb_buffer text;
  assert_int_equal(tb_event_text_of_file(TRACE("sequence_clocks"), &tb_source_shape, &text), TB_END);
  /* each event's name is its time */
  unsigned events = 0;
  for (char *line = text.data; (line = strstr(line, " INSTANT[ig] trace \"")); line++) {
    char *start = line;
    while (start > text.data && start[-1] != '\n') start--;
    assert_int_equal(strtoul(start, NULL, 10), strtoul(strchr(line, '"') + 1, NULL, 10));
    events++;
  }
  assert_int_equal(events, 6);
  assert_non_null(strstr(text.data, "lost 1 at "));
  assert_non_null(strstr(text.data, ": timestamps on a clock that nothing relates to the trace clock\n"));
  tb_buffer_free(&text);
}

static void events_of_before_there_were_tracks_keep_their_phase_times_and_ids(void **state) {
  (void)state;
  assert_events(TRACE("legacy"),
                "TRACK thread 7/8 'old'\n"
                "1010000 BEGIN[B] thread 7/8 'old' \"B\" tts 52000\n"
                "1015000 END[E] thread 7/8 'old' tts 53000\n"
                "1020000 COMPLETE[X] thread 7/8 'old' \"X\" dur 3000 tts 60000 tdur 1000 bind 5 in out\n"
                "1 INSTANT[ip] process 7 by 7/8 \"i\"\n"
                "2 INSTANT[Ig] trace by 7/8 \"I\"\n"
                "3 ASYNC_BEGIN[b] thread 7/8 'old' \"b\" (c) id global 3 scope sc\n"
                "4 ASYNC_INSTANT[n] thread 7/8 'old' \"n\" id local 4\n"
                "5 ASYNC_END[e] thread 7/8 'old' \"e\" id 5\n"
                "6 FLOW_BEGIN[s] thread 7/8 'old' \"s\" id 6\n"
                "7 FLOW_END[f] thread 7/8 'old' \"f\" id 6 enclosing\n"
                "TRACK thread 70/80\n"
                "8 OBJECT_NEW[N] thread 70/80 \"N\" id 1\n"
                "TRACK process 71\n"
                "9 OTHER[?] process 71 \"?\" phase ?\n"
                "TRACK track\n"
                "10 CLOCK_SYNC[c] thread 7/8 'old' \"T\" id x1 {a=1} extra {cname='red'}\n"
                "lost 1 at 362: an event has no timestamp\n");
}

static void packets_of_other_kinds_become_events(void **state) {
  (void)state;
  assert_events(TRACE("records"),
                "TRACK process 3 'init'\n"
                "TRACK thread 3/4 'worker'\n"
                "TRACK thread/900000000000 'renamed'\n"
                "10 STATE thread/900000000000 'renamed' \"Running\" cpu 1 prio 20\n"
                "TRACK thread/900000000000 'renamed'\n"
                "12 STATE thread 3/4 'worker' \"S\"\n"
                "TRACK thread/61 'x'\n"
                "30 STATE thread/61 'x' \"Running\" cpu 2 prio 1\n"
                "TRACK thread/63 'y'\n"
                "33 STATE thread/63 'y' by 0/61 \"R\" prio 3\n"
                "35 STATE thread/61 'x' \"R\" cpu 2 prio 1\n"
                "TRACK thread/62 'y'\n"
                "35 STATE thread/62 'y' \"Running\" cpu 2 prio 2\n"
                "20 STATE thread 3/4 'worker' \"S\" cpu 2 prio 120\n"
                "TRACK thread/5 'next'\n"
                "20 STATE thread/5 'next' \"Running\" cpu 2 prio 100\n"
                "21 STATE thread 3/4 'worker' by 0/5 \"R\" prio 120\n"
                "22 BEGIN[B] thread 3/4 'worker' \"slice|of bars\" cpu 2\n"
                "TRACK counter 3 'count'\n"
                "23 COUNTER[C] counter 3 'count' {-12}\n"
                "24 ASYNC_BEGIN[b] thread 3/4 'worker' \"async\" id local 7 scope async\n"
                "25 END[E] thread 3/4 'worker' cpu 2\n"
                "PACKETS \"ftrace_events\" blob 35\n" /* a line that says nothing of a slice or counter, alone */
                "40 LOG thread 3/4 'worker' \"it broke\" level 6 {tag='tag'}\n"
                "50 SAMPLE thread 3/4 'worker' cpu 3 weight 12 <fn>\n"
                "2000 SAMPLE thread 3/4 'worker' <fn>\n"
                "4000 SAMPLE thread 3/4 'worker' <fn>\n"
                "60 MEMORY[v] process 3 'init' \"periodic_interval\" id 5 {dumps={level_of_detail='light' "
                "allocators={malloc/x={guid='ff' flags=1 attrs={size={type='scalar' units='bytes' value='1000'} "
                "n={type='scalar' units='objects' value='2'} t={type='string' units='objects' value='text'}}}} "
                "allocators_graph=[{{source='ff' target='1' importance=2 type='ownership'}}]}}\n"
                "ATTRIBUTE \"otherData\" {otherData=json {\"a\":1}}\n"
                "ATTRIBUTE \"number\" {number=4}\n"
                "METADATA[M] thread 3/4 'worker' \"trace_name\" (c) {v=[{1}]} extra {more=true}\n"
                "FRAME \"f\" (lib) id 1\n"
                "FRAME \"g\" id 2 parent 1\n"
                "PACKETS \"sys_stats\" blob 6\n");
}

static void frames_become_async_slices_of_their_process(void **state) {
  (void)state;
  assert_events(TRACE("frames"),
                "TRACK process 600 '/system/bin/surfaceflinger'\n"
                "TRACK process 700 'app'\n"
                "3000 ASYNC_BEGIN[b] process 600 '/system/bin/surfaceflinger' \"11\" id local frame 1 "
                "{token:=11}\n"
                "4000 ASYNC_END[e] process 600 '/system/bin/surfaceflinger' \"11\" id local frame 1\n"
                "3100 ASYNC_BEGIN[b] process 600 '/system/bin/surfaceflinger' \"11\" id local frame 2 flow end "
                "7382069861687492619 {token:=11 present_type:='PRESENT_LATE' on_time_finish:=false "
                "gpu_composition:=true jank_type:='JANK_PREDICTION_ERROR, JANK_SF_GPU_DEADLINE_MISSED' "
                "prediction_type:='PREDICTION_VALID' jank_severity_type:='SEVERITY_FULL'}\n"
                "4500 ASYNC_END[e] process 600 '/system/bin/surfaceflinger' \"11\" id local frame 2\n"
                "1000 ASYNC_BEGIN[b] process 700 'app' \"10\" id local frame 3 {token:=10 "
                "display_frame_token:=11 layer_name:='TX - window#1'}\n"
                "2000 ASYNC_END[e] process 700 'app' \"10\" id local frame 3\n"
                "1100 ASYNC_BEGIN[b] process 700 'app' \"10\" id local frame 4 flow 7382069861687492619 "
                "{token:=10 display_frame_token:=11 layer_name:='TX - window#1' present_type:='PRESENT_LATE' "
                "on_time_finish:=true gpu_composition:=false jank_type:='JANK_UNSPECIFIED' "
                "prediction_type:='PREDICTION_EXPIRED' is_buffer:=true}\n"
                "2500 ASYNC_END[e] process 700 'app' \"10\" id local frame 4\n"
                "1000 ASYNC_BEGIN[b] process 700 'app' \"10\" id local frame 5 {token:=10 "
                "display_frame_token:=11 layer_name:='TX - window#2'}\n"
                "2000 ASYNC_END[e] process 700 'app' \"10\" id local frame 5\n"
                "1200 ASYNC_BEGIN[b] process 700 'app' \"10\" id local frame 6 {token:=10 "
                "display_frame_token:=11 layer_name:='TX - window#2' present_type:='PRESENT_UNKNOWN' "
                "jank_type:=131073 prediction_type:='PREDICTION_VALID' is_buffer:=false}\n"
                "2600 ASYNC_END[e] process 700 'app' \"10\" id local frame 6\n"
                "5000 ASYNC_BEGIN[b] process 700 'app' \"20\" id local frame 7 flow 7382069861687492629 "
                "{token:=20 display_frame_token:=21 present_type:='PRESENT_DROPPED' jank_type:='JANK_NONE' "
                "prediction_type:='PREDICTION_VALID'}\n");
}

static void a_frame_that_is_not_whole_is_a_loss(void **state) {
  (void)state;
  static const struct {
    const char *packets, *expected;
    size_t len;
  } cases[] = {
#define CASE(packets, expected) {packets, expected, sizeof(packets) - 1}
      CASE("\x0a\x0b\x40\x05\xe2\x04\x06\x0a\x04\x10\x01\x18\x01",
           "lost 1 at 0: a frame without cookie, token or process\n"),
      CASE("\x0a\x0b\xe2\x04\x08\x0a\x06\x08\x01\x10\x01\x18\x01", "lost 1 at 0: a frame has no timestamp\n"),
      CASE("\x0a\x08\x40\x05\xe2\x04\x03\x0a\x09\x08", "lost 1 at 0: a packet's payload is damaged\n"),
      CASE("\x0a\x08\x40\x05\xe2\x04\x03\x32\x01\x01", "5 PACKETS \"frame_timeline_event\" blob 10\n")
#undef CASE
  };
  for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
    struct tb_buffer text;
    assert_int_equal(tb_event_text_of_bytes(cases[i].packets, cases[i].len, cases[i].len, &text), TB_END);
    assert_string_equal(text.data, cases[i].expected);
    tb_buffer_free(&text);
  }
}

static void the_states_in_which_threads_end_have_the_letters_of_linux(void **state) {
  (void)state;
  assert_events(TRACE("dying_threads"),
                "TRACK thread/0 'swapper/0'\n"
                "1000 STATE thread/0 'swapper/0' \"R\" cpu 0 prio 120\n"
                "TRACK thread/31 'gone'\n"
                "1000 STATE thread/31 'gone' \"Running\" cpu 0 prio 120\n"
                "2000 STATE thread/31 'gone' \"X\" cpu 0 prio 120\n"
                "TRACK thread/32 'waited for'\n"
                "2000 STATE thread/32 'waited for' \"Running\" cpu 0 prio 120\n"
                "3000 STATE thread/32 'waited for' \"Z\" cpu 0 prio 120\n"
                "TRACK thread/33 'other'\n"
                "3000 STATE thread/33 'other' \"Running\" cpu 0 prio 120\n"
                "TRACK thread/41 'dead'\n"
                "1000 STATE thread/41 'dead' \"Running\" cpu 1 prio 120\n"
                "2000 STATE thread/41 'dead' \"Z\" cpu 1 prio 120\n"
                "TRACK thread/42 'destroyed'\n"
                "2000 STATE thread/42 'destroyed' \"Running\" cpu 1 prio 120\n"
                "3000 STATE thread/42 'destroyed' \"X\" cpu 1 prio 120\n");
}

static void ftrace_events_on_other_clocks_come_to_the_trace_clock_by_the_pairs_of_their_bundles(void **state) {
  (void)state;
  assert_events(TRACE("ftrace_clocks"),
                "1000000 CLOCKS 6=1000000 5=500000\n"
                "TRACK thread 510/510\n"
                "2000000 BEGIN[B] thread 510/510 \"global\" cpu 0\n"
                "3000000 END[E] thread 510/510 cpu 0\n"
                "4000500 BEGIN[B] thread 510/510 \"global, later\" cpu 0\n"
                "4000600 END[E] thread 510/510 cpu 0\n"
                "TRACK thread 520/520\n"
                "2000000 BEGIN[B] thread 520/520 \"local\" cpu 0\n"
                "3000000 END[E] thread 520/520 cpu 0\n"
                "TRACK thread 530/530\n"
                "1100000 BEGIN[B] thread 530/530 \"monotonic raw\" cpu 0\n"
                "1200000 END[E] thread 530/530 cpu 0\n"
                "TRACK thread 540/540\n"
                "1500100 BEGIN[B] thread 540/540 \"monotonic raw, of a pair\" cpu 1\n"
                "1500200 END[E] thread 540/540 cpu 1\n");
}

/* One bundle with an event at 5, ftrace_clock and a pair of readings or not, behind a snapshot or not. */
static void an_ftrace_clock_is_known_by_its_number(void **state) {
  (void)state;
#define EVENT                                \
  "\x12\x0f\x08\x05\x10\x0a\x1a\x09\x12\x07" \
  "B|10|x\n"
#define SNAPSHOT "\x0a\x0a\x32\x08\x0a\x04\x08\x06\x10\x09\x10\x06"
#define PAIR(clock) SNAPSHOT "\x0a\x1b\x0a\x19\x08\x00" EVENT "\x28" clock "\x30\x04\x38\x07"
#define ALONE(clock) SNAPSHOT "\x0a\x17\x0a\x15\x08\x00" EVENT "\x28" clock
#define LOST "lost 1 at 12: ftrace events on a clock that nothing relates to the trace clock\n"
  static const struct {
    const char *packets;
    size_t len;
    const char *time, *lost;
  } cases[] = {
#define CASE(packets, time, lost) {packets, sizeof(packets) - 1, time, lost}
      CASE(ALONE("\x00"), "5 BEGIN", NULL), /* BOOTTIME */
      CASE(PAIR("\x00"), "5 BEGIN", NULL),
      CASE(PAIR("\x01"), "5 BEGIN", LOST), /* the kernel's clock has another name */
      CASE(PAIR("\x02"), "8 BEGIN", NULL), /* global */
      CASE(ALONE("\x02"), "5 BEGIN", LOST),
      CASE(PAIR("\x03"), "8 BEGIN", NULL), /* local */
      CASE(ALONE("\x03"), "5 BEGIN", LOST),
      CASE(PAIR("\x04"), "8 BEGIN", NULL), /* MONOTONIC_RAW */
      CASE(ALONE("\x04"), "5 BEGIN", LOST),
      CASE(PAIR("\x05"), "5 BEGIN", LOST),
#undef CASE
  };
  for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
    struct tb_buffer text;
    assert_int_equal(tb_event_text_of_bytes(cases[i].packets, cases[i].len, cases[i].len, &text), TB_END);
    const char *event = strstr(text.data, " BEGIN");
    assert_non_null(event);
    while (event > text.data && event[-1] != '\n') event--;
    assert_memory_equal(event, cases[i].time, strlen(cases[i].time));
    const char *lost = strstr(text.data, "lost");
    if (cases[i].lost)
      assert_string_equal(lost, cases[i].lost);
    else
      assert_null(lost);
    tb_buffer_free(&text);
  }
#undef EVENT
#undef SNAPSHOT
#undef PAIR
#undef ALONE
#undef LOST
}

static void flows_come_back_as_the_events_that_json_had_for_them(void **state) {
  (void)state;
  assert_events(TRACE("json_flows"),
                "TRACK thread 7/8\n"
                "1000 BEGIN[B] thread 7/8 \"from\" flow 5 flow 6 bind 6 out\n"
                "1000 FLOW_BEGIN[s] thread 7/8 \"name\" (cat) id 5\n"
                "1010 FLOW_BEGIN[s] thread 7/8 \"name\" (cat) id 99\n"
                "1500 END[E] thread 7/8\n"
                "1993 FLOW_END[f] thread 7/8 \"two\nlines\" id 7\n"
                "2000 BEGIN[B] thread 7/8 \"to\" flow end 5 flow end 7\n"
                "2003 FLOW_END[f] thread 7/8 \"whole\" id 5 enclosing {a=1}\n"
                "2500 END[E] thread 7/8\n");
}

/* A slice with two JsonFlows: one with an event { name: "whole" debug_annotations { name: "a" int_value: 1 } }, and one
 * for which there is no flow id. Behind it an instant with the argument b: 2. */
static void typed_fields_become_arguments(void **state) {
  (void)state;
  assert_events(
      TRACE("typed"),
      "TRACK trace\n"
      "1 INSTANT[ig] trace \"named\" level 5 {log_message:={message:='said' file_name:='a.c' function_name:='f' "
      "line_number:=7} task:={posted_from:={file_name:='a.c' function_name:='f' line_number:=7}} "
      "chrome_user_event:={action:='click' action_hash:=5u} chrome_active_processes:={pid:=[{3 4}]}}\n"
      "2 LOG[ig] trace \"said\" level 6\n"
      "3 INSTANT[ig] trace \"annotated\" {typed:={number:=-2 list:=[{5 6}] inner:={kind:='GOOD'} kind:=9 names:=[{'a' "
      "'b'}]} unknown=blob 2}\n");
}

static void an_extension_that_the_trace_describes_becomes_an_argument_and_an_unknown_one_is_kept_by_number(
    void **state) {
  (void)state;
  /* timestamp 4, a track event with field 9900 {number: -2}, and of unknown ones 9901 {1: 5 2: "a"}, 9902: 7, 9903:
   * "hi" */
  static const char event[] =
      "\x0a\x21\x50\x01\x40\x04\x5a\x1b\x48\x03\xe2\xea\x04\x02\x08\x03"
      "\xea\xea\x04\x05\x08\x05\x12\x01\x61\xf0\xea\x04\x07\xfa\xea\x04\x02hi";
  struct tb_buffer bytes = read_file_to_buffer(TRACE("typed")), text;
  assert_int_equal(tb_buffer_append(&bytes, event, sizeof(event) - 1), TB_OK);
  assert_int_equal(tb_event_text_of_bytes(bytes.data, bytes.len, bytes.len, &text), TB_END);
  assert_non_null(strstr(text.data,
                         "4 INSTANT[ig] trace {my_ext:={number:=-2} field_9901:={field_1:=5u field_2:='a'} "
                         "field_9902:=7u field_9903:='hi'}\n"));
  assert_null(strstr(text.data, "lost"));
  tb_buffer_free(&text);
  tb_buffer_free(&bytes);
}

static const char EXTENSIONS[] =
    "TRACK trace\n"
    "1 INSTANT[ig] trace \"pipeline\" {chrome_graphics_pipeline:={step:='STEP_RECEIVE_COMPOSITOR_FRAME' "
    "aggregated_surface_frame_trace_ids:=[{7 8}]} current_task:={event_offset_from_task_start_time_us:=184u}}\n"
    "2 INSTANT[ig] trace \"schema's own\" {chrome_histogram_sample:={sample:=4 name_iid:=1u name:='Startup.Time'} "
    "chrome_latency_info:={step:='STEP_SWAP_BUFFERS' "
    "component_info:=[{{component_type:='COMPONENT_INPUT_EVENT_LATENCY_UI' time_us:=3u}}]} "
    "screenshot:={jpg_image:=blob 2}}\n"
    "3 INSTANT[ig] trace \"value of a type\" {frame:={lifecycle_state:='ACTIVE' is_focused=true "
    "parent:={frame_tree_node_id:=5u}}}\n";

static void fields_enums_and_types_of_chrome_have_their_names_where_the_trace_describes_none(void **state) {
  (void)state;
  assert_events(TRACE("extensions"), EXTENSIONS);
}

static void what_the_trace_describes_goes_before_what_is_known_and_may_come_last(void **state) {
  (void)state;
  assert_events(TRACE("own_extensions"),
                "TRACK trace\n"
                "1 INSTANT[ig] trace \"before\" {page_load:={url:='u'}}\n"
                "2 INSTANT[ig] trace \"after\" {my_task:={task_start_time_us:=2u}}\n"
                "3 INSTANT[ig] trace \"late\" {value:={number:=3u}}\n");
}

static void names_that_are_known_do_not_count_against_the_limit_of_what_a_trace_interns(void **state) {
  (void)state;
  struct tb_reader_options options = {.size = sizeof(options), .shape = TB_SHAPE_SOURCE, .max_interned_bytes = 60000};
  struct tb_buffer text;
  assert_int_equal(tb_event_text_of_file(TRACE("extensions"), &options, &text), TB_END);
  assert_string_equal(text.data, EXTENSIONS);
  tb_buffer_free(&text);
}

/* Puts a field's tag and length before what *bytes holds. */
static void wrap(struct tb_buffer *bytes, uint32_t number) {
  enum { HEAD_MAX = 16 };
  char head[HEAD_MAX];
  size_t len = (size_t)(tb_wire_put_varint(tb_wire_put_tag(head, number, TB_WIRE_BYTES), bytes->len) - head);
  assert_int_equal(tb_buffer_reserve(bytes, len), TB_OK);
  memmove(bytes->data + len, bytes->data, bytes->len);
  memcpy(bytes->data, head, len);
  bytes->len += len;
}

static void add_field(struct tb_buffer *bytes, uint32_t number, uint64_t value) {
  char field[24];
  size_t len = (size_t)(tb_wire_put_uint(field, number, value) - field);
  assert_int_equal(tb_buffer_append(bytes, field, len), TB_OK);
}

static void annotations_and_typed_messages_in_one_another_have_an_end(void **state) {
  (void)state;
  enum { RENDER_FRAME_HOST_ANNOTATIONS = 99, LEVELS = 1000 };
  struct tb_buffer event, bytes = read_file_to_buffer(TRACE("extensions")), text;
  tb_buffer_init(&event, tb_default_allocator(), 0);
  for (size_t i = 0; i < LEVELS; i++) {
    wrap(&event, TB_DEBUG_ANNOTATION_PROTO_VALUE);
    add_field(&event, TB_DEBUG_ANNOTATION_PROTO_TYPE_NAME_IID, 1);
    wrap(&event, i + 1 == LEVELS ? TB_TRACK_EVENT_DEBUG_ANNOTATIONS : RENDER_FRAME_HOST_ANNOTATIONS);
  }
  add_field(&event, TB_TRACK_EVENT_TYPE, TB_TRACK_EVENT_TYPE_INSTANT);
  wrap(&event, TB_TRACE_PACKET_TRACK_EVENT);
  add_field(&event, TB_TRACE_PACKET_TIMESTAMP, 4);
  add_field(&event, TB_TRACE_PACKET_TRUSTED_PACKET_SEQUENCE_ID, 1);
  wrap(&event, TB_TRACE_PACKET);
  assert_int_equal(tb_buffer_append(&bytes, event.data, event.len), TB_OK);
  assert_int_equal(tb_event_text_of_bytes(bytes.data, bytes.len, bytes.len, &text), TB_END);
  assert_non_null(strstr(text.data, "4 INSTANT[ig] trace {{{{"));
  assert_non_null(strstr(text.data, ": an argument is nested too deep\n"));
  tb_buffer_free(&text);
  tb_buffer_free(&bytes);
  tb_buffer_free(&event);
}

static void pieces_of_any_size_give_the_same_events(void **state) {
  (void)state;
  static const char *const traces[] = {TRACE("sequences"), TRACE("clocks"), TRACE("legacy")};
  for (size_t i = 0; i < sizeof(traces) / sizeof(traces[0]); i++) {
    struct tb_buffer bytes = read_file_to_buffer(traces[i]), whole;
    assert_int_equal(tb_event_text_of_bytes(bytes.data, bytes.len, bytes.len, &whole), TB_END);
    for (size_t step = 1; step < 40; step += 6) {
      struct tb_buffer text;
      assert_int_equal(tb_event_text_of_bytes(bytes.data, bytes.len, step, &text), TB_END);
      assert_string_equal(text.data, whole.data);
      tb_buffer_free(&text);
    }
    tb_buffer_free(&whole);
    tb_buffer_free(&bytes);
  }
}

static void what_is_fed_learns_of_a_late_track_by_an_event(void **state) {
  (void)state;
  struct tb_buffer bytes = read_file_to_buffer(TRACE("events")), text;
  assert_int_equal(tb_event_text_of_bytes(bytes.data, bytes.len, 1, &text), TB_END);
  const char *begin = strstr(text.data, "2900 BEGIN[b] track by 7/8 \"before its track\"");
  assert_non_null(begin);
  assert_non_null(strstr(begin, "TRACK track 7 'lane'\n"));
  tb_buffer_free(&text);
  tb_buffer_free(&bytes);
}

/* The lines of `part` must be those that `whole` begins with, but for the losses at its end. */
static void assert_beginning(const char *whole, char *part) {
  char *losses = strstr(part, "lost ");
  if (losses == part || (losses && losses[-1] == '\n')) *losses = '\0';
  assert_int_equal(strncmp(whole, part, strlen(part)), 0);
}

static void a_trace_cut_anywhere_gives_the_events_before_the_cut(void **state) {
  (void)state;
  struct tb_buffer bytes = read_file_to_buffer(TRACE("records")), whole;
  assert_int_equal(tb_event_text_of_bytes(bytes.data, bytes.len, 1, &whole), TB_END);
  size_t before = 0, first = 2 + (unsigned char)bytes.data[1]; /* bytes of the first packet */
  for (size_t cut = 1; cut < bytes.len; cut++) {
    struct tb_buffer text;
    assert_int_equal(tb_event_text_of_bytes(bytes.data, cut, 1, &text), cut < first ? TB_BAD_DATA : TB_END);
    assert_beginning(whole.data, text.data);
    assert_true(strlen(text.data) >= before); /* nothing that was whole is lost again */
    before = strlen(text.data);
    tb_buffer_free(&text);
  }
  tb_buffer_free(&whole);
  tb_buffer_free(&bytes);
}

static void strict_reading_ends_at_the_first_loss_and_says_where(void **state) {
  (void)state;
  struct tb_reader_options options = {.size = sizeof(options), .shape = TB_SHAPE_SOURCE, .strict = true};
  struct tb_reader *reader;
  const struct tb_event *event;
  assert_int_equal(tb_reader_open(TRACE("clocks"), &options, &reader, NULL), TB_OK);
  enum tb_status status;
  unsigned events = 0;
  while ((status = tb_reader_next(reader, &event)) == TB_OK) events++;
  assert_int_equal(status, TB_BAD_DATA);
  assert_int_equal(events, 9);
  assert_int_equal(tb_reader_error(reader)->offset, 242);
  tb_reader_close(reader);
}

static void a_trace_that_interns_too_much_is_refused_with_a_limit(void **state) {
  (void)state;
  struct tb_reader_options options = {.size = sizeof(options), .shape = TB_SHAPE_SOURCE, .max_interned_bytes = 2000};
  struct tb_reader *reader;
  const struct tb_event *event;
  assert_int_equal(tb_reader_open(TRACE("events"), &options, &reader, NULL), TB_OK);
  enum tb_status status;
  while ((status = tb_reader_next(reader, &event)) == TB_OK) continue;
  assert_int_equal(status, TB_LIMIT);
  tb_reader_close(reader);
}

/* An allocation that fails, and none or all of those that follow. */
static void run_out_of_memory(const char *path, bool on) {
  bool whole = false;
  for (size_t at = 0; !whole && at < 2000; at++) {
    struct faults faults = {.at = at, .on = on};
    struct tb_allocator allocator = faulty_allocator(&faults);
    struct tb_reader_options options = {.size = sizeof(options), .shape = TB_SHAPE_SOURCE, .allocator = &allocator};
    struct tb_reader *reader;
    const struct tb_event *event;
    enum tb_status status = tb_reader_open(path, &options, &reader, NULL);
    while (status == TB_OK) status = tb_reader_next(reader, &event);
    tb_reader_close(reader);
    whole = faults.calls <= at;
    assert_int_equal(status, whole ? TB_END : TB_NO_MEMORY);
    assert_int_equal(faults.held, 0);
  }
  assert_true(whole);
}

static void memory_that_runs_out_anywhere_is_an_error_and_leaks_nothing(void **state) {
  (void)state;
  for (int on = 0; on < 2; on++) {
    run_out_of_memory(TRACE("events"), on);
    run_out_of_memory(TRACE("machines"), on);
    run_out_of_memory(TRACE("extensions"), on); /* of names of fields, too, which else are called by their numbers */
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_field_of_a_track_event_is_resolved),
      cmocka_unit_test(the_rules_of_a_sequence_hold),
      cmocka_unit_test(times_come_on_the_trace_clock),
      cmocka_unit_test(clocks_of_a_sequence_are_its_own_and_incremental_ones_end_with_its_state),
      cmocka_unit_test(events_of_before_there_were_tracks_keep_their_phase_times_and_ids),
      cmocka_unit_test(packets_of_other_kinds_become_events),
      cmocka_unit_test(frames_become_async_slices_of_their_process),
      cmocka_unit_test(a_frame_that_is_not_whole_is_a_loss),
      cmocka_unit_test(the_states_in_which_threads_end_have_the_letters_of_linux),
      cmocka_unit_test(ftrace_events_on_other_clocks_come_to_the_trace_clock_by_the_pairs_of_their_bundles),
      cmocka_unit_test(an_ftrace_clock_is_known_by_its_number),
      cmocka_unit_test(flows_come_back_as_the_events_that_json_had_for_them),
      cmocka_unit_test(typed_fields_become_arguments),
      cmocka_unit_test(an_extension_that_the_trace_describes_becomes_an_argument_and_an_unknown_one_is_kept_by_number),
      cmocka_unit_test(fields_enums_and_types_of_chrome_have_their_names_where_the_trace_describes_none),
      cmocka_unit_test(what_the_trace_describes_goes_before_what_is_known_and_may_come_last),
      cmocka_unit_test(names_that_are_known_do_not_count_against_the_limit_of_what_a_trace_interns),
      cmocka_unit_test(annotations_and_typed_messages_in_one_another_have_an_end),
      cmocka_unit_test(pieces_of_any_size_give_the_same_events),
      cmocka_unit_test(what_is_fed_learns_of_a_late_track_by_an_event),
      cmocka_unit_test(a_trace_cut_anywhere_gives_the_events_before_the_cut),
      cmocka_unit_test(strict_reading_ends_at_the_first_loss_and_says_where),
      cmocka_unit_test(a_trace_that_interns_too_much_is_refused_with_a_limit),
      cmocka_unit_test(memory_that_runs_out_anywhere_is_an_error_and_leaks_nothing),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
