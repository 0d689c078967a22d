/* What the graph of an exported program becomes, for all files of this folder.  Errors are raised.
 *
 * A graph is a list of nodes in the order of computation.  Each value of a graph has a slot, a
 * number from 0 on; a run has a cell for each slot.  Everything but tensors is in an arena, which
 * is freed as a whole. */
#ifndef ATEN_PROGRAM_INSIDE_H
#define ATEN_PROGRAM_INSIDE_H

#include <jansson.h>

#include "ATen/files/Json.h"
#include "ATen/files/Zip.h"
#include "ATenProgram.h"
#include "TH/tensor/THStoragePool.h"

/* --- the arena ------------------------------------------------------------------------------- */

typedef struct at_arena {
  struct at_arenaBlock *blocks;
  uint8_t *next;
  size_t left;
  at_file *file; /* is charged for the blocks; NULL once the program is loaded */
} at_arena;

/* Memory for count elements of that size, all 0. */
void *at_arena_take(at_arena *arena, uint64_t count, size_t size);
char *at_arena_text(at_arena *arena, const char *text);
void at_arena_free(at_arena *arena);

/* --- values ---------------------------------------------------------------------------------- */

typedef enum at_cellKind {
  AT_CELL_NONE,
  AT_CELL_TENSOR,
  AT_CELL_INT,
  AT_CELL_FLOAT,
  AT_CELL_BOOL, /* 0 or 1 in integer */
  AT_CELL_COMPLEX,
  AT_CELL_SEQUENCE
} at_cellKind;

/* A list of tensors that is one value, of ONNX.  It does not change. */
typedef struct at_sequence {
  int32_t references, count;
  at_tensor *tensors[];
} at_sequence;

/* A value during a run; of a tensor or sequence it holds a reference. */
typedef struct at_cell {
  at_cellKind kind;
  union {
    at_tensor *tensor;
    int64_t integer;
    double number;
    double parts[2]; /* the real and the imaginary one */
    at_sequence *sequence;
  } is;
} at_cell;

enum { AT_NO_SLOT = -1 };

/* A part of an argument: the value of a slot, or with AT_NO_SLOT a constant, which is no tensor. */
typedef struct at_part {
  int32_t slot;
  at_cell constant;
} at_part;

typedef enum at_givenKind {
  AT_GIVEN_NONE,
  AT_GIVEN_TENSOR,
  AT_GIVEN_TENSORS, /* a list, with AT_CELL_NONE for entries that are None */
  AT_GIVEN_NUMBER,  /* an integer, float, bool or complex number */
  AT_GIVEN_NUMBERS,
  AT_GIVEN_ELEMENTS, /* a tensor whose elements are a number or a list of numbers */
  AT_GIVEN_TEXT,
  AT_GIVEN_TEXTS,
  AT_GIVEN_TYPE,  /* an element type */
  AT_GIVEN_PLACE, /* a device, layout or memory format, which do not change results */
  AT_GIVEN_GRAPH,
  AT_GIVEN_OTHER /* what no operation here takes */
} at_givenKind;

/* An argument of a node. */
typedef struct at_given {
  const char *name; /* in the schema of the operation; "" if it has none */
  at_givenKind kind;
  at_cellKind number; /* of numbers: what they are */
  int32_t count;      /* of parts: 1, or the length of a list */
  const at_part *parts;
  const char *text;
  const char *const *texts;
  int32_t textCount;
  at_scalar_type type; /* AT_SCALAR_TYPES if it is not here */
  const struct at_packing
      *packing; /* of a float of 8 bits, whose numbers are Float here; or NULL */
  const struct at_graph *graph;
} at_given;

/* --- graphs ---------------------------------------------------------------------------------- */

typedef struct at_frame at_frame;
typedef struct at_duals at_duals;
typedef struct at_graphNode at_graphNode;

/* Computes a node that is no operation of ATen's table. */
typedef void at_computeFunction(at_frame *frame, const at_graphNode *node);
typedef at_computeFunction *at_compute;

struct at_graphNode {
  const char *name, *target; /* the target without "torch.ops." */
  int32_t number;            /* among all nodes of the program, from 1 on */
  int32_t inputCount, outputCount, deadCount;
  const at_given *inputs;
  const int32_t *outputs; /* slots; AT_NO_SLOT for None */
  const int32_t *dead;    /* slots that nothing reads after this node */
  at_compute compute;     /* or NULL: op is called */
  const void *how;        /* for compute */
  const at_op *op;
  const int8_t *from;        /* of each argument of op the index in inputs, or -1 for its default */
  int64_t runs, nanoseconds; /* while times are taken */
};

