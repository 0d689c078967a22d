/* What the files of the extension module share.  The module keeps to the stable ABI of CPython 3.11,
 * so that one build serves it and all later versions.
 *
 *     arguments.c   chooses an overload and converts the arguments
 *     call.c        calls the operations of ATen's table
 *     tensor.c      the type Tensor: attributes, conversions
 *     operators.c   its operators, which call operations
 *     index.c       x[...] and x[...] = y
 *     make.c        tensors from numbers, nested lists and buffers
 *     share.c       the buffer protocol, DLPack
 *     types.c       dtype, Generator
 *     files.c       load and save
 *     program.c     what torch.export wrote
 *     summary.c     event files for TensorBoard
 *     grad.c        gradients: attributes and methods of tensors, hooks, functions of one's own
 *     distributed.c calls between processes
 *     layers.c      the handles of modules, optimizers and schedules, and the arguments of their
 *                   constructors, which generate writes */
#ifndef THATEN_H
#define THATEN_H

#define PY_SSIZE_T_CLEAN
#define Py_LIMITED_API 0x030b0000
#include <Python.h>

#include <ATen/ATen.h>

/* --- objects ------------------------------------------------------------------------------------ */

typedef struct Tensor {
  PyObject_HEAD at_tensor *t; /* never changes */
  PyObject *weak;             /* references of the module weakref */
} Tensor;

typedef struct DType {
  PyObject_HEAD at_scalar_type type;
} DType;

typedef struct Generator {
  PyObject_HEAD at_generator *generator;
  bool isOwned;
} Generator;

extern PyTypeObject *th_Tensor, *th_DType, *th_Generator, *th_Program;

static inline bool th_isTensor(PyObject *o)
{
  return Py_TYPE(o) == th_Tensor || PyObject_TypeCheck(o, th_Tensor);
}

static inline at_tensor *th_tensorOf(PyObject *o)
{
  return ((Tensor *)o)->t;
}

/* Puts value, whose reference it takes over, in place of *object. */
static inline void th_set(PyObject **object, PyObject *value)
{
  PyObject *old = *object;
  *object = value;
  Py_XDECREF(old);
}

/* A Tensor of the reference t that a function of the library returned, which it takes over, also from
 * a scope: passes call Python inside one.  Raises what ATen's error says if t is undefined. */
PyObject *th_wrap(at_tensor *t);

/* A Tensor with another reference to t. */
PyObject *th_share(at_tensor *t);

/* Raises ATen's error of this thread and clears it, but leaves an exception that is set already; returns NULL. */
PyObject *th_raise(void);

static inline bool th_isComplex(at_scalar_type type)
{
  return type == AT_COMPLEX_FLOAT || type == AT_COMPLEX_DOUBLE;
}

/* The dtype of an element type: a new reference. */
PyObject *th_dtype(at_scalar_type type);

/* The element type that o, a dtype or one of float, int and bool, stands for; false if it is none. */
bool th_isDType(PyObject *o, at_scalar_type *type);

/* --- calls --------------------------------------------------------------------------------------- */

/* An overload of an operation: a row of ATen's table. */
typedef struct Row {
  const char *overload;
  short positional; /* how many arguments may be given without their names */
  const at_op *op;  /* found when the module is loaded */
} Row;

/* The overloads that one name in Python stands for. */
typedef struct Group {
  const char *name;
  const char *symbol; /* the name in ATen's table: its ending says the form */
  short count;
  Row *rows;
  struct Group *out; /* what is called where out is given; NULL: the results are copied there */
} Group;

enum { TH_MOST_ARGUMENTS = 40, TH_MOST_RESULTS = 8 };

/* Calls the group with self, if it is not NULL, before the other arguments: those of METH_FASTCALL |
 * METH_KEYWORDS. */
PyObject *th_call(Group *group, PyObject *self, PyObject *const *arguments, Py_ssize_t count,
                  PyObject *names);

/* Calls the group with count arguments and no names. */
PyObject *th_callWith(Group *group, int count, PyObject *const *arguments);

/* Copies results, a tensor or a tuple of some, to out, which is as many, and returns out; NULL and an exception if
 * they do not fit. */
PyObject *th_deliver(const char *name, PyObject *results, PyObject *out);

/* The group of that name; NULL and an exception if there is none. */
Group *th_group(const char *name);

/* Arguments that were found to fit an overload, and what was made of them. */
typedef struct Call {
  const at_op *op;
  PyObject *objects[TH_MOST_ARGUMENTS]; /* borrowed; NULL where the default stands */
  at_value values[TH_MOST_ARGUMENTS];
  bool wantsGradient; /* requires_grad=True, of an operation that makes a tensor */
  PyObject *gathered; /* integers that were given one by one: x.view(2, 3) */
  size_t used, owned;
  int64_t buffer[128]; /* for lists */
  void *more[8];       /* for those that are longer */
} Call;

