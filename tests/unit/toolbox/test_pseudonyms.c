/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "toolbox/redact/pseudonyms.h"

static const struct tb_name_patterns keep_none = {NULL, 0, NULL};

/* The numbers that the letters and digits of a pseudonym are. */
static uint64_t unspell(struct tb_str pseudonym) {
  static const char letters[] = "bcdfghjkmnpqstvw";
  uint64_t hash = 0;
  assert_int_equal(pseudonym.len, 19);
  assert_int_equal(pseudonym.ptr[0], 'r');
  for (size_t i = 0; i < 9; i++) {
    const char *letter = strchr(letters, pseudonym.ptr[1 + 2 * i]);
    assert_non_null(letter);
    hash |= ((uint64_t)(letter - letters) | (uint64_t)(pseudonym.ptr[2 + 2 * i] - '2') << 4) << 7 * i;
  }
  return hash;
}

static uint64_t hash_of(struct tb_pseudonyms *names, struct tb_str text) {
  struct tb_arena arena;
  tb_arena_init(&arena, tb_default_allocator(), 0);
  assert_int_equal(tb_pseudonym(names, &arena, &text), TB_OK);
  uint64_t hash = unspell(text);
  tb_arena_free(&arena);
  return hash;
}

/* The vectors that the authors of SipHash published: the key is 00 01 .. 0f, the text 00 01 .. of so many bytes. */
static void pseudonyms_are_those_of_siphash(void **state) {
  (void)state;
  static const struct {
    size_t len;
    uint64_t hash;
  } published[] = {{1, 0x74f839c593dc67fd},
                   {2, 0x0d6c8009d9a94f5a},
                   {7, 0xab0200f58b01d137},
                   {8, 0x93f5f5799a932462},
                   {15, 0xa129ca6149be45e5}};
  struct tb_pseudonyms names;
  char text[16];
  assert_true(tb_pseudonyms_init(&names, tb_default_allocator(), NULL, &keep_none));
  for (unsigned char i = 0; i < TB_PSEUDONYM_KEY_BYTES; i++) names.key[i] = i;
  for (char i = 0; i < (char)sizeof(text); i++) text[(size_t)i] = i;
  for (size_t i = 0; i < sizeof(published) / sizeof(published[0]); i++)
    assert_int_equal(hash_of(&names, (struct tb_str){text, published[i].len}), published[i].hash & (UINT64_MAX >> 1));
  tb_pseudonyms_free(&names);
}

/* BLAKE2b of 128 bits, of "redact", as Python's hashlib.blake2b(b"redact", digest_size=16) has it. */
static void keys_are_those_of_blake2b(void **state) {
  (void)state;
  static const unsigned char known[TB_PSEUDONYM_KEY_BYTES] = {0x1a, 0x23, 0x53, 0x54, 0x62, 0xfd, 0x89, 0xf9,
                                                              0x19, 0x39, 0xb3, 0x3e, 0xff, 0x8b, 0xd9, 0xce};
  struct tb_pseudonyms names;
  assert_true(tb_pseudonyms_init(&names, tb_default_allocator(), "redact", &keep_none));
  assert_memory_equal(names.key, known, sizeof(known));
  tb_pseudonyms_free(&names);
}

static void nobody_knows_the_key_that_is_not_given(void **state) {
  (void)state;
  struct tb_pseudonyms first, second;
  assert_true(tb_pseudonyms_init(&first, tb_default_allocator(), NULL, &keep_none));
  assert_true(tb_pseudonyms_init(&second, tb_default_allocator(), NULL, &keep_none));
  assert_memory_not_equal(first.key, second.key, sizeof(first.key));
  tb_pseudonyms_free(&first);
  tb_pseudonyms_free(&second);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(pseudonyms_are_those_of_siphash),
      cmocka_unit_test(keys_are_those_of_blake2b),
      cmocka_unit_test(nobody_knows_the_key_that_is_not_given),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
