/* The functions of FMI 3.0, co-simulation and model exchange; what they do is in fmi.c and fmi_run.c.

   Declared from the function list of the standard: a boolean is a bool; a status is 0 (OK), 1 (warning), 2 (discard),
   3 (error). */

#include "fmi.h"

#include <stdbool.h>
#include <stdlib.h>

typedef void (*log_message)(void *environment, int status, const char *category, const char *message);

static void tell(const fmi_instance *f, int status, const char *text)
{
    log_message logger;
    memcpy(&logger, &f->logger, sizeof logger);
    if (logger) logger(f->environment, status, status == FMI_WARNING ? "logStatusWarning" : "logStatusError", text);
}

const char *fmi3GetVersion(void) { return "3.0"; }

static void *instantiate(const char *function, int kind, const char *name, const char *token, const char *resources,
                         void *environment, log_message logger)
{
    fmi_instance seed = {0}, *made;
    char *folder;
    size_t n;
    seed.tell = tell;
    seed.environment = environment;
    memcpy(&seed.logger, &logger, sizeof seed.logger);
    if (!name || !*name || !token || !resources) {
        fmi_say(&seed, FMI_ERROR, "%s needs a name of the instance, the token and the path of the resources", function);
        return NULL;
    }
    n = strlen(resources); /* the path ends with a separator */
    folder = malloc(n + 1);
    if (!folder) return NULL;
    strcpy(folder, resources);
    while (n > 1 && folder[n - 1] == '/') folder[--n] = 0;
    made = fmi_make(&seed, kind, name, token, folder);
    free(folder);
    return made;
}

void *fmi3InstantiateModelExchange(const char *name, const char *token, const char *resources, bool visible, bool logging,
                                   void *environment, log_message logger)
{
    (void)visible, (void)logging;
    return instantiate("fmi3InstantiateModelExchange", EXCHANGE, name, token, resources, environment, logger);
}

void *fmi3InstantiateCoSimulation(const char *name, const char *token, const char *resources, bool visible, bool logging,
                                  bool events, bool early_return, const uint32_t *intermediate, size_t count,
                                  void *environment, log_message logger, void *intermediate_update)
{
    (void)visible, (void)logging, (void)early_return, (void)intermediate, (void)intermediate_update;
    if (events || count) {
        fmi_instance seed = {0};
        seed.tell = tell;
        seed.environment = environment;
        memcpy(&seed.logger, &logger, sizeof seed.logger);
        fmi_say(&seed, FMI_ERROR, "fmi3InstantiateCoSimulation: the FMU has neither event mode nor intermediate values");
        return NULL;
    }
    return instantiate("fmi3InstantiateCoSimulation", COSIMULATION, name, token, resources, environment, logger);
}

void *fmi3InstantiateScheduledExecution(const char *name, const char *token, const char *resources, bool visible,
                                        bool logging, void *environment, log_message logger, void *clock, void *lock,
                                        void *unlock)
{
    fmi_instance seed = {0};
    (void)name, (void)token, (void)resources, (void)visible, (void)logging, (void)clock, (void)lock, (void)unlock;
    seed.tell = tell;
    seed.environment = environment;
    memcpy(&seed.logger, &logger, sizeof seed.logger);
    fmi_say(&seed, FMI_ERROR, "fmi3InstantiateScheduledExecution: the FMU is for co-simulation and model exchange");
    return NULL;
}

void fmi3FreeInstance(void *c) { fmi_free(c); }

int fmi3SetDebugLogging(void *c, bool on, size_t count, const char *const *categories)
{
    (void)on, (void)count, (void)categories; /* sentences come with errors only */
    return c ? FMI_OK : FMI_ERROR;
}

#define OR_ERROR(call) (c ? (call) : FMI_ERROR)

int fmi3EnterInitializationMode(void *c, bool has_tolerance, double tolerance, double start, bool has_stop, double stop)
{
    int status, then;
    if (!c || fmi_allowed(c, "fmi3EnterInitializationMode", INSTANTIATED)) return FMI_ERROR;
    status = fmi_setup(c, has_tolerance, tolerance, start, has_stop, stop);
    if (status > FMI_WARNING) return status;
    then = fmi_enter_initialization(c);
    return then > status ? then : status;
}