/* The first overload that fits; false and TypeError if there is none. */
bool th_bind(Call *call, Group *group, PyObject *const *arguments, Py_ssize_t count,
             PyObject *names, PyObject *out);
bool th_convert(Call *call); /* false and an exception if a value is out of range */
void th_callEnd(Call *call);

/* --- handles --------------------------------------------------------------------------------------- */

/* An object of the library that Python's classes of layers, optimizers and schedules hold. */
typedef struct Handle {
  PyObject_HEAD void *object;
  PyObject *kept; /* what has to live as long, such as a schedule's optimizer; or NULL */
} Handle;

/* A handle that takes over the object; raises ATen's error if it is NULL. */
PyObject *th_newModule(at_module *module);
PyObject *th_newOptimizer(at_optimizer *optimizer);
PyObject *th_newSchedule(at_schedule *schedule, PyObject *optimizer);

/* The arguments of a call, each converted to C: false and an exception if one is of another kind. */
enum { TH_MOST_INTS = 16 };
typedef struct Ints {
  int64_t values[TH_MOST_INTS];
} Ints;
bool th_takeCount(Py_ssize_t count, Py_ssize_t wanted, const char *name);
bool th_takeLong(PyObject *o, int64_t *value);
bool th_takeEnum(PyObject *o, unsigned *value);
bool th_takeDouble(PyObject *o, double *value);
bool th_takeBool(PyObject *o, bool *value);
bool th_takeInts(PyObject *o, Ints *buffer, at_ints *value);
bool th_takeString(PyObject *o, const char **value);
bool th_takeType(PyObject *o, const at_type **value);
bool th_takeGenerator(PyObject *o, at_generator **value);
bool th_takeTensor(PyObject *o, at_tensor **value);
bool th_takeTensors(PyObject *list, at_tensors *value); /* to be freed by th_freeTensors */
static inline void th_freeTensors(at_tensors tensors)
{
  PyMem_Free((void *)(uintptr_t)tensors.data);
}
bool th_takeModule(PyObject *o, at_module **value);
bool th_takeOptimizer(PyObject *o, at_optimizer **value);

/* A tuple of tensors, which it takes over; undefined ones are None. */
PyObject *th_several(int count, at_tensor *const *tensors);

/* What is in a set of tensors, as load returns it; the set is freed.  An error if it is NULL. */
PyObject *th_contents(at_dict *dict);

/* --- parts of the type Tensor --------------------------------------------------------------------- */

PyObject *th_getItem(PyObject *self, PyObject *key);
int th_setItem(PyObject *self, PyObject *key, PyObject *value);

/* A new tensor of what data is: numbers, nested sequences, buffers, a tensor.  type is
 * AT_SCALAR_TYPES where it follows from the data. */
at_tensor *th_make(PyObject *data, at_scalar_type type);

/* A number that stands before a tensor in an operation, as a tensor without dimensions that promotes as
 * the number does and is as exact as the other tensor is. */
PyObject *th_numberBefore(PyObject *number, PyObject *other);

int th_getBuffer(PyObject *self, Py_buffer *view, int flags);
void th_releaseBuffer(PyObject *self, Py_buffer *view);

/* A tensor on the memory of a buffer; NULL and an exception if that is not possible. */
at_tensor *th_ofBuffer(PyObject *exporter, bool writable);

/* A Node that takes over the reference; None for NULL. */
PyObject *th_wrapNode(at_node *node);

/* Remembers that self, a leaf, is what its node adds gradients up for, unless replaces is false and another object
 * of that tensor is remembered; false after an exception. */
bool th_noteLeaf(PyObject *self, bool replaces);

/* The attribute grad_fn: the Node of what the tensor was computed by, or None. */
PyObject *th_gradFunction(PyObject *self, void *unused);

extern PyMethodDef th_operations[], th_methods[], th_makeFunctions[], th_sizeFunctions[],
    th_shareFunctions[], th_fileFunctions[], th_tensorMethods[], th_shareMethods[],
    th_gradMethods[], th_gradFunctions[], th_callFunctions[], th_constructors[],
    th_handleFunctions[], th_commFunctions[];
extern PyType_Slot th_operatorSlots[];
extern PyGetSetDef th_tensorAttributes[], th_gradAttributes[];

extern Group th_groups[]; /* sorted by name */
extern const int th_groupCount;

extern const char *const th_returnTypes[]; /* operations whose results PyTorch names, and NULL */

bool th_addTypes(PyObject *module);
bool th_addTensor(PyObject *module);
bool th_addProgram(PyObject *module);
bool th_addHandles(PyObject *module);
bool th_addSummary(PyObject *module);
bool th_addNode(PyObject *module);
bool th_addWork(PyObject *module);
bool th_addCalls(PyObject *module);

#endif
