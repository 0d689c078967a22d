/* Reading ONNX files as programs.  Errors are raised.
 *
 * A model is protobuf: nested messages of numbered fields, which are read where they lie in the file
 * (wire.c); weights stay there and are mapped (constants.c).  A node (node.c) is looked up in a table
 * (rows.c) and becomes nodes of ATen's operations by the row's expression (expression.c), or one
 * node with a function that computes it during the run (call.c, and runs/).  (github.com/onnx/onnx:
 * onnx.proto and Operators.md) */
#ifndef ATEN_ONNX_H
#define ATEN_ONNX_H

#include "ATen/program/Program.h"

/* --- protobuf --------------------------------------------------------------------------------- */

/* The bytes of a message that are still to be read. */
typedef struct at_wire {
  at_file *file;
  uint64_t at, end; /* offsets in the file */
} at_wire;

typedef enum at_wireKind {
  AT_WIRE_VARINT,
  AT_WIRE_FIXED64,
  AT_WIRE_BYTES,
  AT_WIRE_FIXED32 = 5
} at_wireKind;

/* A field: a number, or bytes, which may be a message. */
typedef struct at_field {
  int64_t number; /* which field it is */
  at_wireKind kind;
  uint64_t value;
  at_wire bytes;
} at_field;

/* Reads the next field; false at the end of the message. */
bool at_wire_next(at_wire *wire, at_field *field);

/* The number of the field; raises if it is none. */
int64_t at_onnxField_integer(const at_field *field);
double at_onnxField_float(const at_field *field); /* of a float or double */

/* The bytes of the field; raises if it is a number. */
at_wire at_onnxField_message(const at_field *field);

/* The bytes of the field as a text in the arena; raises unless they are UTF-8 without a 0. */
const char *at_onnxField_text(at_arena *arena, const at_field *field);

/* The numbers of a repeated field, of which each field has one, or all of them, packed: calls with
 * each in turn. */
typedef void at_wireNumber(void *context, uint64_t value);
void at_onnxField_each(const at_field *field, at_wireKind kind, at_wireNumber *number,
                       void *context);

/* The float or double whose bits were read. */
double at_wire_float(at_wireKind kind, uint64_t value);

/* --- element types ---------------------------------------------------------------------------- */

/* The element type that ONNX has that number for; AT_SCALAR_TYPES if it is not here. */
at_scalar_type at_onnxType(int64_t number);
enum { AT_ONNX_TEXT = 8 }; /* the number of texts, which are not here */

/* An element type that is not here, and how its elements become those of one that is (packing.c); NULL if
 * that number is of no such type. */
typedef struct at_packing at_packing;
const at_packing *at_packingOf(int64_t number);
const at_packing *at_packingNamed(const char *name); /* PyTorch's: "torch.float8_e5m2" */
at_scalar_type at_packing_type(const at_packing *packing);

int64_t at_packing_number(const at_packing *packing);

/* Rounds numbers to those that elements can be.  What is too large becomes the largest, or if it is not
 * saturated infinity or NaN; integers lose their high bits.  The rounding is that of powers of 2; others are
 * rounded to the nearest one. */
typedef enum at_rounding { AT_ROUND_UP, AT_ROUND_DOWN, AT_ROUND_NEAREST } at_rounding;
void at_packing_round(const at_packing *packing, double *numbers, int64_t count, bool isSaturated,
                      at_rounding rounding);

/* The least and the largest number that an element can be. */
void at_packing_range(const at_packing *packing, double *least, double *most);

/* How many bytes so many elements take, and they as elements of the type. */
int64_t at_packing_bytes(const at_packing *packing, int64_t count);
void at_packing_widen(const at_packing *packing, const uint8_t *packed, int64_t count, void *to);

/* The numbers that bytes are as floats of 8 bits, as Float. */
at_tensor *at_newWidened(at_file *file, at_tensor *bytes, const at_packing *packing);

/* --- what is read ----------------------------------------------------------------------------- */

enum { AT_ONNX_LEAST = 1, AT_ONNX_MOST = 28, AT_ONNX_DEEPEST = 16 };

/* A file with weights, beside the model. */
typedef struct at_external {
  struct at_external *next;
  const char *location;
  at_file file;
} at_external;

typedef struct at_onnxFunction {
  const char *name, *domain;
  at_wire message;
} at_onnxFunction;

