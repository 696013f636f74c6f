/* SPDX-License-Identifier: Apache-2.0
 *
 * Types that every public header uses: export macro, text slices, status codes, errors, allocator.
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

/* What a reason for a loss is about, for programs: texts are for people and may change. Kinds are added at the end. */
enum tb_loss_kind {
  TB_LOSS_OTHER,    /* an event or a part of one is left out, for the reason that the text says */
  TB_LOSS_CUT,      /* the input ends early: all before it was read */
  TB_LOSS_DAMAGED,  /* bytes of the input make no sense: what is behind them was read */
  TB_LOSS_LIMIT,    /* it is longer, deeper or more than a limit of ours or of the target's */
  TB_LOSS_CLOCK,    /* a time is missing, or on a clock that nothing relates to the trace's */
  TB_LOSS_STATE,    /* it needs what its sequence sent before, which is not there */
  TB_LOSS_UNPAIRED, /* an end without its begin, a flow without its start */
  TB_LOSS_NO_PLACE  /* the target's format has no place for it */
};

/* One reason for which something was lost, how often, and where first. */
struct tb_loss {
  char reason[TB_LOSS_REASON_MAX]; /* NUL-terminated, possibly cut; one that has kinds ends in ": KIND" */
  uint64_t count;
  uint64_t first_offset; /* byte offset in the decompressed input */
  enum tb_loss_kind kind;
};

#ifdef __cplusplus
}
#endif
#endif
