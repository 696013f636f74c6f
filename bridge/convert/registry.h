/* SPDX-License-Identifier: Apache-2.0
 *
 * The formats: what each is called, and what reads and writes it. The only place that names all of them.
 */
#ifndef TB_CONVERT_REGISTRY_H
#define TB_CONVERT_REGISTRY_H

#include "model/reader_ops.h"
#include "model/writer_ops.h"

enum { TB_FORMAT_SUFFIXES_MAX = 2 };

/* A format that says in other words what another one says: an input of it is made one of that, and read as such. */
struct tb_decoder_ops {
  enum tb_format into;
  bool (*detect)(const char *data, size_t len);
  /* As tb_packet_text_open. */
  enum tb_status (*open)(struct tb_input **input, const struct tb_allocator *allocator, struct tb_error *error);
};

struct tb_format_entry {
  enum tb_format format;
  const char *name;  /* tb_format_name */
  const char *title; /* in messages */
  /* of names of files to write, without .gz or .zst; NULL behind the last */
  const char *suffixes[TB_FORMAT_SUFFIXES_MAX];
  const struct tb_reader_ops *reader;   /* NULL: it is not read */
  const struct tb_writer_ops *writer;   /* NULL: it is not written */
  const struct tb_decoder_ops *decoder; /* NULL: it is no other format's in other words */
};

/* The formats, by number from 0 on; NULL behind the last. */
const struct tb_format_entry *tb_registry_at(size_t i);

/* The entry of a format; NULL for UNKNOWN and others that are none. */
const struct tb_format_entry *tb_registry_find(enum tb_format format);

/* The entry of the decoder for an input whose format is that, or, where it is UNKNOWN, that starts with these bytes;
 * NULL: none. */
const struct tb_format_entry *tb_registry_decoder(enum tb_format format, const char *data, size_t len);

/* The reader, or writer, of a format; NULL where it has none. */
const struct tb_reader_ops *tb_registry_reader(enum tb_format format);
const struct tb_writer_ops *tb_registry_writer(enum tb_format format);

/* For tests, which may define it: one more format, behind the others. The library does not define it. */
const struct tb_format_entry *tb_registry_test_format(void) __attribute__((weak, visibility("hidden")));

#endif
