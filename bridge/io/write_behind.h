/* SPDX-License-Identifier: Apache-2.0
 *
 * Writes behind: a thread consumes bytes while another makes them. Full buffers go to it, empty ones come back.
 */
#ifndef TB_IO_WRITE_BEHIND_H
#define TB_IO_WRITE_BEHIND_H

#include "tracebridge/base.h"

/* Uses up `len` bytes. Called in the thread, until it says something else than TB_OK. */
typedef enum tb_status (*tb_consume)(void *ctx, const char *bytes, size_t len);

struct tb_write_behind; /* opaque; tb_write_behind_start, tb_write_behind_stop */

/* Buffers are of `buffer_bytes`, from `allocator`. NULL when there is no memory or no thread to be had. */
struct tb_write_behind *tb_write_behind_start(const struct tb_allocator *allocator, size_t buffer_bytes,
                                              tb_consume consume, void *ctx);

/* Gives the thread a buffer with `len` bytes and the caller another one for it; waits while all are full. Once
 * `consume` failed the bytes are dropped and its status is returned. */
TB_MUST_CHECK enum tb_status tb_write_behind_pass(struct tb_write_behind *behind, char **buffer, size_t len);

/* Waits until all that was passed is used up; the first status of `consume` that was not TB_OK. */
TB_MUST_CHECK enum tb_status tb_write_behind_drain(struct tb_write_behind *behind);

/* Waits for the thread to leave `consume`, and frees; what it has not begun is dropped. NULL is ignored. */
void tb_write_behind_stop(struct tb_write_behind *behind);

#endif
