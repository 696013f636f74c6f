/* SPDX-License-Identifier: Apache-2.0
 *
 * One part of a trace as packets.
 */
#ifndef TB_TOOLBOX_SPLIT_SPLIT_PART_H
#define TB_TOOLBOX_SPLIT_SPLIT_PART_H

#include "toolbox/cut/packet_cut.h"
#include "toolbox/cut/wakelocks.h"
#include "toolbox/split/split_plan.h"

struct tb_split_writing {
  struct tb_split_plan *plan; /* that was made */
  size_t part;
  uint64_t recording; /* of the mark */
  struct tb_buffer buffer;
  struct tb_wakelocks wakelocks; /* up to the walk's current packet */
  struct tb_map begun;           /* processors that had a bundle of the kernel's events */
  uint64_t packets_in;
};

/* Reads the whole trace and writes what is in the part; for tb_merger_write_out. */
TB_MUST_CHECK enum tb_status tb_split_part_write(void *writing);

#endif
