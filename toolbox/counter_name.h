/* SPDX-License-Identifier: Apache-2.0
 *
 * What the names of counter tracks say that come from JSON or FXT, where a counter has several series: "name series",
 * "name id: 7 series", or FXT's "name:series:7", where 0 is no id.
 */
#ifndef TB_TOOLBOX_COUNTER_NAME_H
#define TB_TOOLBOX_COUNTER_NAME_H

#include "base/memory.h"

/* Parts of the text that was read. */
struct tb_counter_name {
  struct tb_str name, series, id; /* id empty: none */
};

/* Whether an id is a number, which JSON has in hexadecimal too, and no other text. */
bool tb_is_number_id(struct tb_str id);

/* Takes a name with an id apart; false where it is none. `with_texts`: ids that are texts are looked for, too. */
bool tb_counter_name_with_id(struct tb_str text, bool with_texts, struct tb_counter_name *parts);

/* What the counter is called of which that is a series; all of the text where it has no series. */
struct tb_str tb_counter_name_without_series(struct tb_str text);

#endif
