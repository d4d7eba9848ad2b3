/* The extension module supple.core._kernels: calls compiled entries with NumPy arrays.

   Built with the limited API: one binary serves all versions of Python from 3.11 on. The entries themselves are object
   files made by ahead.py; "entries.h" (generated) names them:

       ENTRY(name, "kinds", 'result')

   Kinds of arguments: i j  int64, one dimension (i: may be read-only); f v  the same of float64; m  float64, two
   dimensions; r  a float; n  an integer. Results: r, n, or - for none. */

#define Py_LIMITED_API 0x030B0000
#include <Python.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

#define MOST_ARGUMENTS 24

typedef int32_t (*Code)(const int64_t *words, int64_t *result);

typedef struct {
    const char *name, *kinds;
    char result;
    Code code;
} Entry;

#define ENTRY(name, kinds, result) int32_t supple_entry_##name(const int64_t *, int64_t *);
#include "entries.h"
#undef ENTRY
#define ENTRY(name, kinds, result) {#name, kinds, result, supple_entry_##name},
static const Entry entries[] = {
#include "entries.h"
    {0, 0, 0, 0}};
#undef ENTRY

/* What kernels need of Numba's helpers. */

double numba_nextafter(double a, double b) { return nextafter(a, b); }

/* All arrays in kernels are in C order. */
int numba_attempt_nocopy_reshape(intptr_t nd, const intptr_t *dims, const intptr_t *strides, intptr_t newnd,
                                 const intptr_t *newdims, intptr_t *newstrides, intptr_t itemsize, int fortran)
{
    intptr_t size = itemsize, stride = itemsize;
    (void)fortran;
    for (intptr_t i = nd - 1; i >= 0; i--) {
        if (dims[i] != 1 && strides[i] != size && dims[i] != 0) return 0;
        size *= dims[i];
    }
    for (intptr_t i = newnd - 1; i >= 0; i--) {
        newstrides[i] = stride;
        stride *= newdims[i];
    }
    return 1;
}

static int take_array(const Entry *entry, int at, char kind, PyObject *given, Py_buffer *held, int64_t **word)
{
    int fixed = kind == 'i' || kind == 'f', whole = kind == 'i' || kind == 'j', dims = kind == 'm' ? 2 : 1;
    const char *format;
    if (PyObject_GetBuffer(given, held, PyBUF_FORMAT | PyBUF_C_CONTIGUOUS | (fixed ? 0 : PyBUF_WRITABLE)) < 0) {
        PyErr_Clear();
        PyErr_Format(PyExc_TypeError, "%s: argument %d must be %s array in C order", entry->name, at + 1,
                     fixed ? "an" : "a writable");
        return -1;
    }
    format = held->format ? held->format : "B";
    if (held->ndim != dims || held->itemsize != 8 ||
        (whole ? strcmp(format, "l") && strcmp(format, "q") : strcmp(format, "d"))) {
        PyErr_Format(PyExc_TypeError, "%s: argument %d must be an array of %s with %d dimension%s, not '%s' with %d",
                     entry->name, at + 1, whole ? "int64" : "float64", dims, dims > 1 ? "s" : "", format, held->ndim);
        PyBuffer_Release(held);
        return -1;
    }
    *(*word)++ = (int64_t)(intptr_t)held->buf;
    for (int d = 0; d < dims; d++) *(*word)++ = held->shape[d];
    return 0;
}

static PyObject *launch(PyObject *self, PyObject *const *given, Py_ssize_t count)
{
    const Entry *entry = PyCapsule_GetPointer(self, NULL);
    int64_t words[3 * MOST_ARGUMENTS], *word = words, result = 0;
    Py_buffer held[MOST_ARGUMENTS];
    int n = 0, status = -1;
    if (entry == NULL) return NULL;
    if (count != (Py_ssize_t)strlen(entry->kinds)) {
        PyErr_Format(PyExc_TypeError, "%s takes %zd arguments, not %zd", entry->name,
                     (Py_ssize_t)strlen(entry->kinds), count);
        return NULL;
    }
    for (int k = 0; k < count; k++) {
        char kind = entry->kinds[k];
        if (kind == 'r') {
            double value = PyFloat_AsDouble(given[k]);
            if (value == -1.0 && PyErr_Occurred()) goto end;
            memcpy(word++, &value, 8);
        }
        else if (kind == 'n') {
            *word = PyLong_AsLongLong(given[k]);
            if (*word++ == -1 && PyErr_Occurred()) goto end;
        }
        else if (take_array(entry, k, kind, given[k], &held[n], &word) < 0)
            goto end;
        else
            n++;
    }
    status = entry->code(words, &result);
    if (status != 0 && status != -2) { /* -2: Numba's None */
        PyErr_Format(PyExc_RuntimeError, "%s failed with code %d", entry->name, status);
        status = -1;
    }
    else
        status = 0;
end:
    while (n > 0) PyBuffer_Release(&held[--n]);
    if (status != 0) return NULL;
    if (entry->result == 'n') return PyLong_FromLongLong(result);
    if (entry->result == 'r') {
        double value;
        memcpy(&value, &result, 8);
        return PyFloat_FromDouble(value);
    }
    Py_RETURN_NONE;
}

static PyMethodDef launcher = {"entry", (PyCFunction)(void (*)(void))launch, METH_FASTCALL, NULL};

static PyObject *all_entries(PyObject *self, PyObject *none)
{
    PyObject *found = PyDict_New();
    for (const Entry *e = entries; found && e->name; e++) {
        PyObject *handle = PyCapsule_New((void *)e, NULL, NULL);
        PyObject *function = handle ? PyCFunction_NewEx(&launcher, handle, NULL) : NULL;
        if (!function || PyDict_SetItemString(found, e->name, function) < 0) Py_CLEAR(found);
        Py_XDECREF(function);
        Py_XDECREF(handle);
    }
    return found;
}

static PyObject *runs_here(PyObject *self, PyObject *none)
{
#if defined(__x86_64__) || defined(_M_X64)
    __builtin_cpu_init();
    return PyBool_FromLong(__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
                           __builtin_cpu_supports("bmi2"));
#else
    Py_RETURN_TRUE;
#endif
}

static PyMethodDef methods[] = {
    {"entries", all_entries, METH_NOARGS, "The compiled entries by name."},
    {"runs_here", runs_here, METH_NOARGS, "Whether this processor has the instructions they use."},
    {NULL, NULL, 0, NULL}};

static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, "_kernels", "Kernels compiled when the package was built.",
                                    -1, methods, NULL, NULL, NULL, NULL};

PyMODINIT_FUNC PyInit__kernels(void)
{
    PyObject *made = PyModule_Create(&module);
    if (made && PyModule_AddStringConstant(made, "SOURCES", SOURCES) < 0) Py_CLEAR(made);
    return made;
}
