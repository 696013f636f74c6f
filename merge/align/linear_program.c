/* SPDX-License-Identifier: Apache-2.0
 *
 * CLP brings some megabytes of other libraries along. It is loaded when a programme is made, so that whoever makes none
 * neither pays for them nor needs them.
 */
#include "merge/align/linear_program.h"

#include <coin/Clp_C_Interface.h>
#include <float.h>
#include <math.h>

#include "base/loaded_library.h"
#include "base/memory.h"

static const char LIBRARY[] = "libClp.so.1";

/* The functions of CLP that are of use here, by their names in it. */
#define FUNCTIONS(X)              \
  X(Clp_newModel)                 \
  X(Clp_deleteModel)              \
  X(Clp_setLogLevel)              \
  X(Clp_setPrimalTolerance)       \
  X(Clp_setDualTolerance)         \
  X(Clp_addColumns)               \
  X(Clp_addRows)                  \
  X(Clp_objective)                \
  X(Clp_primal)                   \
  X(Clp_isProvenOptimal)          \
  X(Clp_isProvenPrimalInfeasible) \
  X(Clp_isProvenDualInfeasible)   \
  X(Clp_getColSolution)

struct tb_linear_program {
  const struct tb_allocator *allocator;
  Clp_Simplex *model;
#define MEMBER(name) __typeof__(name) *name; /* NOLINT(bugprone-macro-parentheses) */
  FUNCTIONS(MEMBER)
#undef MEMBER
};

static enum tb_status load(struct tb_linear_program *p) {
#define FUNCTION(name) {#name, &p->name},
  const struct tb_library_function functions[] = {FUNCTIONS(FUNCTION)};
#undef FUNCTION
  return tb_library_load(LIBRARY, functions, sizeof(functions) / sizeof(functions[0]));
}

bool tb_linear_program_available(void) {
  struct tb_linear_program program;
  return load(&program) == TB_OK;
}

struct tb_linear_program *tb_linear_program_create(const struct tb_allocator *allocator) {
  static const double tolerance = 1e-9;
  struct tb_linear_program *p = tb_calloc(allocator, sizeof(*p));
  if (p) p->allocator = allocator;
  if (p && load(p) == TB_OK) p->model = p->Clp_newModel();
  if (!p || !p->model) {
    tb_free(allocator, p, sizeof(*p));
    return NULL;
  }
  p->Clp_setLogLevel(p->model, 0);
  p->Clp_setPrimalTolerance(p->model, tolerance);
  p->Clp_setDualTolerance(p->model, tolerance);
  return p;
}

void tb_linear_program_free(struct tb_linear_program *p) {
  if (!p) return;
  p->Clp_deleteModel(p->model);
  tb_free(p->allocator, p, sizeof(*p));
}

/* What CLP takes for no limit. */
static double bounded(double value) { return isinf(value) ? (value > 0 ? DBL_MAX : -DBL_MAX) : value; }

void tb_linear_program_add_variable(struct tb_linear_program *p, double least, double most, double cost) {
  const double lower = bounded(least), upper = bounded(most);
  const int starts[2] = {0, 0};
  p->Clp_addColumns(p->model, 1, &lower, &upper, &cost, starts, NULL, NULL);
}

void tb_linear_program_add_limit(struct tb_linear_program *p, const int *variables, const double *factors, size_t count,
                                 double least) {
  const double upper = DBL_MAX;
  const int starts[2] = {0, (int)count};
  p->Clp_addRows(p->model, 1, &least, &upper, starts, variables, factors);
}

void tb_linear_program_set_cost(struct tb_linear_program *p, int variable, double cost) {
  p->Clp_objective(p->model)[variable] = cost;
}

enum tb_status tb_linear_program_solve(struct tb_linear_program *p) {
  (void)p->Clp_primal(p->model, 0);
  if (p->Clp_isProvenOptimal(p->model)) return TB_OK;
  if (p->Clp_isProvenPrimalInfeasible(p->model)) return TB_INVALID;
  return p->Clp_isProvenDualInfeasible(p->model) ? TB_LIMIT : TB_UNSUPPORTED;
}

const double *tb_linear_program_values(struct tb_linear_program *p) { return p->Clp_getColSolution(p->model); }