int fmi3ExitInitializationMode(void *c)
{
    if (!c || fmi_allowed(c, "fmi3ExitInitializationMode", INITIALIZING)) return FMI_ERROR;
    return fmi_exit_initialization(c);
}

int fmi3Terminate(void *c)
{
    if (!c || fmi_allowed(c, "fmi3Terminate", RUNNING)) return FMI_ERROR;
    ((fmi_instance *)c)->now.mode = TERMINATED;
    return FMI_OK;
}

int fmi3Reset(void *c) { return OR_ERROR(fmi_reset(c)); }

static int counted(const fmi_instance *f, const char *function, size_t count, size_t values)
{
    if (count == values) return FMI_OK;
    return fmi_say(f, FMI_ERROR, "%s: %zu values for %zu variables, expected one for each", function, values, count);
}

int fmi3GetFloat64(void *c, const uint32_t *references, size_t count, double *values, size_t room)
{
    if (!c || counted(c, "fmi3GetFloat64", count, room)) return FMI_ERROR;
    return fmi_get(c, "fmi3GetFloat64", references, count, values);
}

int fmi3SetFloat64(void *c, const uint32_t *references, size_t count, const double *values, size_t given)
{
    if (!c || counted(c, "fmi3SetFloat64", count, given)) return FMI_ERROR;
    return fmi_set(c, "fmi3SetFloat64", references, count, values);
}

/* All variables are numbers of 64 bits. */
static int none(const fmi_instance *f, const char *function, size_t count)
{
    if (!f) return FMI_ERROR;
    return count ? fmi_say(f, FMI_ERROR, "%s: all variables are of the type Float64", function) : FMI_OK;
}

