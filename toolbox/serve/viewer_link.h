/* SPDX-License-Identifier: Apache-2.0
 *
 * What follows from the address of a viewer: the origin that its pages have, and the link that makes it fetch a trace.
 */
#ifndef TB_TOOLBOX_VIEWER_LINK_H
#define TB_TOOLBOX_VIEWER_LINK_H

#include "base/memory.h"

/* Appends the origin of the pages at `viewer` as browsers write it (lower case, no port where it is the scheme's), and
 * a NUL. TB_OK; TB_INVALID where it is no address of http or https; TB_NO_MEMORY. */
TB_MUST_CHECK enum tb_status tb_viewer_origin(struct tb_buffer *to, const char *viewer);

/* Appends the path by which a trace is asked for, /KEY/NAME, and a NUL. What could mean something in an address is `_`
 * in the name. TB_OK or TB_NO_MEMORY. */
TB_MUST_CHECK enum tb_status tb_viewer_path(struct tb_buffer *to, uint64_t key, const char *name);

/* Appends the link: the viewer's address, with that of the trace at `path` on `port`, and a NUL. TB_OK or
 * TB_NO_MEMORY. */
TB_MUST_CHECK enum tb_status tb_viewer_link(struct tb_buffer *to, const char *viewer, unsigned port, const char *path);

#endif
