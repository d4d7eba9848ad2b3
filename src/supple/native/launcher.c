/* The extension module supple.native._launcher: calls entries of a library of kernels with NumPy arrays.

   Built with the limited API: one binary serves all versions of Python from 3.11 on. It knows entries by the
   address of the library's table (supple.h); arguments are checked by the buffer protocol. */

#define Py_LIMITED_API 0x030B0000
#include <Python.h>
#include <string.h>

#include "supple.h"

#define MOST_ARGUMENTS 24
#define LOOP "ifvvvjffmn" /* arguments of step loops: other threads run Python while they make steps */

static int take_array(const supple_entry *entry, int at, char kind, PyObject *given, Py_buffer *held, int64_t **word)
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
    if ((intptr_t)held->buf % 8) {
        PyErr_Format(PyExc_TypeError, "%s: argument %d must be an array whose numbers begin at multiples of 8 bytes", entry->name,
                     at + 1);
        PyBuffer_Release(held);
        return -1;
    }
    *(*word)++ = (int64_t)(intptr_t)held->buf;
    for (int d = 0; d < dims; d++) *(*word)++ = held->shape[d];
    return 0;
}

static int take_number(char kind, PyObject *given, int64_t **word)
{
    if (kind == 'r') {
        double value = PyFloat_AsDouble(given);
        memcpy(*word, &value, 8);
    }
    else
        **word = PyLong_AsLongLong(given);
    (*word)++;
    return PyErr_Occurred() ? -1 : 0;
}

static PyObject *launch(PyObject *self, PyObject *const *given, Py_ssize_t count)
{
    const supple_entry *entry = PyCapsule_GetPointer(self, NULL);
    int64_t words[3 * MOST_ARGUMENTS], *word = words, result = 0, unused = 0;
    void *error = NULL;
    Py_buffer held[MOST_ARGUMENTS];
    int n = 0, failed = 0;
    if (entry == NULL) return NULL;
    if (count != (Py_ssize_t)strlen(entry->kinds)) {
        PyErr_Format(PyExc_TypeError, "%s takes %zd arguments, not %zd", entry->name,
                     (Py_ssize_t)strlen(entry->kinds), count);
        return NULL;
    }
    for (int k = 0; k < count && !failed; k++) {
        char kind = entry->kinds[k];
        if (kind == 'r' || kind == 'n')
            failed = take_number(kind, given[k], &word) < 0;
        else if (take_array(entry, k, kind, given[k], &held[n], &word) < 0)
            failed = 1;
        else
            n++;
    }
    if (!failed) {
        int32_t status;
        if (strcmp(entry->kinds, LOOP) == 0) {
            Py_BEGIN_ALLOW_THREADS
            status = entry->code(&unused, &error, words, &result);
            Py_END_ALLOW_THREADS
        }
        else
            status = entry->code(&unused, &error, words, &result);
        if (status != 0 && status != -2) { /* -2: Numba's None */
            PyErr_Format(PyExc_RuntimeError, "%s failed with code %d", entry->name, status);
            failed = 1;
        }
    }
    while (n > 0) PyBuffer_Release(&held[--n]);
    if (failed) return NULL;
    if (entry->result == 'n') return PyLong_FromLongLong(result);
    if (entry->result == 'r') {
        double value;
        memcpy(&value, &result, 8);
        return PyFloat_FromDouble(value);
    }
    Py_RETURN_NONE;
}

static PyMethodDef launcher = {"entry", (PyCFunction)(void (*)(void))launch, METH_FASTCALL, NULL};

static PyObject *entries(PyObject *self, PyObject *address)
{
    const supple_entry *entry = PyLong_AsVoidPtr(address);
    PyObject *found = entry ? PyDict_New() : NULL;
    if (entry == NULL && !PyErr_Occurred()) PyErr_SetString(PyExc_ValueError, "no table");
    for (; found && entry->name; entry++) {
        PyObject *handle = PyCapsule_New((void *)entry, NULL, NULL);
        PyObject *function = NULL;
        if (strlen(entry->kinds) > MOST_ARGUMENTS)
            PyErr_Format(PyExc_ValueError, "%s has more than %d arguments", entry->name, MOST_ARGUMENTS);
        else if (handle)
            function = PyCFunction_NewEx(&launcher, handle, NULL);
        if (!function || PyDict_SetItemString(found, entry->name, function) < 0) Py_CLEAR(found);
        Py_XDECREF(function);
        Py_XDECREF(handle);
    }
    return found;
}

static PyMethodDef methods[] = {
    {"entries", entries, METH_O, "Callables by name, from the address of a library's table of entries."},
    {NULL, NULL, 0, NULL}};

static struct PyModuleDef module = {
    PyModuleDef_HEAD_INIT, "_launcher", "Calls compiled kernels with NumPy arrays.", -1, methods, NULL, NULL, NULL, NULL};

PyMODINIT_FUNC PyInit__launcher(void) { return PyModule_Create(&module); }
