/* SPDX-License-Identifier: Apache-2.0
 *
 * Linear programmes, solved by COIN-OR's CLP: the least of a linear function of variables that have bounds and of which
 * sums have lower limits.
 */
#ifndef TB_MERGE_CLOCKS_LINEAR_PROGRAM_H
#define TB_MERGE_CLOCKS_LINEAR_PROGRAM_H

#include <stdbool.h>
#include <stddef.h>

#include "tracebridge/base.h"

struct tb_linear_program; /* opaque */

/* Whether CLP is there. */
bool tb_linear_program_available(void);

/* NULL: memory is out, or CLP is not there. Variables are counted from 0. */
struct tb_linear_program *tb_linear_program_create(const struct tb_allocator *allocator);
void tb_linear_program_free(struct tb_linear_program *program); /* NULL is ignored */

/* Adds a variable that may be from `least` to `most` (-INFINITY, INFINITY: any) and costs `cost` a unit. */
void tb_linear_program_add_variable(struct tb_linear_program *program, double least, double most, double cost);
/* Adds the limit that the sum of factors[i] * variables[i] is `least` or more. */
void tb_linear_program_add_limit(struct tb_linear_program *program, const int *variables, const double *factors,
                                 size_t count, double least);
/* Sets the cost of a variable. */
void tb_linear_program_set_cost(struct tb_linear_program *program, int variable, double cost);

/* Solves; it may be changed and solved again. TB_OK; TB_INVALID where limits contradict each other; TB_LIMIT where
 * costs may fall without end; TB_UNSUPPORTED where no solution was found for another reason. */
TB_MUST_CHECK enum tb_status tb_linear_program_solve(struct tb_linear_program *program);
/* After TB_OK: the variables' values, owned by the programme, until it changes. */
const double *tb_linear_program_values(struct tb_linear_program *program);

#endif
