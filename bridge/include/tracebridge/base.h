/* SPDX-License-Identifier: Apache-2.0
 *
 * Types that every public header uses: export macro, text slices, status codes, errors, allocator.
 *
 * Structs. Zero-initialise each that you make, then set what you want: members that are new in a later version are 0
 * then, which means what it was before they came. Options, and reports that the library fills in, begin with `size`, to
 * be set to sizeof, and get new members at their end; what a caller's struct has no room for is not asked and not
 * written. All others that callers make, and those within others or in arrays, keep their size: what is added
 * takes the place of `reserved`, and those without it stay as they are.
 *
 *     struct tb_error error = {0};
 *     error.code = TB_IO;
 *     printf("tracebridge %s: %s\n", tb_version(), tb_status_text(error.code));
 */
#ifndef TRACEBRIDGE_BASE_H
#define TRACEBRIDGE_BASE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define TB_API __attribute__((visibility("default")))
#define TB_MUST_CHECK __attribute__((warn_unused_result))
#define TB_PRINTF(fmt, first) __attribute__((format(printf, fmt, first)))
#else
#define TB_API
#define TB_MUST_CHECK
#define TB_PRINTF(fmt, first)
#endif

/* The version of the library, as "0.1.0"; constant, never NULL. */
TB_API const char *tb_version(void);

/* Bytes that another object owns. `ptr` may be NULL only when `len` is 0; no NUL follows. Wholly public, passed by
 * value. */
struct tb_str {
  const char *ptr;
  size_t len;
};

#define TB_STR(literal) ((struct tb_str){(literal), sizeof(literal) - 1})

/* Status of every fallible function. OK is 0; END and AGAIN are states of a reader, not errors. X(name, text) */
#define TB_STATUS_LIST(X)                                          \
  X(OK, "no error")                                                \
  X(END, "end of the input")                                       \
  X(AGAIN, "more input is needed")                                 \
  X(PARTIAL, "a part of the input was lost")                       \
  X(TRUNCATED, "the input ends in the middle of a record")         \
  X(BAD_DATA, "the input is damaged")                              \
  X(UNKNOWN_FORMAT, "the input is no trace of a known format")     \
  X(UNSUPPORTED, "the input uses a feature that is not supported") \
  X(REFUSED, "the operation was refused")                          \
  X(INVALID, "an argument is not valid")                           \
  X(LIMIT, "a limit was exceeded")                                 \
  X(NO_MEMORY, "out of memory")                                    \
  X(IO, "input/output error")                                      \
  X(CANCELLED, "cancelled by the caller")

enum tb_status {
#define TB_STATUS_ENUM(name, text) TB_##name,
  TB_STATUS_LIST(TB_STATUS_ENUM)
#undef TB_STATUS_ENUM
};

/* A constant English text for `status`, never NULL. */
TB_API const char *tb_status_text(enum tb_status status);

/* What went wrong and where. Wholly public, caller-owned, zero-initialised means "no error". The first error wins: a
 * function that finds `code` already set leaves it. Texts hold names as they are: escape.h makes them fit for a
 * terminal. */
struct tb_error {
  enum tb_status code;
  int system_errno;  /* errno of the failed call, 0 when no system call failed */
  uint64_t offset;   /* byte offset in the (decompressed) input, TB_NO_OFFSET when it has none */
  uint64_t record;   /* number of the event, packet or record, from 0; TB_NO_OFFSET when it has none */
  char message[400]; /* what, and what to do; NUL-terminated */
  char file[256];    /* the input or output concerned, as it is named, possibly cut; NUL-terminated, "" when none */
  const void *reserved[2]; /* NULL; see "Structs" above */
};

#define TB_NO_OFFSET UINT64_MAX

/* Memory source. A NULL `struct tb_allocator *` means malloc, realloc and free. `reallocate(ctx, NULL, 0, n)`
 * allocates, `reallocate(ctx, p, old, 0)` frees and returns NULL; any other call may move the block and returns NULL
 * when it cannot, the old block then unchanged. Must be usable from the threads that use the object it was given to. */
struct tb_allocator {
  void *(*reallocate)(void *ctx, void *ptr, size_t old_size, size_t new_size);
  void *ctx;
};

enum { TB_LOSS_REASON_MAX = 128 };

/* Codes of losses and of notes, for programs: texts are for people and may change. X(code, its name). New codes come at
 * the end; docs/LIBRARY.md lists them. */
#define TB_LOSS_LIST(X)                                                                                          \
  X(OTHER, "other")                         /* more reasons than are counted */                                  \
  X(CUT, "cut")                             /* the input ends early: all before it was read */                   \
  X(DAMAGED, "damaged")                     /* bytes of the input make no sense: what is behind them was read */ \
  X(LIMIT, "limit")                         /* longer, deeper or more than a limit of ours or of the target's */ \
  X(CLOCK, "clock_unknown")                 /* on a clock that nothing relates to the trace's */                 \
  X(STATE, "state_missing")                 /* needs what its sequence sent before, which is not there */        \
  X(UNPAIRED, "unpaired")                   /* an end without its begin, a flow without its start */             \
  X(NO_PLACE, "no_place")                   /* the target's format has no place for it */                        \
  X(NO_TIME, "no_time")                     /* an event without a time */                                        \
  X(CLOCK_BACKWARDS, "clock_backwards")     /* a clock snapshot that contradicts others or itself */             \
  X(INTERNED_MISSING, "interned_missing")   /* references to interned data that was not sent */                  \
  X(COUNTER_NO_TRACK, "counter_no_track")   /* a counter's value on a track that is no counter */                \
  X(NO_TRACK, "no_track")                   /* of no track or thread */                                          \
  X(UNKNOWN, "unknown")                     /* of a type, or a field, that is not known */                       \
  X(INCOMPLETE, "incomplete")               /* lacks a part that it needs */                                     \
  X(NEGATIVE_DURATION, "negative_duration") /* ends before it begins */                                          \
  X(NEGATIVE_TIME, "negative_time")         /* before time 0, where the target has none */                       \
  X(OVERLAP, "overlap")                     /* a slice was cut short: it overlaps others */                      \
  X(LATE, "late")                           /* came later than the window of sorting allows: only its order */   \
  X(DUPLICATE, "duplicate")                 /* said a second time */                                             \
  X(SECOND_TRACE, "second_trace")           /* a note: another trace in the input */                             \
  X(UNREAD, "unread")                       /* a note: a part of the input is not read, or not shown */          \
  X(ASSUMED, "assumed")                     /* a note: the source does not say it, or says it in an unusual way */

enum tb_loss_kind {
#define TB_LOSS_ENUM(code, name) TB_LOSS_##code,
  TB_LOSS_LIST(TB_LOSS_ENUM)
#undef TB_LOSS_ENUM
};

/* The name of a code, "cut"; "other" of a number that is none. Constant. */
TB_API const char *tb_loss_kind_name(enum tb_loss_kind kind);

/* One reason for which something was lost, how often, and where first. */
struct tb_loss {
  char reason[TB_LOSS_REASON_MAX]; /* NUL-terminated, possibly cut; one that has kinds ends in ": KIND" */
  uint64_t count;
  uint64_t first_offset; /* byte offset in the decompressed input */
  enum tb_loss_kind kind;
  uint32_t reserved; /* 0 */
};

#ifdef __cplusplus
}
#endif
#endif