/* What a file says of a tensor.  It may be wrong: passes use it where an error later is all that may
 * come of it. */
typedef struct at_meta {
  at_scalar_type type; /* AT_SCALAR_TYPES if it is not known */
  int32_t shape;    /* tensors with equal numbers have the same sizes; -1 if they are not known */
  int64_t elements; /* how many; -1 if that is not known */
} at_meta;

typedef struct at_graph {
  int32_t inputCount, outputCount, nodeCount, slotCount;
  const int32_t *inputs; /* slots; AT_NO_SLOT for constants, which the graph does not read */
  const at_given *outputs;
  at_graphNode *nodes;
  const char **names;   /* of slots */
  const at_meta *metas; /* of the first metaCount slots */
  int32_t metaCount;
  int32_t mostArguments, mostParts; /* of one node */
} at_graph;

/* A number of nodes with a target that is not here. */
typedef struct at_missing {
  const char *target;
  int64_t count;
} at_missing;

enum { AT_MOST_MISSING = 64 };

/* What readers of a graph share. */
typedef struct at_reading {
  at_file *file;
  at_arena *arena;
  json_t *shapes;     /* the number of each list of sizes, while graphs of PyTorch are read */
  int32_t nodeCount;  /* of all graphs */
  int32_t addedCount; /* nodes that are not in the file */
  int32_t missingCount, otherMissing;
  at_missing missing[AT_MOST_MISSING];
} at_reading;

/* Reads a graph and those nested in it. */
at_graph *at_readGraph(at_reading *reading, const json_t *json);

/* An argument whose names of values are looked up in slots, an object of integers. */
at_given at_readGiven(at_reading *reading, const json_t *slots, const json_t *json);

/* Makes nodes of the regions of torch.vmap in a graph. */
void at_groupVmaps(at_reading *reading, at_graph *graph);

/* Replaces nodes that run a graph once by the nodes of that graph. */
void at_inlineGraphs(at_reading *reading, at_graph *graph);

/* Finds out for all nodes when values are read for the last time. */
void at_findDead(at_arena *arena, at_graph *graph);

/* Counts a node whose target is not here; of different targets the first are kept. */
void at_countMissing(at_reading *reading, const char *target);

/* Raises, with all targets that are not here, if there are any. */
void at_reportMissing(const at_reading *reading);

/* Finds what computes the node; false if nothing does. */
bool at_resolve(at_arena *arena, at_graphNode *node);

/* The operation that the node calls, by itself or in its function; NULL if it calls none. */
const at_op *at_calledOp(const at_graphNode *node);

/* Whether a node of at_computeWritten changes that input. */
bool at_writesOperand(const at_graphNode *node, int32_t input);

enum { AT_MOST_ARGUMENTS = 64 }; /* of an operation */

/* Operations on lists of tensors, which become one node for each tensor: whether the target is one, and
 * the node for tensor i.  Raises if lists do not fit. */
bool at_isEach(const char *target);
void at_makeEach(at_reading *reading, const at_graphNode *node, int32_t i, at_graphNode *made);

/* Resolves a node that calls an operation of a user in functional form: the operation changes arguments, and the node
 * returns new tensors instead. */
bool at_resolveFunctionalized(at_arena *arena, at_graphNode *node);

/* The operation that a user registered for the target, or NULL. */
const at_op *at_registeredOp(const char *target);

/* What computes a node in place of an operation of the same name, or NULL. */
const struct at_adaptor *at_adaptorOf(const char *target);

/* How an operation of PyTorch differs from one here. */
typedef struct at_adaptor {
  const char *target;
  const char *name;    /* the operation here; NULL: compute does it all */
  const char *renames; /* such as "self=base exponent=self half_to_float=": today's names and ours,
                        * or nothing where an argument is left out; or NULL */
  at_compute compute;
  const char *overload; /* the only one that fits, or NULL */
  const char *unless;   /* compute is not for nodes whose argument of that name is 0; or NULL */
} at_adaptor;

/* --- JSON ------------------------------------------------------------------------------------ */

