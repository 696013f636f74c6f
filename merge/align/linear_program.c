/* SPDX-License-Identifier: Apache-2.0 */
#include "merge/align/linear_program.h"

#include <coin/Clp_C_Interface.h>
#include <float.h>
#include <math.h>

/* The opaque type is CLP's model. */
static Clp_Simplex *model_of(struct tb_linear_program *program) { return (Clp_Simplex *)(void *)program; }

/* What CLP takes for no limit. */
static double bounded(double value) { return isinf(value) ? (value > 0 ? DBL_MAX : -DBL_MAX) : value; }

struct tb_linear_program *tb_linear_program_create(void) {
  static const double tolerance = 1e-9;
  Clp_Simplex *model = Clp_newModel();
  if (!model) return NULL;
  Clp_setLogLevel(model, 0);
  Clp_setPrimalTolerance(model, tolerance);
  Clp_setDualTolerance(model, tolerance);
  return (struct tb_linear_program *)(void *)model;
}

void tb_linear_program_free(struct tb_linear_program *program) {
  if (program) Clp_deleteModel(model_of(program));
}

void tb_linear_program_add_variable(struct tb_linear_program *program, double least, double most, double cost) {
  const double lower = bounded(least), upper = bounded(most);
  const int starts[2] = {0, 0};
  Clp_addColumns(model_of(program), 1, &lower, &upper, &cost, starts, NULL, NULL);
}

void tb_linear_program_add_limit(struct tb_linear_program *program, const int *variables, const double *factors,
                                 size_t count, double least) {
  const double upper = DBL_MAX;
  const int starts[2] = {0, (int)count};
  Clp_addRows(model_of(program), 1, &least, &upper, starts, variables, factors);
}

void tb_linear_program_set_cost(struct tb_linear_program *program, int variable, double cost) {
  Clp_objective(model_of(program))[variable] = cost;
}

enum tb_status tb_linear_program_solve(struct tb_linear_program *program) {
  Clp_Simplex *model = model_of(program);
  (void)Clp_primal(model, 0);
  if (Clp_isProvenOptimal(model)) return TB_OK;
  if (Clp_isProvenPrimalInfeasible(model)) return TB_INVALID;
  return Clp_isProvenDualInfeasible(model) ? TB_LIMIT : TB_UNSUPPORTED;
}

const double *tb_linear_program_values(struct tb_linear_program *program) {
  return Clp_getColSolution(model_of(program));
}
