/* The inputs of nodes with a body that runs often. */
#ifndef ATEN_ONNX_LOOPS_H
#define ATEN_ONNX_LOOPS_H

#include "ATen/program/nested/Subgraphs.h"
#include "Runs.h"

/* Loop: the most runs, whether to begin, the body, what goes from run to run, and what it takes. */
enum { LOOP_MOST, LOOP_BEGINS, LOOP_BODY, LOOP_STATE, LOOP_TAKEN, LOOP_INPUTS };

/* Scan: what is scanned, along which axes, and whether from the end; along which axes results are
 * stacked, and whether from the end; the body, what goes from run to run, and what it takes. */
enum {
  SCAN_SCANNED,
  SCAN_AXES,
  SCAN_DIRECTIONS,
  SCAN_RESULT_AXES,
  SCAN_RESULT_DIRECTIONS,
  SCAN_BODY,
  SCAN_STATE,
  SCAN_TAKEN,
  SCAN_INPUTS
};

/* SequenceMap: the body, what is mapped and what each run gets, and what the body takes. */
enum { MAP_BODY, MAP_MAPPED, MAP_TAKEN, MAP_INPUTS };

/* What the file says of a result of the body, for stacks of no results; how of a node points to those that
 * are its outputs. */
typedef struct at_bodyResult {
  at_scalar_type type; /* AT_SCALAR_TYPES if it is not said, or not here */
  at_onnxList sizes;   /* count is -1 if they are not said; those without a number are 0 */
} at_bodyResult;

/* Of each output of a graph (ports.c). */
const at_bodyResult *at_readResults(at_onnx *onnx, at_wire graph);

#endif
