/* SPDX-License-Identifier: Apache-2.0
 *
 * The copies of inputs that a merge makes: one behind the other in one temporary file without a name. Whatever ends
 * the process, nothing is left of them, nobody else can read them, and any number of them needs one descriptor.
 */
#ifndef TB_MERGE_INPUT_COPY_STORE_H
#define TB_MERGE_INPUT_COPY_STORE_H

#include "io/input.h"

enum { TB_COPY_STORE_NAME = 32 };

/* Zero-initialise, with `directory`; then tb_copy_store_free. */
struct tb_copy_store {
  const char *directory; /* as for tb_temp_file_create_nameless */
  bool made;
  int fd;
  uint64_t end; /* of the finished copies */
};

/* Begins a copy of what is called `name` (which has to stay) behind the finished ones; one that was begun and not ended
 * is gone. Either tb_copy_store_put writes it, or whoever writes one file from front to back, under the name `to`.
 * TB_IO. */
TB_MUST_CHECK enum tb_status tb_copy_store_begin(struct tb_copy_store *store, const char *name,
                                                 struct tb_input_place *copy, char to[TB_COPY_STORE_NAME],
                                                 struct tb_error *error);

/* Writes bytes of the copy that was begun at `offset`; what no call writes is zero. */
TB_MUST_CHECK enum tb_status tb_copy_store_put(struct tb_copy_store *store, uint64_t offset, const void *data,
                                               size_t len, struct tb_error *error);

/* Finishes the copy, which has `len` bytes. */
TB_MUST_CHECK enum tb_status tb_copy_store_end(struct tb_copy_store *store, uint64_t len, struct tb_input_place *copy,
                                               struct tb_error *error);

/* An error of whoever wrote a copy under the name `to`: with the temporary file's folder for that name, which no user
 * knows. Returns `status`. */
enum tb_status tb_copy_store_failed(const struct tb_copy_store *store, const char *to, enum tb_status status,
                                    struct tb_error *error);

/* A copy is not wanted any more: gives its room back where the file system can. */
void tb_copy_store_forget(struct tb_copy_store *store, const struct tb_input_place *copy);

void tb_copy_store_free(struct tb_copy_store *store);

#endif