/* Parses a member of an archive; the guard, which is entered here, frees the values. */
json_t *at_doc_open(const at_zip *zip, const at_member *member, THGuard *guard);

/* The value of that name in an object; raises if there is none of that type. */
const json_t *at_doc_get(const at_file *file, const json_t *object, const char *key,
                         json_type type);
const char *at_doc_text(const at_file *file, const json_t *object, const char *key);

/* A union is an object with one member: its key, and its value. */
const char *at_doc_union(const at_file *file, const json_t *object, const json_t **value);

/* An element type by the number that files have for it; AT_SCALAR_TYPES if it is not here. */
at_scalar_type at_doc_scalarType(const json_t *number);

/* The float of 8 bits that files have that number for (at_packingOf); NULL if it is of no such type. */
const struct at_packing *at_doc_packing(const json_t *number);

/* The integer of a size that is no symbol: {"as_int": 3}.  False if it is a symbol. */
bool at_doc_size(const at_file *file, const json_t *size, int64_t *value);

/* --- the program ----------------------------------------------------------------------------- */

/* A dimension: a size, or a symbol that stands for one. */
typedef struct at_dimension {
  int64_t least, most;
  int32_t symbol; /* its number, or -1 */
} at_dimension;

enum { AT_ANY_DIMS = -1 };

/* What is known of an input or output of the program. */
typedef struct at_port {
  const char *name;
  at_cellKind kind; /* a tensor's is also that of a sequence of tensors */
  bool isSequence, mayMiss;
  at_scalar_type type; /* of a tensor */
  int32_t dims;        /* AT_ANY_DIMS if the file does not say how many */
  const at_dimension *sizes;
  int64_t *least, *most; /* the bounds of sizes as lists */
} at_port;

typedef enum at_bindKind {
  AT_BIND_NOTHING, /* a constant, or a result that nobody wants */
  AT_BIND_USER,    /* an input or output of the program */
  AT_BIND_WEIGHT,  /* a parameter, buffer or constant; as an output, what it becomes */
  AT_BIND_CHANGED  /* an output: what an input of the program becomes */
} at_bindKind;

/* What an input or output of the graph is for the program. */
typedef struct at_binding {
  at_bindKind kind;
  int64_t index; /* among the ports, or in the set of weights */
} at_binding;

typedef struct at_symbol {
  const char *name;
  int64_t least, most;
} at_symbol;

/* A node that was computed, in nanoseconds. */
typedef struct at_event {
  const at_graphNode *node;
  int64_t start, duration;
} at_event;

enum { AT_MOST_EVENTS = 1 << 20 };

/* Times of nodes: the events of the last run. */
typedef struct at_timing {
  bool isOn;
  at_event *events;
  int64_t count, capacity;
} at_timing;

/* A weight that constants are made of, as it was then. */
typedef struct at_source {
  int64_t weight; /* its index in the set */
  const void *storage;
  unsigned short version;
} at_source;

/* What is known of the memory that runs of a plan need (pool.c). */
typedef struct at_runMemory {
  size_t bytes;    /* of the block of the next run */
  bool isKnown;    /* a run has found out what follows and bytes */
  bool *isOutside; /* of each node: it makes or changes memory of results, which no pool has */
  int failures;    /* runs that left other memory in their block; after a few there is no pool */
} at_runMemory;

/* What a run computes instead of the graph of the file: passes/ makes it. */
typedef struct at_plan {
  at_graph *graph;
  at_graph
      *prepared; /* what depends on weights alone; NULL if nothing does.  Its slots are those of
                       * graph, whose inputs it has. */
  int32_t keptCount, sourceCount;
  const int32_t *kept; /* slots that prepared makes and graph reads */
  at_cell *cells;      /* the values of these slots if isPrepared */
  at_source *sources;
  bool isPrepared;
  at_runMemory memory;
  int64_t changes[AT_PASSES];
} at_plan;

