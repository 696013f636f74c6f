/* SPDX-License-Identifier: Apache-2.0
 *
 * Times as people read them.
 */
#ifndef TB_BASE_TIME_TEXT_H
#define TB_BASE_TIME_TEXT_H

#include <stdbool.h>
#include <stdint.h>

enum { TB_TIME_TEXT = 32 };

/* ns as a signed decimal number of seconds, "+1.500000000 s". */
void tb_seconds_text(int64_t ns, char text[TB_TIME_TEXT]);

/* ns since 1970 as "2023-11-14 22:13:20 UTC". */
void tb_date_text(int64_t ns, char text[TB_TIME_TEXT]);

/* Whether ns since 1970 is a time at which traces are recorded: from 2001 to 2100. */
bool tb_is_wall_time(int64_t ns);

#endif
