/* SPDX-License-Identifier: Apache-2.0
 *
 * Parts of a trace as packets.
 */
#ifndef TB_TOOLBOX_SPLIT_SPLIT_PART_H
#define TB_TOOLBOX_SPLIT_SPLIT_PART_H

#include "toolbox/cut/packet_cut.h"
#include "toolbox/cut/wakelocks.h"
#include "toolbox/split/missed_values.h"
#include "toolbox/split/split_plan.h"

struct tb_split_group;

/* A part that is written. */
struct tb_split_writing {
  const struct tb_split_group *group;
  size_t part;
  struct tb_trace_file *file;
  struct tb_cut cut;
  struct tb_buffer buffer;
  struct tb_wakelocks wakelocks; /* up to the walk's current packet */
  struct tb_map begun;           /* processors that had a bundle of the kernel's events */
  struct tb_map seen_values;     /* as of tb_missed_values_add_up */
  size_t rows;                   /* of the current bundle that are its */
};

/* The parts that one reading of the trace writes. */
struct tb_split_group {
  struct tb_split_plan *plan; /* that was made; `place` of a piece is where its part is in `writings`, or not below
                               * `count` */
  uint64_t recording;         /* of the marks */
  struct tb_split_writing *writings;
  size_t count;
  struct tb_missed_values missed;
  struct tb_buffer row_parts; /* of the rows of the current bundle, each a size_t */
  uint64_t packets_in;
};

/* Reads the whole trace and writes what is in the parts, of which `part` and `file` are set; for
 * tb_merger_write_files. */
TB_MUST_CHECK enum tb_status tb_split_group_write(void *group);

#endif
