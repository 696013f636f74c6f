/* SPDX-License-Identifier: Apache-2.0
 *
 * CLP brings some megabytes of other libraries along. It is loaded when a programme is made, so that whoever makes none
 * neither pays for them nor needs them.
 */
#include "merge/align/linear_program.h"

#include <coin/Clp_C_Interface.h>
#include <dlfcn.h>
#include <float.h>
#include <math.h>
#include <string.h>

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

/* Stays loaded: what C++ libraries leave behind does not end well. */
static void *load(void) { return dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE); }

/* False where the function is not there. */
static bool find(void *library, const char *name, void *function, size_t size) {
  void *found = dlsym(library, name);
  memcpy(function, &found, size); /* ISO C does not convert between pointers to objects and to functions */
  return found != NULL;
}

static bool find_all(struct tb_linear_program *p, void *library) {
  bool all = true;
#define FIND(name) all &= find(library, #name, &p->name, sizeof(p->name));
  FUNCTIONS(FIND)
#undef FIND
  return all;
}

bool tb_linear_program_available(void) {
  struct tb_linear_program program;
  void *library = load();
  bool available = library && find_all(&program, library);
  if (library) dlclose(library);
  return available;
}

struct tb_linear_program *tb_linear_program_create(const struct tb_allocator *allocator) {
  static const double tolerance = 1e-9;
  struct tb_linear_program *p = tb_calloc(allocator, sizeof(*p));
  void *library = p ? load() : NULL;
  if (p) p->allocator = allocator;
  if (library && find_all(p, library)) p->model = p->Clp_newModel();
  if (library) dlclose(library);
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