struct at_program {
  at_arena arena;
  const char *path, *version;
  const char *format; /* what schemaMajor and schemaMinor are versions of */
  const char *root;   /* the folder in the archive that everything is in, with a slash at its end */
  uint64_t graphSize;
  uint32_t graphCrc;  /* of the member that the graph was read from */
  at_graph *graph;    /* as the file has it */
  bool hasSubclasses; /* weights that are objects of several tensors */
  bool makesDuals;    /* it computes derivatives along a direction */
  at_plan *plan;      /* NULL if it is only listed and operations are missing */
  at_dict *weights;
  int32_t inputCount, outputCount, symbolCount, targetCount;
  at_program_target *targets; /* what nodes call, the most frequent first */
  bool isListed;              /* to be looked at, and not run */
  at_port *inputs, *outputs;
  at_binding *graphInputs, *graphOutputs; /* as many as the graph has */
  at_symbol *symbols;
  int64_t *bound; /* during a run: the sizes that symbols stand for, or -1 */
  int64_t schemaMajor, schemaMinor;
  int32_t nodeCount; /* of all graphs */
  at_timing timing;
  at_tensors results; /* of the last run */
  at_tensor **resultData;
  int *resultEnds;   /* of each output the end among the results */
  at_tensors *given; /* what each input is given */
  at_cell *held;     /* the inputs of the run */
  int heldCount;
};

/* Takes memory for what a run needs of each input, output and symbol, once they are counted. */
void at_readyPorts(at_program *program);

/* Reads the signature: what the inputs and outputs of the graph are. */
void at_readSignature(at_program *program, at_reading *reading, const json_t *root);

/* Finds out what nodes call. */
void at_countTargets(at_program *program);

/* Lets views of shapes copy where there is no view, unless a node changes their elements: strides inside
 * of a program are those of PyTorch when it was exported, and here they may be others. */
void at_relaxViews(at_program *program, at_reading *reading);

/* Makes the plan by those passes, a sum of 1 << at_program_pass. */
void at_makePlan(at_program *program, at_reading *reading, unsigned which);

/* Computes the constants if that was not done yet or weights have changed; false if they take too
 * much memory, and the plan cannot be used. */
bool at_plan_prepare(at_program *program);
void at_plan_release(at_plan *plan); /* of its constants; NULL is accepted */

/* Reads the tensors that a list of payloads describes. */
void at_readPayloads(at_program *program, const at_zip *zip, const at_bytes *root,
                     const char *folder, const char *list, at_dict *storages);

/* Reads the tensors of a member that is a file of torch.save; their names follow the one that is given, unless NULL. */
void at_readSaved(at_program *program, const at_zip *zip, const at_member *member,
                  const char *before);

/* Makes tensors in weights that are objects of several ones inputs of the graph of that module; whether there are such
 * weights. */
bool at_openSubclasses(at_file *file, const json_t *module);

/* The member of the archive with that name below its root folder, or NULL. */
const at_member *at_memberOf(const at_zip *zip, const at_bytes *root, const char *folder,
                             const char *name);

/* --- runs ------------------------------------------------------------------------------------ */

/* A run of a graph. */
struct at_frame {
  at_program *program;
  const at_graph *graph;
  at_cell *cells;
  at_value *arguments; /* for the node that is called */
  int64_t *ints;
  double *doubles;
  at_tensor **tensors;
  const at_type *autocast[AT_AUTOCAST_DEVICES]; /* the lower precision in a region that has one */
  const at_type *castTo; /* what floating arguments of the node are cast to, or NULL */
  at_duals *duals;       /* what derivatives along a direction follow; or NULL */
  bool isUntimed;        /* another thread's part of a run: times are those of the caller's */
  at_runMemory *memory;  /* NULL: no pool was begun */
  THStoragePool *pool, *poolBefore;
  bool isComplete;             /* without an error */
  bool hadError;               /* before the run: it is kept, and is of no node */
  const at_graphNode *running; /* NULL between nodes */
  const void **made; /* while that is found out: the storage that was put into each slot */
};

/* Begins the pool of a frame, which computes its nodes by at_pool_compute. */
void at_pool_begin(at_frame *frame, at_runMemory *memory);

/* Computes node n of the frame's graph. */
void at_pool_compute(at_frame *frame, int32_t n);

/* Notes which nodes made the memory of the results of a run. */
void at_pool_noteResults(at_frame *frame, at_tensors results);

/* The bytes of the block of the next pool, after one of so many bytes in which storages had at most peak bytes
 * at a time. */
size_t at_pool_enough(size_t bytes, size_t peak);

/* Ends the pool, if one was begun, after all values were released. */
void at_pool_end(at_frame *frame, bool isComplete);

/* What the region that the frame is in wants the node to compute with; NULL: with what it is given. */
const at_type *at_region_castTo(const at_frame *frame, const at_graphNode *node);