/* A tensor in the file, which becomes a weight when a node first needs more than its numbers. */
typedef struct at_constant {
  const char *name;
  at_wire message;
  int32_t slot; /* in the graph of the program, or AT_NO_SLOT */
  at_scalar_type type;
  const at_packing *packing; /* what the elements are in the file; NULL: of that type */
  int32_t dims;
  const int64_t *sizes;
  int64_t count;     /* of elements */
  uint64_t elements; /* raw elements: the offset in the file of where; 0 if they are elsewhere */
  at_file *where;
  int32_t field; /* the number of the field with its elements, if they are not raw */
  bool isText;
  bool isSparse; /* the message is of those elements that are not 0, and their indices */
} at_constant;

typedef struct at_onnx {
  at_program *program;
  at_reading *reading;
  at_arena *arena;
  at_file *file;
  int64_t version; /* of the operators */
  bool hasOthers;  /* operators of other domains */
  at_external *externals;
  at_onnxFunction *functions;
  int32_t functionCount, functionCapacity, depth;
  struct at_building *top;
  int32_t shapeCount; /* numbers of shapes that are used */
  int32_t bindCapacity, portCapacity,
      symbolCapacity; /* of the program's graphInputs, inputs and symbols */
  json_t *shapes;     /* the number of each list of sizes that values have */
} at_onnx;

/* What a value is, as far as it is known. */
typedef struct at_known {
  at_meta meta;
  int32_t dims;              /* -1 if that is not known */
  const at_packing *packing; /* of what its elements are for the file; NULL if that is their type */
} at_known;

/* A graph that is being built. */
typedef struct at_building {
  at_onnx *onnx;
  struct at_building *outer; /* whose values it may use; NULL for the graph of the program */
  at_graph *graph;
  int32_t nodeCapacity, slotCapacity;
  int32_t *inputs; /* the slots of the graph's inputs */
  int32_t *taken;  /* of a graph inside of another: the slot of outer for each input */
  int32_t inputCount, inputCapacity;
  int32_t formalCount; /* of inputs that are parameters; the others are values of outer */
  at_known *known;     /* of each slot */
} at_building;

/* The names that nodes can see: of a graph, or of the body of a function. */
typedef struct at_names {
  at_building *building;
  struct at_names *outer; /* of the graph around it; NULL for a function */
  json_t *slots;          /* of values that are made */
  json_t *constants;      /* the index of each name in: */
  at_constant *constant;
  int32_t constantCount, constantCapacity;
  json_t *makers; /* the number of the node that makes each name; NULL until that is asked */
  const struct at_onnxItem *caller; /* of a function: whose attributes it refers to */
  json_t *said;                     /* the index of what the file says of a value in: */
  at_known *saying;
  int32_t sayingCount, sayingCapacity;
} at_names;

typedef struct at_attribute {
  const char *name;
  int64_t type; /* of ONNX's kinds: 1 float, 2 integer, 3 text, 4 tensor, 5 graph, 6 to 8 lists */
  int64_t integer;
  double number;
  const char *text;
  int32_t count;
  at_cell *list;      /* of numbers */
  const char **texts; /* of kind AT_ATTRIBUTE_TEXTS */
  at_wire message;    /* a tensor, sparse tensor or graph */
} at_attribute;

enum { AT_ATTRIBUTE_FLOAT = 1, AT_ATTRIBUTE_INT, AT_ATTRIBUTE_TEXT, AT_ATTRIBUTE_TENSOR };
enum { AT_ATTRIBUTE_GRAPH = 5, AT_ATTRIBUTE_FLOATS, AT_ATTRIBUTE_INTS, AT_ATTRIBUTE_TEXTS };
enum { AT_ATTRIBUTE_SPARSE = 11 };

/* A node of the file. */
typedef struct at_onnxItem {
  const char *name, *type, *domain;
  int32_t inputCount, outputCount, attributeCount;
  const char **inputs, **outputs;
  at_attribute *attributes;
} at_onnxItem;

/* --- nodes ------------------------------------------------------------------------------------ */

/* Reads a node; attributes that refer to those of a function's caller are replaced. */
void at_readItem(at_names *names, at_wire message, at_onnxItem *item);
const at_attribute *at_attributeOf(const at_onnxItem *item, const char *name);

/* Adds the attributes of a function that a call of it does not give. */
void at_readDefaults(at_names *names, at_wire function, at_onnxItem *call);

/* Raises if the node computes with elements that were narrower in the file, or gives others their type. */
void at_checkPacked(at_names *names, const at_onnxItem *item);

/* --- building --------------------------------------------------------------------------------- */

/* Memory for one more element in an array in the arena. */
void *at_arena_grown(at_arena *arena, void *array, int32_t count, int32_t *buffer, size_t size);

enum { AT_NAME_BYTES = 256 }; /* what jansson takes for a name and its number */

