/* SPDX-License-Identifier: Apache-2.0
 *
 * What a trace may be wrapped in: its members are walked over, and one is read.
 */
#ifndef TB_CONVERT_CONTAINERS_H
#define TB_CONVERT_CONTAINERS_H

#include "io/input.h"

/* A kind of container. The state is opaque. */
struct tb_container_ops {
  const char *what; /* in messages: "archive" */
  bool (*detect)(const char *data, size_t len);
  /* Reads the container's bytes from `input`, which must stay. */
  enum tb_status (*open)(struct tb_input *input, const struct tb_allocator *allocator, void **state,
                         struct tb_error *error);
  /* Goes to the next member. *name is valid until the next call; NULL where it has none. TB_END behind the last. */
  enum tb_status (*next)(void *state, const char **name, struct tb_error *error);
  /* Bytes of the member, as a source's read (io/input.h). */
  enum tb_status (*read)(void *state, char *to, size_t capacity, size_t *got, struct tb_error *error);
  void (*close)(void *state);
};

extern const struct tb_container_ops tb_archive_container, tb_page_container;

#endif
