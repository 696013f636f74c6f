/* SPDX-License-Identifier: Apache-2.0 */
#include "toolbox/redact/redact_args.h"

#include "json/value.h"
#include "model/arg_lookup.h"
#include "toolbox/redact/own_words.h"

/* A tree that is being made. */
struct arg_tree {
  struct tb_arena *arena;
  struct tb_arg *args;
  uint32_t count;
};

/* ---- values that are JSON text ----------------------------------------------------------------------------------- */

/* Whether the text is a dict or an array, of which more becomes a pseudonym than has to. */
static bool is_tree_in_text(const struct tb_arg *arg) {
  return arg->type == TB_ARG_JSON && arg->text.len && (arg->text.ptr[0] == '{' || arg->text.ptr[0] == '[');
}

/* Entries that the arguments take at most. */
static size_t most_entries(const struct tb_arg *args, uint32_t count) {
  size_t most = count;
  for (uint32_t i = 0; i < count; i++)
    if (is_tree_in_text(&args[i])) most += args[i].text.len / 2 + 1;
  return most;
}

/* Puts the argument in place of the last entry, with what its text says. What would nest too deep stays text. */
static void put_parsed(struct arg_tree *tree, const struct tb_arg *arg, unsigned depth) {
  struct tb_arg *parsed;
  if (!is_tree_in_text(arg) || depth + TB_JSON_TREE_DEPTH > TB_ARG_DEPTH_MAX) return;
  uint32_t count = tb_json_parse_value(tree->arena, arg->text, &parsed);
  if (!count) return;
  struct tb_arg *to = &tree->args[tree->count - 1];
  memcpy(to, parsed, count * sizeof(*to));
  to->name = arg->name;
  tree->count += count - 1;
}

/* `depth`: of dicts and arrays around them. */
static void put_parsed_all(struct arg_tree *tree, const struct tb_arg *args, uint32_t count, unsigned depth) {
  for (uint32_t i = 0; i < count; i += args[i].span) {
    uint32_t place = tree->count;
    tree->args[tree->count++] = args[i];
    put_parsed(tree, &args[i], depth);
    if (args[i].span > 1) put_parsed_all(tree, &args[i + 1], args[i].span - 1, depth + 1);
    tree->args[place].span = tree->count - place;
  }
}

/* Gives the arguments a copy of their own, in which JSON text is what it says. */
static enum tb_status copy_args(struct tb_arena *arena, const struct tb_arg **args, uint32_t *count) {
  if (!*count) return TB_OK;
  size_t most = most_entries(*args, *count);
  struct arg_tree tree = {.arena = arena, .args = tb_arena_alloc(arena, most * sizeof(*tree.args))};
  if (!tree.args) return TB_NO_MEMORY;
  if (most == *count) {
    memcpy(tree.args, *args, most * sizeof(*tree.args));
    tree.count = *count;
  } else {
    put_parsed_all(&tree, *args, *count, 0);
  }
  *args = tree.args;
  *count = tree.count;
  return TB_OK;
}

/* ---- arguments --------------------------------------------------------------------------------------------------- */

static enum tb_status replace_value(struct tb_redactor *r, struct tb_arg *arg) {
  bool is_number = arg->type == TB_ARG_JSON && tb_says_number(arg->text);
  if (is_number || (!tb_arg_is_text(arg) && arg->type != TB_ARG_BLOB)) return TB_OK;
  arg->type = TB_ARG_STRING;
  return tb_pseudonym(&r->names, &r->scratch, &arg->text);
}

enum tb_status tb_redact_args(struct tb_redactor *r, const struct tb_event *source, struct tb_event *event) {
  enum tb_status status = copy_args(&r->scratch, &event->args, &event->arg_count);
  struct tb_arg *args = (struct tb_arg *)(uintptr_t)event->args; /* our own */
  for (uint32_t i = 0; status == TB_OK && i < event->arg_count; i++) {
    bool stays = tb_is_own_value(source, &args[i]);
    if (!tb_is_own_key(source, args[i].name)) status = tb_pseudonym(&r->names, &r->scratch, &args[i].name);
    if (status == TB_OK && !stays) status = replace_value(r, &args[i]);
  }
  return status;
}

/* ---- members of the event ---------------------------------------------------------------------------------------- */

enum tb_status tb_redact_members(struct tb_redactor *r, const struct tb_event *source, struct tb_event *event) {
  enum tb_status status = copy_args(&r->scratch, &event->extra, &event->extra_count);
  struct tb_arg *members = (struct tb_arg *)(uintptr_t)event->extra; /* our own */
  uint32_t kept = 0;
  for (uint32_t i = 0, span; status == TB_OK && i < event->extra_count; i += span) {
    struct tb_arg *member = &members[i];
    span = member->span;
    if (!tb_is_own_member(source, member)) {
      if (r->no_args) {
        tb_losses_add(&r->asked, "members of events that are no format's own are left out", source->offset);
        continue;
      }
      for (uint32_t at = 0; status == TB_OK && at < span; at++) {
        status = tb_pseudonym(&r->names, &r->scratch, &member[at].name);
        if (status == TB_OK) status = replace_value(r, &member[at]);
      }
    }
    memmove(&members[kept], member, span * sizeof(*member));
    kept += span;
  }
  event->extra_count = kept;
  if (!kept) event->extra = NULL;
  return status;
}