/* An argument of a node, cast to what is wanted: t itself, or a tensor of the scope. */
at_tensor *at_region_cast(const at_frame *frame, const at_graphNode *node, at_tensor *t);

/* Makes the frame one in the region that the node opens. */
void at_region_setAutocast(at_frame *frame, const at_graphNode *node);

/* The guard, which is entered here, frees the frame. */
void at_frame_enter(at_frame *frame, at_program *program, const at_graph *graph, THGuard *guard);

/* Gives the graph its inputs: weights, and those of the run unless it is ofWeights. */
void at_frame_bind(at_frame *frame, bool ofWeights);
void at_plan_bind(const at_plan *plan, at_frame *frame); /* and constants */

/* Computes all nodes; or one. */
void at_frame_run(at_frame *frame);
void at_frame_compute(at_frame *frame, const at_graphNode *node);

/* Calls the operation of the node, whatever compute is. */
void at_callOperation(at_frame *frame, const at_graphNode *node);

/* Gives a slot a value, whose reference the frame takes over; AT_NO_SLOT drops it. */
void at_frame_put(at_frame *frame, int32_t slot, at_cell value);

/* The value of a part, borrowed. */
at_cell at_frame_get(const at_frame *frame, const at_part *part);

void at_cell_release(at_cell *cell);
at_cell at_cell_retain(at_cell cell); /* returns it */

/* A new sequence of those tensors. */
at_cell at_newSequence(at_tensors tensors);

/* The argument of that name, or that index if it has no name; NULL if it is not given or None. */
const at_given *at_inputOf(const at_graphNode *node, const char *name, int index);

/* Values of an argument; raises if it is missing or something else. */
at_tensor *at_inputTensor(const at_frame *frame, const at_graphNode *node, const char *name,
                          int index);
int64_t at_inputInt(const at_frame *frame, const at_graphNode *node, const char *name, int index);
bool at_inputBool(const at_frame *frame, const at_graphNode *node, const char *name, int index,
                  bool otherwise);

/* A number, or an element type; otherwise where the argument is not given. */
double at_inputNumber(const at_frame *frame, const at_graphNode *node, const char *name, int index,
                      double otherwise);
const at_type *at_inputType(const at_graphNode *node, const char *name, at_scalar_type otherwise);

/* The sizes that the argument size has, read to sizes, of AT_MOST_DIMS. */
at_ints at_inputSizes(const at_frame *frame, const at_graphNode *node, int64_t *sizes);

static inline bool at_isNumber(at_cell cell)
{
  return cell.kind == AT_CELL_INT || cell.kind == AT_CELL_FLOAT || cell.kind == AT_CELL_BOOL;
}

/* A number where a tensor is expected: of a type that the other tensors decide over. */
at_tensor *at_wrappedNumber(const at_frame *frame, const at_graphNode *node, const at_given *given);

/* The truth of a number or of a tensor of one element. */
bool at_isTrueCell(at_cell cell);

/* Gives output 0 of the node a tensor, whose reference it takes over, or a number. */
void at_giveTensor(at_frame *frame, const at_graphNode *node, at_tensor *t);
void at_giveInt(at_frame *frame, const at_graphNode *node, int64_t value);

/* Gives an output of the node a tensor of the scope, which an operation made; raises if it failed. */
void at_giveOutput(at_frame *frame, const at_graphNode *node, int32_t output, at_tensor *t);

/* The bytes of t as elements of another type: a new tensor of the scope, undefined if it failed.  Raises
 * if the last dimension is no whole number of them. */
at_tensor *at_bitsAs(const at_graphNode *node, at_tensor *t, const at_type *type);

/* t, which a recorded operation made for the node, as a reference of one's own; raises if it failed. */
at_tensor *at_ownOf(const at_graphNode *node, at_tensor *t);

/* Raises that an argument or a value is wrong in that node. */
#define at_nodeFails(NODE, ...) at_nodeFails_from(__FILE__, __LINE__, NODE, __VA_ARGS__)
TH_NO_RETURN void at_nodeFails_from(const char *source, int line, const at_graphNode *node,
                                    const char *format, ...) TH_PRINTF_LIKE(4, 5);

/* Deals the tensors of a list to the inputs of the program: one each, and what is left to the only one that
 * is a sequence. */
void at_dealInputs(const at_program *program, at_tensors inputs);

/* Checks what the inputs are given for a run, before anything is computed. */
void at_checkInputs(const at_program *program);

