/* The extension module thaten._C. */
#include "thaten.h"

static PyModuleDef definition = {
    PyModuleDef_HEAD_INIT,
    .m_name = "thaten._C",
    .m_doc = "Tensors: the operations of libATen.",
    .m_size = -1,
};

PyMODINIT_FUNC PyInit__C(void)
{
  PyObject *module = PyModule_Create(&definition);
  if (module && th_addTypes(module) && th_addTensor(module) && th_addProgram(module) &&
      th_addHandles(module) && th_addSummary(module) && th_addNode(module) && th_addWork(module) &&
      PyModule_AddFunctions(module, th_gradFunctions) == 0 &&
      PyModule_AddFunctions(module, th_callFunctions) == 0 &&
      PyModule_AddFunctions(module, th_constructors) == 0 &&
      PyModule_AddFunctions(module, th_handleFunctions) == 0 && th_addCalls(module) &&
      PyModule_AddFunctions(module, th_operations) == 0 &&
      PyModule_AddFunctions(module, th_makeFunctions) == 0 &&
      PyModule_AddFunctions(module, th_sizeFunctions) == 0 &&
      PyModule_AddFunctions(module, th_shareFunctions) == 0 &&
      PyModule_AddFunctions(module, th_fileFunctions) == 0)
    return module;
  Py_XDECREF(module);
  return NULL;
}
