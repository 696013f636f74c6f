/* SPDX-License-Identifier: Apache-2.0
 *
 * Reads ahead: a thread produces bytes while another uses them, with a ring of buffers between the two.
 */
#ifndef TB_IO_READ_AHEAD_H
#define TB_IO_READ_AHEAD_H

#include <stdbool.h>

#include "tracebridge/base.h"

/* Writes up to `capacity` bytes to `to`; TB_OK with at least one, or why there are none. Called in the thread, until it
 * says something else than TB_OK. */
typedef enum tb_status (*tb_produce)(void *ctx, char *to, size_t capacity, size_t *got, struct tb_error *error);

struct tb_read_ahead; /* opaque; tb_read_ahead_start, tb_read_ahead_stop */

/* NULL when there is no memory or no thread to be had. */
struct tb_read_ahead *tb_read_ahead_start(const struct tb_allocator *allocator, tb_produce produce, void *ctx);

/* The next bytes, as `produce` gives them; its last status again and again once all was read. */
TB_MUST_CHECK enum tb_status tb_read_ahead_read(struct tb_read_ahead *ahead, char *to, size_t capacity, size_t *got,
                                                struct tb_error *error);

/* Waits for the thread to leave `produce`, and frees. NULL is ignored. */
void tb_read_ahead_stop(struct tb_read_ahead *ahead);

#endif