/* Takes the time of a node that began at start. */
int64_t at_nanoseconds(void);
void at_timing_add(at_timing *timing, at_graphNode *node, int64_t start);

/* A string of what add appends to a text, whose last character is a newline and is left out. */
char *at_program_write(const char *operation, const at_program *program,
                       void (*add)(at_bytes *text, const at_program *program));

/* Appends the text of an input or output: "Float [s77 x 3]". */
void at_describePort(at_bytes *text, const at_program *program, const at_port *port);

/* Whether a node of the graph follows derivatives along a direction. */
bool at_makesDuals(const at_graph *graph);

/* Releases what the frame follows derivatives of. */
void at_dropDuals(at_frame *frame);

/* --- what computes without an operation ------------------------------------------------------- */

/* Makes the node one that computes with numbers, if its target is such a function. */
bool at_resolveNumber(at_graphNode *node);

/* Makes the node one of the forms in forms/, if its target is one. */
bool at_resolveForm(at_graphNode *node);

/* Makes the node, which has complex numbers, one that computes with real ones, if there is one. */
bool at_resolveComplex(at_arena *arena, at_graphNode *node);

at_computeFunction at_computeSize, at_computeIsContiguous, at_computeStride, at_computeNumel,
    at_computeOffset, at_computeItem, at_computeAssert, at_computeMetadata, at_computeNothing,
    at_computeTo, at_computeClone, at_computeNew, at_computeScalarTensor; /* builtins.c */
at_computeFunction at_computeWrapped, at_computeCond, at_computeWhile,
    at_computeMap;                                               /* subgraphs.c */
at_computeFunction at_computeScanned, at_computeAssociativeScan; /* scan.c */
at_computeFunction at_computeVmap;                               /* vmap.c */
at_computeFunction at_computePassed;                             /* inline.c */
at_computeFunction at_computeDualLevel, at_computeMakeDual, at_computeUnpackDual,
    at_computeUnwrap;                        /* duals.c */
at_computeFunction at_computeSlices;         /* slicesRun.c */
at_computeFunction at_computeFunctionalized; /* functionalized.c */
at_computeFunction at_computeAffineGrid, at_computeGridSampler, at_computeIntProduct,
    at_computeNoCuda, at_computeSuppress, at_computeRoiAlign, at_computePositionPool,
    at_computeNativeAttention, at_computeEncoderLayer, at_computeWindow, at_computeRandint,
    at_computeNormal, at_computeWhere, at_computeScatter, at_computeDropout, at_computeDeformed,
    at_computeBits; /* libraries.c */
at_computeFunction at_computeQuantize, at_computeDequantize, at_computeFakeQuantize,
    at_computeTokenQuantize, at_computeGroups, at_computeChosenScale,
    at_computeTokenScale; /* quantized.c */
at_computeFunction at_computeVander, at_computeTrilinear, at_computeFilterLoop,
    at_computeOverdrive;                               /* libraries.c */
at_computeFunction at_computeLinalgCheck;              /* builtins.c */
at_computeFunction at_computeDrawn, at_computeWritten; /* resolve.c */
at_computeFunction at_computeAffine;                   /* forms/affine.c */
at_computeFunction at_computeSparse,
    at_computeScaledProduct;          /* forms/sparse.c, forms/scaledProduct.c */
at_computeFunction at_computeComplex; /* forms/complexNumbers.c */
at_computeFunction at_computeForm;    /* forms/forms.c */
at_computeFunction at_computeAttentionBackward, at_computeBagBackward, at_computeActivatedProduct,
    at_computePartBackward; /* forms/training.c */
at_computeFunction at_computeDropoutAttention, at_computeRecurrentLayer, at_computeRootNorm,
    at_computeBatchNorm, at_computeBatchNormUpdate, at_computeRenorm, at_computeRandomRelu,
    at_computePrelu, at_computeWeightNorm, at_computeDet, at_computeSlogdet, at_computeSvd,
    at_computeSvdPlain, at_computeEigh, at_computeSolve; /* fused.c */

/* What may return its inputs, or change what it is given: for passes. */
at_computeFunction at_computeOnnx, at_computeLoop, at_computeScan,
    at_computeSequenceMap;                   /* src/ATen/onnx */
bool at_onnxDraws(const at_graphNode *node); /* whether it may draw random numbers */

#endif
