/* SPDX-License-Identifier: Apache-2.0
 *
 * What traces say that a difference does not tell.
 */
#ifndef TB_TOOLBOX_DIFF_UNCOMPARED_H
#define TB_TOOLBOX_DIFF_UNCOMPARED_H

#include <stdbool.h>
#include <stddef.h>

enum { TB_DIFF_UNCOMPARED_MAX = 16 };

/* Sets texts for people, which are constants; how many they are. `has_packets`: one is of a format of packets. */
size_t tb_diff_uncompared(bool has_packets, bool is_across, const char *texts[TB_DIFF_UNCOMPARED_MAX]);

#endif
