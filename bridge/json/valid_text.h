/* SPDX-License-Identifier: Apache-2.0
 *
 * Passing over JSON text that is known to be valid and whole: what we wrote ourselves, or tb_json_is_valid took. It
 * needs no bounds and no padding, which the tokenizer wants.
 */
#ifndef TB_JSON_VALID_TEXT_H
#define TB_JSON_VALID_TEXT_H

/* The byte behind the string whose opening quote is at `p`. */
const char *tb_json_after_string(const char *p);

/* The byte behind the value that begins at `p`, within an object or array. */
const char *tb_json_after_value(const char *p);

#endif
