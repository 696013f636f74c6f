/* SPDX-License-Identifier: Apache-2.0
 *
 * Which input a name means, on the command line and in a manifest: the one that is called so, to the letter or but for
 * a `./` before it, else the one that is the same file, as by an absolute path of what was given as a relative one,
 * else the one whose path ends so, from one of its `/` on. Two of these are an error, since which one was meant is not
 * ours to guess.
 */
#ifndef TB_MERGE_INPUT_INPUT_NAMES_H
#define TB_MERGE_INPUT_INPUT_NAMES_H

#include "base/memory.h"

/* How a name fits an input, the worse first. */
enum tb_name_fit { TB_NAME_OTHER, TB_NAME_TAIL, TB_NAME_SAME_FILE, TB_NAME_WHOLE, TB_NAME_EXACT };

/* Zero-initialise, with `name`; then offer all inputs. */
struct tb_name_search {
  struct tb_str name;
  const char *first, *second; /* the inputs that fit best, two at most; NULL: none */
  size_t index;               /* of the first */
  enum tb_name_fit fit;
};

/* Offers an input called `path`; `member`: what it is called in its archive, NULL where it is in none. */
void tb_name_search_offer(struct tb_name_search *search, size_t index, const char *path, const char *member);

/* TB_OK where one input fits; TB_INVALID, with a message, where none does, or several do. */
TB_MUST_CHECK enum tb_status tb_name_search_end(const struct tb_name_search *search, struct tb_error *error);

#endif
