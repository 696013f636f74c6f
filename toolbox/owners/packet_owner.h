/* SPDX-License-Identifier: Apache-2.0
 *
 * Whose packets and the kernel's events are that are no track events.
 */
#ifndef TB_TOOLBOX_OWNERS_PACKET_OWNER_H
#define TB_TOOLBOX_OWNERS_PACKET_OWNER_H

#include "toolbox/owners/owners.h"

/* A payload that is a list, each of whose elements is of a process. */
struct tb_owned_list {
  uint32_t kind, element, pid;       /* numbers of fields */
  uint32_t other_element, other_pid; /* of another kind of elements; 0: there is none */
};

/* The list that a payload of the kind is; NULL: it is none. */
const struct tb_owned_list *tb_owned_list_find(uint32_t kind);
/* The processes and threads of a process tree. */
extern const struct tb_owned_list tb_owned_tree;

/* Whether a field of the list is an element that says whose it is. */
bool tb_owned_list_whose(const struct tb_owned_list *list, const struct tb_wire_field *field, uint32_t machine,
                         struct tb_whose *whose);

/* Appends the packet, framed, with a list of no elements but those of whom `keeps` says so; *kept is how many. TB_OK,
 * TB_NO_MEMORY, TB_LIMIT. */
struct tb_owned_list_part {
  const struct tb_owned_list *list;
  uint32_t machine;
  bool (*keeps)(const void *ctx, const struct tb_whose *whose);
  const void *ctx;
  size_t kept, left_out; /* elements that are someone's */
};
void tb_owned_list_count(struct tb_owned_list_part *part, struct tb_str payload);
TB_MUST_CHECK enum tb_status tb_owned_list_append(const struct tb_owned_list_part *part, struct tb_str packet,
                                                  struct tb_buffer *buffer);

/* Whose frames are that began and have not ended. Caller-owned; zero but for `cookies`. */
struct tb_open_frames {
  struct tb_map cookies; /* and machine -> pid */
  bool failed;           /* there was no memory for it */
};

/* Whose the walk's current packet is, which is neither a track event, ftrace, a list as above, nor timeless. */
struct tb_whose tb_owners_of_packet(const struct tb_owners *owners, const struct tb_walk *walk,
                                    const struct tb_track_events *events, struct tb_open_frames *frames);

#endif
