/* SPDX-License-Identifier: Apache-2.0
 *
 * The events of a bundle that are in a window.
 */
#ifndef TB_TOOLBOX_TRIM_FTRACE_WINDOW_H
#define TB_TOOLBOX_TRIM_FTRACE_WINDOW_H

#include "toolbox/trim/edges.h"
#include "toolbox/walk/ftrace_bundle.h"

enum tb_ftrace_part { TB_FTRACE_ALL, TB_FTRACE_SOME, TB_FTRACE_NONE };

/* How much of the bundle is in the window. Events whose time nobody knows are in it. */
enum tb_ftrace_part tb_ftrace_part_of(const struct tb_ftrace_bundle *bundle, const struct tb_window *window);

/* Appends a packet, framed, as `packet` but for the events of its bundle that are not in the window. TB_OK,
 * TB_NO_MEMORY, TB_LIMIT. */
TB_MUST_CHECK enum tb_status tb_ftrace_append_part(const struct tb_ftrace_bundle *bundle, struct tb_str packet,
                                                   const struct tb_window *window, struct tb_buffer *buffer);

#endif
