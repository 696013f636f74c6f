/* SPDX-License-Identifier: Apache-2.0 */
#include "model/task_states.h"

#include "base/memory.h"

static const struct tb_str letters[] = {[TB_TASK_UNKNOWN] = {"Unknown", 7},
                                        [TB_TASK_CREATED] = {"Created", 7},
                                        [TB_TASK_RUNNABLE] = {"R", 1},
                                        [TB_TASK_RUNNING] = {"Running", 7},
                                        [TB_TASK_INTERRUPTIBLE_SLEEP] = {"S", 1},
                                        [TB_TASK_UNINTERRUPTIBLE_SLEEP] = {"D", 1},
                                        [TB_TASK_STOPPED] = {"T", 1},
                                        [TB_TASK_DEAD] = {"Z", 1},
                                        [TB_TASK_DESTROYED] = {"X", 1}};

static const struct {
  struct tb_str name;
  enum tb_task_state state;
} words[] = {{{"R+", 2}, TB_TASK_RUNNABLE},
             {{"Runnable", 8}, TB_TASK_RUNNABLE},
             {{"Runnable (Preempted)", 20}, TB_TASK_RUNNABLE},
             {{"Sleeping", 8}, TB_TASK_INTERRUPTIBLE_SLEEP},
             {{"Uninterruptible Sleep", 21}, TB_TASK_UNINTERRUPTIBLE_SLEEP},
             {{"Stopped", 7}, TB_TASK_STOPPED},
             {{"Zombie", 6}, TB_TASK_DEAD},
             {{"Exit Dead", 9}, TB_TASK_DESTROYED},
             {{"Task Dead", 9}, TB_TASK_DESTROYED},
             /* FXT */
             {{"new", 3}, TB_TASK_RUNNABLE},
             {{"waking", 6}, TB_TASK_RUNNABLE},
             {{"preempted", 9}, TB_TASK_RUNNABLE},
             {{"running", 7}, TB_TASK_RUNNING},
             {{"blocked", 7}, TB_TASK_INTERRUPTIBLE_SLEEP},
             {{"suspended", 9}, TB_TASK_STOPPED},
             {{"dying", 5}, TB_TASK_DEAD},
             {{"dead", 4}, TB_TASK_DESTROYED}};

enum tb_task_state tb_task_state_named(struct tb_str name) {
  for (int state = TB_TASK_CREATED; state <= TB_TASK_DESTROYED; state++)
    if (tb_str_equal(letters[state], name)) return (enum tb_task_state)state;
  for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
    if (tb_str_equal(words[i].name, name)) return words[i].state;
  return TB_TASK_UNKNOWN;
}

struct tb_str tb_task_state_letter(enum tb_task_state state) {
  return letters[state <= TB_TASK_DESTROYED ? state : TB_TASK_UNKNOWN];
}
