/* SPDX-License-Identifier: Apache-2.0
 *
 * Perfetto's packets that ftrace text becomes: the text itself, then bundles of the events that it says.
 */
#ifndef TB_FTRACE_PACKETS_OF_TEXT_H
#define TB_FTRACE_PACKETS_OF_TEXT_H

#include "ftrace/text_store.h"

/* The first two numbers of a kernel's release, such as 5.10.101-android12; false where it has none. */
bool tb_ftrace_release_parts(struct tb_str release, unsigned parts[2]);

/* Puts the fields of a SystemInfo of Linux with a release of at most 64 bytes; returns their end. */
enum { TB_FTRACE_SYSTEM_INFO_MAX = 192 };
char *tb_ftrace_put_system_info(char *at, struct tb_str release);

/* Takes the fields of a TracePacket. */
typedef enum tb_status (*tb_ftrace_put_packet)(void *ctx, struct tb_str fields);

/* Counts a line of which no event can be made. TB_OK, or why not to go on. */
typedef enum tb_status (*tb_ftrace_lose_line)(void *ctx, const char *reason);

struct tb_ftrace_packets_options {
  const struct tb_allocator *allocator;
  tb_ftrace_put_packet put;
  void *ctx;
  uint32_t sequence;    /* id of the packet sequence */
  uint32_t trace_clock; /* which the text's times are on */
  /* marks that say again what an event does (ftrace/made_marks.h) become packets, too: for who knows the marks alone */
  bool with_made_marks;
  /* a packet before the events says which binder transactions there are: for who cannot read the packets twice */
  bool read_once;
  tb_ftrace_lose_line lose;
  void *lose_ctx;
  struct tb_error *error;
};

/* The lines that became events, and who wrote them. */
struct tb_ftrace_packets_summary {
  uint64_t events, processes, threads;
  int64_t first_ts, last_ts;
};

struct tb_ftrace_packets; /* opaque; tb_ftrace_packets_create, then tb_ftrace_packets_destroy */

/* `text` is whole, and stays until they are destroyed; its blocks are dropped one by one. NULL without memory. */
struct tb_ftrace_packets *tb_ftrace_packets_create(struct tb_ftrace_text *text,
                                                   const struct tb_ftrace_packets_options *options);
/* Puts the packets of the next block of text. TB_OK; TB_END when all were put; what `put` returned; TB_IO or
 * TB_NO_MEMORY. */
TB_MUST_CHECK enum tb_status tb_ftrace_packets_step(struct tb_ftrace_packets *packets);
/* To be asked when all were put. */
struct tb_ftrace_packets_summary tb_ftrace_packets_summary(const struct tb_ftrace_packets *packets);
void tb_ftrace_packets_destroy(struct tb_ftrace_packets *packets);

#endif