/* Enters the guard, which frees the names. */
void at_names_enter(at_names *names, at_building *building, at_names *outer, THGuard *guard);

/* Gives a name a slot; raises if it has one. */
void at_names_put(at_names *names, const char *name, int32_t slot);

/* The slot of the value of that name. */
int32_t at_slotNamed(at_names *names, const char *name);

/* The tensor of the file of that name; NULL if the value is computed. */
at_constant *at_constantNamed(at_names *names, const char *name);

int32_t at_addSlot(at_building *b, const char *name, at_known known);

/* Appends an input to the graph. */
int32_t at_addInput(at_building *b, const char *name, at_known known, int32_t taken);

/* Appends an input to the graph of the program, and what it is for the program. */
int32_t at_addBound(at_onnx *onnx, const char *name, at_known known, at_binding binding);

/* The slot in b of a value that a graph around it has. */
int32_t at_slotFrom(at_building *b, at_building *of, int32_t slot, const char *name);

/* Appends a node. */
at_graphNode *at_addNode(at_building *b, const char *target, const at_given *inputs, int32_t count);

/* Gives the node outputs with the names of the item's. */
void at_nameOutputs(at_names *names, at_graphNode *node, const at_onnxItem *item);

at_given at_givenSlot(at_building *b, int32_t slot);

/* What is known of the value in a slot. */
at_known at_knownOf(const at_building *b, int32_t slot);

/* Completes the graph. */
void at_finishGraph(at_building *b);

/* --- constants -------------------------------------------------------------------------------- */

/* Reads where a tensor is; its name is name, or if that is NULL, the one in the message. */
void at_readConstant(at_names *names, at_wire message, const char *name);

/* As at_readConstant, of a sparse tensor, which becomes a dense one when it is first needed. */
void at_readSparse(at_names *names, at_wire message, const char *name);

/* The tensor of those sizes whose other elements than these are 0. */
at_tensor *at_newDense(at_onnx *onnx, const at_constant *constant, const at_tensor *values,
                       const at_tensor *indices);

/* The slot of a constant in the graph of the program, where it becomes a weight. */
int32_t at_slotOfConstant(at_onnx *onnx, at_constant *constant);

/* The elements of a constant as numbers of integers or floats in the arena; NULL if it has more than a few, or is
 * of another type. */
const at_part *at_numbersOf(at_onnx *onnx, const at_constant *constant);

/* The elements of a tensor in the message as numbers in the arena, and its element type. */
const at_cell *at_cellsOf(at_onnx *onnx, at_wire message, int64_t *count);
at_scalar_type at_typeOfTensor(at_onnx *onnx, at_wire message);

at_wire at_externalBytes(at_onnx *onnx, at_wire entries, uint64_t *offset, uint64_t *length);
at_file *at_externalFile(at_onnx *onnx, const char *location);
void at_closeExternals(at_onnx *onnx);

/* --- the table -------------------------------------------------------------------------------- */

typedef struct at_onnxCall at_onnxCall;
typedef void at_onnxRun(at_onnxCall *call);
typedef struct at_lowering at_lowering;

/* Makes what a node keeps, in the arena; raises if attributes do not fit. */
typedef const void *at_onnxPrepare(at_names *names, const at_onnxItem *item);

/* Makes nodes of the item; false to go on with the row's run. */
typedef bool at_lower(at_names *names, const at_onnxItem *item);

/* What an operator of ONNX becomes.  The row with the largest since that is not more than the
 * version of the file counts. */
struct at_lowering {
  const char *type;
  int since;
  const char *expression; /* or NULL */
  at_lower *lower;        /* is tried first; or NULL */
  at_onnxRun *run; /* computes the node, if there is neither, or if its first input is known to be
                             of unsigned integers of 16 bits or more; or NULL */
  at_onnxPrepare
      *prepare; /* reads the attributes when the program is loaded, and makes the state of
                            * the node; or NULL: the node has them */
  bool draws;   /* run may draw random numbers */
};

const at_lowering *at_loweringOf(const at_onnxItem *item, int64_t version);

/* Makes nodes of an expression such as "add(mul($0, @alpha=1.0), $1)":
 *
 *     $0       input 0, or None; $* all inputs as a list, $1* those from 1 on
 *     #1       the integers that input 1 holds; ~1 input 1, or its number if the file has it
 *     @axis=0  an attribute, with its default; ?keepdims=1 one that is a bool; %to an element type
 *     ^pads    the first half of an attribute; &1 the sizes of input 1, which the file has
 *     2 0.5 true 'text' [1, 2]  constants
 *     NAME(ARGUMENT, NAME=ARGUMENT)  a call of ATen's operation */
