/* SPDX-License-Identifier: Apache-2.0
 *
 * How call stacks, which FXT has no place for, are carried: in arguments, as references or as JSON text, and the
 * trace's stack frames in large blobs.
 */
#ifndef TB_FXT_CALLSTACK_NAMES_H
#define TB_FXT_CALLSTACK_NAMES_H

/* Names of a frame's parts; the first may be alone. */
#define TB_FXT_FRAME_FUNCTION TB_STR("name")
#define TB_FXT_FRAME_MAPPING TB_STR("category")
#define TB_FXT_FRAME_FILE TB_STR("file")
#define TB_FXT_FRAME_LINE TB_STR("line")
#define TB_FXT_FRAME_PC TB_STR("pc")
#define TB_FXT_FRAME_PARENT TB_STR("parent")

#endif
