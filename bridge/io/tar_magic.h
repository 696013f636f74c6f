/* SPDX-License-Identifier: Apache-2.0
 *
 * The magic of a tar header, which is far from the start of a file: a trace may have it there by chance.
 */
#ifndef TB_IO_TAR_MAGIC_H
#define TB_IO_TAR_MAGIC_H

#include <stdbool.h>
#include <stddef.h>

/* Whether a file that starts with these bytes has it. */
bool tb_looks_like_tar(const char *start, size_t len);

#endif
