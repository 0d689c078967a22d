/* Modules inside: what a module holds, and how all of its tensors are walked. */
#ifndef ATEN_MODULE_INSIDE_H
#define ATEN_MODULE_INSIDE_H

#include <stdalign.h>

#include "ATen/core/ATenCore.h"
#include "ATenModule.h"

/* How a parameter is computed from other tensors of its module. */
typedef struct at_derivation at_derivation;

/* A parameter, buffer or child. */
typedef struct at_member {
  char *name;
  at_tensor *tensor; /* NULL: a name without a tensor */
  at_module *module;
  at_derivation *derivation; /* NULL, or what computes the parameter, whose tensor is NULL then */
} at_member;

typedef struct at_members {
  at_member *data;
  int64_t count, capacity;
} at_members;

struct at_module {
  int refcount; /* atomic */
  bool training;
  const at_module_kind *kind;
  at_members parameters, buffers, children;
  at_module_summing sum; /* of an at_SyncBatchNorm: NULL, or what adds tensors of all processes */
  void *sumContext;
  alignas(max_align_t) unsigned char own[];
};

/* Whether self is one; an error if it is NULL. */
bool at_acceptModule(const char *operation, const at_module *self);

/* A block of zeros, for free; NULL and an error if there is no memory. */
void *at_moduleAlloc(const char *operation, size_t count, size_t size);

/* Gives up all parameters, buffers and children. */
void at_dropMembers(at_module *self);

/* The member of that name, of length characters; NULL if there is none. */
at_member *at_namedMember(const at_members *members, const char *name, size_t length);

/* Adds a reference to t under the name; t may be NULL.  Returns t, or the undefined tensor after an
 * error. */
at_tensor *at_addTensor(const char *operation, at_module *self, at_members *members,
                        const char *name, at_tensor *t);

/* Gives up a member. */
void at_removeMember(at_members *members, at_member *member);

/* The tensor that a member with a derivation stands for; computed anew, with the graph to what it is
 * computed from. */
at_tensor *at_derivedTensor(const at_module *self, const at_derivation *derivation);

/* Whether a derivation of self computes from that parameter, which is self's own. */
bool at_isSource(const at_module *self, const at_member *parameter);

/* A copy, for at_freeDerivation; NULL and an error if there is no memory. */
at_derivation *at_copyDerivation(const at_derivation *derivation);
void at_freeDerivation(at_derivation *derivation);

/* What a walk sees of a tensor: the path of the module that has it and a dot, or "", and the member,
 * whose tensor is not NULL. */
typedef struct at_visit {
  const char *prefix;
  at_module *module;
  at_member *member;
  bool isParameter;
} at_visit;

/* Calls function for each tensor of self and of what is below, in the order of the state dict, until
 * it returns false.  False then, and after an error. */
bool at_module_walk(const at_module *self, bool (*function)(const at_visit *visit, void *context),
                    void *context);

/* A name made of both, for free; NULL and an error if there is no memory. */
char *at_joinedName(const char *prefix, const char *name);

#endif