void at_lowerExpression(at_names *names, const at_onnxItem *item, const char *expression);

/* Makes a node that a function computes during the run: the run of the item's row. */
void at_lowerCall(at_names *names, const at_onnxItem *item);

/* The name of a value that is made on the way to the item's output. */
const char *at_innerName(at_names *names, const at_onnxItem *item, const char *what);

/* An attribute as an argument of its name. */
at_given at_givenAttribute(at_names *names, const at_attribute *attribute);

/* Makes nodes of all nodes of a graph in the file, and gives b its outputs. */
void at_lowerNodes(at_names *names, at_wire graph);

/* A graph inside of another one, with the names around it. */
at_building *at_lowerInner(at_names *names, at_wire graph);
at_lower at_lowerIf, at_lowerLoop, at_lowerScan, at_lowerSequenceMap;

/* --- runs ------------------------------------------------------------------------------------- */

/* A node that is computed by a function: its inputs, then its attributes. */
struct at_onnxCall {
  at_frame *frame;
  const at_graphNode *node;
  const void *state; /* what the row's prepare has made */
  int32_t inputCount;
};

/* How such a node is computed: its how. */
typedef struct at_onnxHow {
  const at_lowering *row;
  const void *state;
} at_onnxHow;

/* Calls the run of the node's row. */
at_computeFunction at_computeOnnx;

at_tensor *at_onnxInput(const at_onnxCall *call, int index); /* raises if it is missing */
at_tensor *at_onnxMaybe(const at_onnxCall *call, int index); /* NULL if it is missing */
bool at_onnxHas(const at_onnxCall *call, const char *attribute);
int64_t at_onnxInt(const at_onnxCall *call, const char *attribute, int64_t otherwise);
double at_onnxFloat(const at_onnxCall *call, const char *attribute, double otherwise);
const char *at_onnxText(const at_onnxCall *call, const char *attribute, const char *otherwise);

/* A list of texts of an attribute; count is 0 if it is not given. */
typedef struct at_onnxTexts {
  int count;
  const char *const *data;
} at_onnxTexts;
at_onnxTexts at_onnxTextsOf(const at_onnxCall *call, const char *attribute);

/* A list of integers of an attribute, or of an input that is a tensor of them; count is -1 if it is
 * not given.  Raises if it has more than AT_MOST_DIMS entries. */
typedef struct at_onnxList {
  int count;
  int64_t data[AT_MOST_DIMS];
} at_onnxList;
at_onnxList at_onnxInts(const at_onnxCall *call, const char *attribute);
at_onnxList at_onnxIntsIn(const at_onnxCall *call, int index);

/* A list of any length of an attribute, and a tensor; NULL if it is not given. */
const at_given *at_onnxNumbers(const at_onnxCall *call, const char *attribute, at_cellKind number);
at_tensor *at_onnxTensorOf(const at_onnxCall *call, const char *attribute);

/* Floats as at_onnxInts has integers; returns the count. */
int at_onnxFloats(const at_onnxCall *call, const char *attribute, double *to);
int at_onnxFloatsIn(const at_onnxCall *call, int index, double *to);

static inline at_ints at_listed(const at_onnxList *list)
{
  return (at_ints){list->data, list->count};
}

/* The dimension from 0 to dims - 1 that a negative one counts from the end; raises if there is none. */
int at_onnxAxis(const at_onnxCall *call, int64_t axis, int dims);
at_scalar_type at_onnxTypeOf(const at_onnxCall *call, const char *attribute,
                             at_scalar_type otherwise);

/* Makes t output index, of the node; t may be an input.  Raises if t is undefined, after an error
 * of an operation. */
void at_onnxGive(const at_onnxCall *call, int index, at_tensor *t);
bool at_onnxWants(const at_onnxCall *call, int index);

/* The product of sizes of dimensions from first to before end; raises if it does not fit. */
int64_t at_onnxProduct(const at_onnxCall *call, at_ints sizes, int first, int end);

#define AT_ONNX_FAILS(CALL, ...) at_nodeFails((CALL)->node, __VA_ARGS__)

/* --- the model -------------------------------------------------------------------------------- */

/* Whether the file looks like a model of ONNX. */
bool at_isOnnx(const at_file *file);

/* Reads the program in the file. */
void at_readOnnx(at_program *program, at_file *file, unsigned passes);

/* The inputs and outputs of the program, and what the file says of other values. */
void at_readPorts(at_names *names, at_wire graph);
void at_readOutputs(at_names *names, at_wire graph);
void at_readInfo(at_names *names, at_wire graph);

/* The name of the value that a message is about. */
const char *at_readName(at_names *names, at_wire message);

#endif