#define NONE(type, number)                                                                                               \
    int fmi3Get##type(void *c, const uint32_t *references, size_t count, number *values, size_t room)                    \
    {                                                                                                                    \
        (void)references, (void)values, (void)room;                                                                      \
        return none(c, "fmi3Get" #type, count);                                                                          \
    }                                                                                                                    \
    int fmi3Set##type(void *c, const uint32_t *references, size_t count, const number *values, size_t given)             \
    {                                                                                                                    \
        (void)references, (void)values, (void)given;                                                                     \
        return none(c, "fmi3Set" #type, count);                                                                          \
    }
typedef const char *text;
NONE(Float32, float)
NONE(Int8, int8_t)
NONE(UInt8, uint8_t)
NONE(Int16, int16_t)
NONE(UInt16, uint16_t)
NONE(Int32, int32_t)
NONE(UInt32, uint32_t)
NONE(Int64, int64_t)
NONE(UInt64, uint64_t)
NONE(Boolean, bool)
NONE(String, text)

int fmi3GetBinary(void *c, const uint32_t *references, size_t count, size_t *sizes, const uint8_t **values, size_t room)
{
    (void)references, (void)sizes, (void)values, (void)room;
    return none(c, "fmi3GetBinary", count);
}

int fmi3SetBinary(void *c, const uint32_t *references, size_t count, const size_t *sizes, const uint8_t *const *values,
                  size_t given)
{
    (void)references, (void)sizes, (void)values, (void)given;
    return none(c, "fmi3SetBinary", count);
}

/* There are no clocks. */
#define CLOCK(name, ...)                                                                                                 \
    int name(void *c, const uint32_t *references, size_t count, __VA_ARGS__)                                             \
    {                                                                                                                    \
        (void)references, (void)a, (void)b, (void)d;                                                                     \
        return none(c, #name, count);                                                                                    \
    }
#define CLOCK1(name, t1)                                                                                                 \
    int name(void *c, const uint32_t *references, size_t count, t1 a)                                                    \
    {                                                                                                                    \
        (void)references, (void)a;                                                                                       \
        return none(c, #name, count);                                                                                    \
    }
#define CLOCK2(name, t1, t2)                                                                                             \
    int name(void *c, const uint32_t *references, size_t count, t1 a, t2 b)                                              \
    {                                                                                                                    \
        (void)references, (void)a, (void)b;                                                                              \
        return none(c, #name, count);                                                                                    \
    }
CLOCK1(fmi3GetClock, bool *)
CLOCK1(fmi3SetClock, const bool *)
CLOCK2(fmi3GetIntervalDecimal, double *, int *)
CLOCK(fmi3GetIntervalFraction, uint64_t *a, uint64_t *b, int *d)
CLOCK1(fmi3GetShiftDecimal, double *)
CLOCK2(fmi3GetShiftFraction, uint64_t *, uint64_t *)
CLOCK1(fmi3SetIntervalDecimal, const double *)
CLOCK2(fmi3SetIntervalFraction, const uint64_t *, const uint64_t *)
CLOCK1(fmi3SetShiftDecimal, const double *)
CLOCK2(fmi3SetShiftFraction, const uint64_t *, const uint64_t *)

static int missing(const fmi_instance *f, const char *function, const char *what)
{
    return f ? fmi_say(f, FMI_ERROR, "%s: %s", function, what) : FMI_ERROR;
}

int fmi3ActivateModelPartition(void *c, uint32_t clock, double t)
{
    (void)clock, (void)t;
    return missing(c, "fmi3ActivateModelPartition", "there are no clocks");
}

int fmi3GetNumberOfVariableDependencies(void *c, uint32_t reference, size_t *count)
{
    (void)reference, (void)count;
    return missing(c, "fmi3GetNumberOfVariableDependencies", "dependencies are those of the model description");
}

int fmi3GetVariableDependencies(void *c, uint32_t dependent, size_t *places, uint32_t *independent, size_t *others, int *kinds,
                                size_t count)
{
    (void)dependent, (void)places, (void)independent, (void)others, (void)kinds, (void)count;
    return missing(c, "fmi3GetVariableDependencies", "dependencies are those of the model description");
}

int fmi3GetDirectionalDerivative(void *c, const uint32_t *unknown, size_t unknowns, const uint32_t *known, size_t knowns,
                                 const double *seed, size_t seeds, double *change, size_t changes)
{
    (void)unknown, (void)unknowns, (void)known, (void)knowns, (void)seed, (void)seeds, (void)change, (void)changes;
    return missing(c, "fmi3GetDirectionalDerivative", "the FMU has no directional derivatives");
}

int fmi3GetAdjointDerivative(void *c, const uint32_t *unknown, size_t unknowns, const uint32_t *known, size_t knowns,
                             const double *seed, size_t seeds, double *change, size_t changes)
{
    (void)unknown, (void)unknowns, (void)known, (void)knowns, (void)seed, (void)seeds, (void)change, (void)changes;
    return missing(c, "fmi3GetAdjointDerivative", "the FMU has no adjoint derivatives");
}

int fmi3EnterConfigurationMode(void *c) { return missing(c, "fmi3EnterConfigurationMode", "there is nothing to configure"); }
int fmi3ExitConfigurationMode(void *c) { return missing(c, "fmi3ExitConfigurationMode", "there is nothing to configure"); }

/* States of the FMU */

int fmi3GetFMUState(void *c, void **state) { return OR_ERROR(fmi_get_state(c, "fmi3GetFMUState", state)); }
int fmi3SetFMUState(void *c, void *state) { return OR_ERROR(fmi_set_state(c, "fmi3SetFMUState", state)); }

int fmi3FreeFMUState(void *c, void **state)
{
    (void)c;
    if (state) free(*state);
    if (state) *state = NULL;
    return FMI_OK;
}

int fmi3SerializedFMUStateSize(void *c, void *state, size_t *size)
{
    (void)state;
    if (!c || fmi_given(c, "fmi3SerializedFMUStateSize", 1, size)) return FMI_ERROR;
    *size = fmi_state_bytes(c) + 8;
    return FMI_OK;
}

int fmi3SerializeFMUState(void *c, void *state, uint8_t *bytes, size_t size)
{
    return OR_ERROR(fmi_write_state(c, "fmi3SerializeFMUState", state, bytes, size));
}

int fmi3DeserializeFMUState(void *c, const uint8_t *bytes, size_t size, void **state)
{
    return OR_ERROR(fmi_read_state(c, "fmi3DeserializeFMUState", bytes, size, state));
}

/* Co-simulation */

int fmi3EnterStepMode(void *c) { return missing(c, "fmi3EnterStepMode", "there is no event mode in co-simulation"); }

int fmi3GetOutputDerivatives(void *c, const uint32_t *references, size_t count, const int32_t *orders, double *values,
                             size_t room)
{
    (void)references, (void)orders, (void)values, (void)room;
    if (!c) return FMI_ERROR;
    return count ? fmi_say(c, FMI_ERROR, "fmi3GetOutputDerivatives: outputs have no derivatives here") : FMI_OK;
}

int fmi3DoStep(void *c, double from, double length, bool no_way_back, bool *event, bool *terminate, bool *early, double *last)
{
    int status;
    (void)no_way_back;
    if (!c || fmi_given(c, "fmi3DoStep", 1, event) || fmi_given(c, "fmi3DoStep", 1, terminate)) return FMI_ERROR;
    if (fmi_given(c, "fmi3DoStep", 1, early) || fmi_given(c, "fmi3DoStep", 1, last)) return FMI_ERROR;
    status = fmi_step(c, "fmi3DoStep", from, length);
    *event = *terminate = *early = false;
    *last = ((fmi_instance *)c)->now.time;
    return status;
}

/* Model exchange */

int fmi3SetTime(void *c, double t) { return OR_ERROR(fmi_set_time(c, "fmi3SetTime", t)); }
int fmi3EnterEventMode(void *c) { return OR_ERROR(fmi_enter_event(c, "fmi3EnterEventMode")); }
int fmi3EnterContinuousTimeMode(void *c) { return OR_ERROR(fmi_enter_continuous(c, "fmi3EnterContinuousTimeMode")); }
int fmi3EvaluateDiscreteStates(void *c) { return c ? FMI_OK : FMI_ERROR; }

int fmi3UpdateDiscreteStates(void *c, bool *again, bool *terminate, bool *nominals_changed, bool *states_changed, bool *has_next,
                             double *next)
{
    const char *function = "fmi3UpdateDiscreteStates";
    int has = 0, status;
    if (!c || fmi_given(c, function, 1, again) || fmi_given(c, function, 1, terminate)) return FMI_ERROR;
    if (fmi_given(c, function, 1, nominals_changed) || fmi_given(c, function, 1, states_changed)) return FMI_ERROR;
    if (fmi_given(c, function, 1, has_next) || fmi_given(c, function, 1, next)) return FMI_ERROR;
    *again = *terminate = *nominals_changed = *states_changed = false;
    status = fmi_update(c, function, &has, next);
    *has_next = has;
    return status;
}

int fmi3CompletedIntegratorStep(void *c, bool no_way_back, bool *event, bool *terminate)
{
    (void)no_way_back;
    if (!c || fmi_allowed(c, "fmi3CompletedIntegratorStep", CONTINUOUS)) return FMI_ERROR;
    if (fmi_given(c, "fmi3CompletedIntegratorStep", 1, event) || fmi_given(c, "fmi3CompletedIntegratorStep", 1, terminate))
        return FMI_ERROR;
    *event = *terminate = false;
    return FMI_OK;
}

int fmi3SetContinuousStates(void *c, const double *x, size_t count)
{
    return OR_ERROR(fmi_set_states(c, "fmi3SetContinuousStates", x, count));
}

int fmi3GetContinuousStates(void *c, double *x, size_t count)
{
    return OR_ERROR(fmi_get_states(c, "fmi3GetContinuousStates", x, count));
}

int fmi3GetContinuousStateDerivatives(void *c, double *rates, size_t count)
{
    return OR_ERROR(fmi_get_rates(c, "fmi3GetContinuousStateDerivatives", rates, count));
}

int fmi3GetEventIndicators(void *c, double *indicators, size_t count)
{
    (void)indicators;
    return count ? missing(c, "fmi3GetEventIndicators", "the FMU has none") : OR_ERROR(FMI_OK);
}

int fmi3GetNominalsOfContinuousStates(void *c, double *nominals, size_t count)
{
    return OR_ERROR(fmi_get_nominals(c, "fmi3GetNominalsOfContinuousStates", nominals, count));
}

int fmi3GetNumberOfEventIndicators(void *c, size_t *count)
{
    if (!c || fmi_given(c, "fmi3GetNumberOfEventIndicators", 1, count)) return FMI_ERROR;
    *count = 0;
    return FMI_OK;
}

int fmi3GetNumberOfContinuousStates(void *c, size_t *count)
{
    if (!c || fmi_given(c, "fmi3GetNumberOfContinuousStates", 1, count)) return FMI_ERROR;
    *count = (size_t)((fmi_instance *)c)->ports->size.states;
    return FMI_OK;
}
