/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

#include "support/event_text.h"

/* A trace of one bundle, of what says nothing of a slice or counter, as text. */
static const char bundle[] =
    "packet { process_tree { processes { pid: 30 cmdline: 'app' } threads { tid: 31 tgid: 30 name: 'maker' } } }\n"
    "packet { trusted_packet_sequence_id: 1 sequence_flags: 1\n"
    "  interned_data { kernel_symbols { iid: 7 str: 'folio_wait_bit' } }\n"
    "  ftrace_events { cpu: 3\n"
    "    event { timestamp: 10 pid: 31 task_newtask { pid: 32 comm: 'new' clone_flags: 65536 oom_score_adj: 5 } }\n"
    "    event { timestamp: 20 pid: 31 67 { 1: 1 3: 32 7: '/background' } }\n"
    "    event { timestamp: 30 pid: 32 task_rename { pid: 32 oldcomm: 'new' newcomm: 'made' } }\n"
    "    event { timestamp: 40 pid: 32 sched_blocked_reason { pid: 31 caller: 7 io_wait: 1 } }\n"
    "    event { timestamp: 50 pid: 32 sched_process_exit { comm: 'made' pid: 32 tgid: 30 prio: 120 } }\n"
    "    event { timestamp: 60 pid: 0 sched_process_free { comm: 'made' pid: 32 prio: 120 } }\n"
    "    event { timestamp: 70 pid: 32 generic { event_name: 'of_a_driver' field { name: 'id' int_value: -4 } } }\n"
    "    event { timestamp: 80 pid: 32 9000 { 1: 5 } }\n"
    "  }\n"
    "}\n";

static void assert_read(enum tb_shape shape, const char *expected) {
  const struct tb_reader_options options = {.size = sizeof(options), .format = TB_FORMAT_TEXT, .shape = shape};
  struct tb_buffer text;
  char path[] = "/tmp/test_ftrace_instants.XXXXXX";
  int fd = mkstemp(path);
  assert_int_equal(write(fd, bundle, sizeof(bundle) - 1), sizeof(bundle) - 1);
  assert_int_equal(close(fd), 0);
  assert_int_equal(tb_event_text_of_file(path, &options, &text), TB_END);
  assert_string_equal(text.data, expected);
  tb_buffer_free(&text);
  assert_int_equal(unlink(path), 0);
}

static void users_get_instants_of_what_no_other_event_says(void **state) {
  (void)state;
  /* the packet has the event whose kind nothing describes */
  assert_read(TB_SHAPE_ONE,
              "TRACK process 30 'app'\n"
              "TRACK thread 30/31 'maker'\n"
              "TRACK thread 30/32 'made'\n"
              "10 INSTANT[it] thread 30/31 'maker' \"task_newtask\" (ftrace) #1 cpu 3 {pid:=32 comm:='new' "
              "clone_flags:=65536u oom_score_adj:=5}\n"
              "10 STATE thread 30/32 'made' by 30/31 \"R\"\n"
              "20 INSTANT[it] thread 30/31 'maker' \"cgroup_attach_task\" (ftrace) #2 cpu 3 {dst_root:=1 pid:=32 "
              "dst_path:='/background'}\n"
              "TRACK thread 30/32 'made'\n"
              "30 INSTANT[it] thread 30/32 'made' \"task_rename\" (ftrace) #3 cpu 3 {pid:=32 oldcomm:='new' "
              "newcomm:='made'}\n"
              "40 INSTANT[it] thread 30/32 'made' \"sched_blocked_reason\" (ftrace) #4 cpu 3 {pid:=31 "
              "caller:='folio_wait_bit' io_wait:=1}\n"
              "50 INSTANT[it] thread 30/32 'made' \"sched_process_exit\" (ftrace) #5 cpu 3 {comm:='made' pid:=32 "
              "tgid:=30 prio:=120}\n"
              "TRACK thread/0\n"
              "60 INSTANT[it] thread/0 \"sched_process_free\" (ftrace) #6 cpu 3 {comm:='made' pid:=32 prio:=120}\n"
              "70 INSTANT[it] thread 30/32 'made' \"of_a_driver\" (ftrace) #7 cpu 3 {id:=-4}\n"
              "PACKETS \"ftrace_events\" blob 45\n");
}

static void copies_keep_the_bundle(void **state) {
  (void)state;
  assert_read(TB_SHAPE_SOURCE,
              "TRACK process 30 'app'\n"
              "TRACK thread 30/31 'maker'\n"
              "TRACK thread 30/32 'made'\n"
              "TRACK thread 30/32 'made'\n"
              "PACKETS \"ftrace_events\" blob 211\n");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(users_get_instants_of_what_no_other_event_says),
      cmocka_unit_test(copies_keep_the_bundle),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
