/* Runs of graphs inside of graphs. */
#ifndef ATEN_SUBGRAPHS_H
#define ATEN_SUBGRAPHS_H

#include "ATen/program/Program.h"

/* A list of values that is handed to a graph or comes from it. */
typedef struct at_cells {
  int32_t count, capacity;
  at_cell *cells;
} at_cells;

/* An empty list with room for that many; the guard, which is entered here, releases them. */
void at_cells_enter(at_cells *values, int64_t capacity, THGuard *guard);

/* Appends a value, with a reference of its own. */
void at_cells_add(at_cells *values, at_cell cell);
void at_cells_addGiven(at_cells *values, const at_frame *frame, const at_given *given);

/* Runs the graph on the arguments, and appends what it returns to results. */
void at_runGraph(const at_frame *frame, const at_graphNode *node, const at_graph *graph,
                 const at_cells *arguments, at_cells *results);

/* The most values that the graph returns. */
int64_t at_countResults(const at_graph *graph);

/* Hands the results to the outputs of the node. */
void at_giveResults(at_frame *frame, const at_graphNode *node, at_cells *results);

/* Stacks what so many runs returned, each values of a run after the other in made: value k of all runs
 * becomes output first + k of the node. */
void at_stackResults(at_frame *frame, const at_graphNode *node, const at_cells *made, int32_t each,
                     int64_t slices, int32_t first);

#endif
