/* The functions of FMI 2.0, co-simulation and model exchange; what they do is in fmi.c and fmi_run.c.

   Declared from the function list of the standard: an integer is an int, so is a boolean; a status is 0 (OK), 1 (warning),
   2 (discard), 3 (error). */

#include "fmi.h"

#include <stdlib.h>

typedef struct {
    void (*logger)(void *environment, const char *instance, int status, const char *category, const char *message, ...);
    void *(*allocate)(size_t, size_t);
    void (*release)(void *);
    void (*finished)(void *environment, int status);
    void *environment;
} callbacks;

typedef struct {
    int again, terminate, nominals_changed, states_changed, has_next;
    double next;
} event_info;

static void tell(const fmi_instance *f, int status, const char *text)
{
    void (*logger)(void *, const char *, int, const char *, const char *, ...);
    char doubled[1300]; /* the message is a format */
    size_t n = 0;
    memcpy(&logger, &f->logger, sizeof logger);
    if (!logger) return;
    for (; *text && n < sizeof doubled - 2; text++) {
        if (*text == '%') doubled[n++] = '%';
        doubled[n++] = *text;
    }
    doubled[n] = 0;
    logger(f->environment, f->name, status, status == FMI_WARNING ? "logStatusWarning" : "logStatusError", doubled);
}

/* A folder from a URI "file:///..." with %20 and the like, or a path as it is; to be freed. */
static char *folder_of(const char *uri)
{
    char *path = malloc(strlen(uri) + 1), *to = path;
    if (!path) return NULL;
    if (strncmp(uri, "file:", 5) == 0) {
        uri += 5;
        if (strncmp(uri, "///", 3) == 0)
            uri += 2;
        else if (strncmp(uri, "//localhost/", 12) == 0)
            uri += 11;
    }
    while (*uri) {
        char digits[3] = {0}, *end;
        if (uri[0] == '%' && uri[1] && uri[2]) {
            const char *from = uri + 1;
            long byte;
            memcpy(digits, from, 2);
            byte = strtol(digits, &end, 16);
            if (end == digits + 2) {
                *to++ = (char)byte;
                uri += 3;
                continue;
            }
        }
        *to++ = *uri++;
    }
    *to = 0;
    return path;
}

const char *fmi2GetTypesPlatform(void) { return "default"; }
const char *fmi2GetVersion(void) { return "2.0"; }

void *fmi2Instantiate(const char *name, int kind, const char *guid, const char *resources, const callbacks *given, int visible,
                      int logging)
{
    fmi_instance seed = {0}, *made;
    char *folder;
    (void)visible, (void)logging;
    seed.tell = tell;
    seed.name = (char *)(name ? name : "");
    if (given) {
        memcpy(&seed.logger, &given->logger, sizeof seed.logger);
        seed.environment = given->environment;
    }
    if (!name || !*name || !guid || !resources) {
        fmi_say(&seed, FMI_ERROR, "fmi2Instantiate needs a name of the instance, the GUID and the place of the resources");
        return NULL;
    }
    if (kind != 0 && kind != 1) {
        fmi_say(&seed, FMI_ERROR, "fmi2Instantiate: the type is %d, expected 0 (model exchange) or 1 (co-simulation)", kind);
        return NULL;
    }
    folder = folder_of(resources);
    made = folder ? fmi_make(&seed, kind == 0 ? EXCHANGE : COSIMULATION, name, guid, folder) : NULL;
    free(folder);
    return made;
}

void fmi2FreeInstance(void *c) { fmi_free(c); }

int fmi2SetDebugLogging(void *c, int on, size_t count, const char *const *categories)
{
    (void)on, (void)count, (void)categories; /* sentences come with errors only */
    return c ? FMI_OK : FMI_ERROR;
}

#define OR_ERROR(call) (c ? (call) : FMI_ERROR)

int fmi2SetupExperiment(void *c, int has_tolerance, double tolerance, double start, int has_stop, double stop)
{
    if (!c || fmi_allowed(c, "fmi2SetupExperiment", INSTANTIATED)) return FMI_ERROR;
    return fmi_setup(c, has_tolerance, tolerance, start, has_stop, stop);
}

int fmi2EnterInitializationMode(void *c)
{
    if (!c || fmi_allowed(c, "fmi2EnterInitializationMode", INSTANTIATED)) return FMI_ERROR;
    return fmi_enter_initialization(c);
}

int fmi2ExitInitializationMode(void *c)
{
    if (!c || fmi_allowed(c, "fmi2ExitInitializationMode", INITIALIZING)) return FMI_ERROR;
    return fmi_exit_initialization(c);
}

int fmi2Terminate(void *c)
{
    if (!c || fmi_allowed(c, "fmi2Terminate", RUNNING)) return FMI_ERROR;
    ((fmi_instance *)c)->now.mode = TERMINATED;
    return FMI_OK;
}

int fmi2Reset(void *c) { return OR_ERROR(fmi_reset(c)); }

int fmi2GetReal(void *c, const uint32_t *references, size_t count, double *values)
{
    return OR_ERROR(fmi_get(c, "fmi2GetReal", references, count, values));
}

int fmi2SetReal(void *c, const uint32_t *references, size_t count, const double *values)
{
    return OR_ERROR(fmi_set(c, "fmi2SetReal", references, count, values));
}

/* All variables are real numbers. */
#define NONE(name, type)                                                                                                 \
    int name(void *c, const uint32_t *references, size_t count, type *values)                                            \
    {                                                                                                                    \
        (void)references, (void)values;                                                                                  \
        if (!c) return FMI_ERROR;                                                                                        \
        return count ? fmi_say(c, FMI_ERROR, #name ": all variables are real numbers") : FMI_OK;                         \
    }
NONE(fmi2GetInteger, int)
NONE(fmi2GetBoolean, int)
NONE(fmi2GetString, const char *)
NONE(fmi2SetInteger, const int)
NONE(fmi2SetBoolean, const int)
NONE(fmi2SetString, const char *const)

int fmi2GetFMUstate(void *c, void **state) { return OR_ERROR(fmi_get_state(c, "fmi2GetFMUstate", state)); }
int fmi2SetFMUstate(void *c, void *state) { return OR_ERROR(fmi_set_state(c, "fmi2SetFMUstate", state)); }

int fmi2FreeFMUstate(void *c, void **state)
{
    (void)c;
    if (state) free(*state);
    if (state) *state = NULL;
    return FMI_OK;
}

int fmi2SerializedFMUstateSize(void *c, void *state, size_t *size)
{
    (void)state;
    if (!c || fmi_given(c, "fmi2SerializedFMUstateSize", 1, size)) return FMI_ERROR;
    *size = fmi_state_bytes(c) + 8;
    return FMI_OK;
}

int fmi2SerializeFMUstate(void *c, void *state, char *bytes, size_t size)
{
    return OR_ERROR(fmi_write_state(c, "fmi2SerializeFMUstate", state, bytes, size));
}

int fmi2DeSerializeFMUstate(void *c, const char *bytes, size_t size, void **state)
{
    return OR_ERROR(fmi_read_state(c, "fmi2DeSerializeFMUstate", bytes, size, state));
}

int fmi2GetDirectionalDerivative(void *c, const uint32_t *unknown, size_t unknowns, const uint32_t *known, size_t knowns,
                                 const double *seed, double *change)
{
    (void)unknown, (void)unknowns, (void)known, (void)knowns, (void)seed, (void)change;
    return OR_ERROR(fmi_say(c, FMI_ERROR, "fmi2GetDirectionalDerivative: the FMU has no directional derivatives"));
}

/* Co-simulation */

int fmi2DoStep(void *c, double from, double length, int no_way_back)
{
    (void)no_way_back;
    return OR_ERROR(fmi_step(c, "fmi2DoStep", from, length));
}

int fmi2CancelStep(void *c)
{
    return OR_ERROR(fmi_say(c, FMI_ERROR, "fmi2CancelStep: steps are over when fmi2DoStep returns"));
}

int fmi2SetRealInputDerivatives(void *c, const uint32_t *references, size_t count, const int *orders, const double *values)
{
    (void)references, (void)orders, (void)values;
    if (!c) return FMI_ERROR;
    return count ? fmi_say(c, FMI_ERROR, "fmi2SetRealInputDerivatives: inputs are constant over a step") : FMI_OK;
}

int fmi2GetRealOutputDerivatives(void *c, const uint32_t *references, size_t count, const int *orders, double *values)
{
    (void)references, (void)orders, (void)values;
    if (!c) return FMI_ERROR;
    return count ? fmi_say(c, FMI_ERROR, "fmi2GetRealOutputDerivatives: outputs have no derivatives here") : FMI_OK;
}

int fmi2GetStatus(void *c, int kind, int *value)
{
    if (!c || fmi_given(c, "fmi2GetStatus", 1, value)) return FMI_ERROR;
    if (kind != 0) return FMI_DISCARD;
    *value = FMI_OK; /* of the step that is over */
    return FMI_OK;
}

int fmi2GetRealStatus(void *c, int kind, double *value)
{
    if (!c || fmi_given(c, "fmi2GetRealStatus", 1, value)) return FMI_ERROR;
    if (kind != 2) return FMI_DISCARD;
    *value = ((fmi_instance *)c)->now.time; /* the last time that was reached */
    return FMI_OK;
}

int fmi2GetIntegerStatus(void *c, int kind, int *value)
{
    (void)c, (void)kind, (void)value;
    return FMI_DISCARD;
}

int fmi2GetBooleanStatus(void *c, int kind, int *value)
{
    if (!c || fmi_given(c, "fmi2GetBooleanStatus", 1, value)) return FMI_ERROR;
    if (kind != 3) return FMI_DISCARD;
    *value = 0; /* it never wants to end */
    return FMI_OK;
}

int fmi2GetStringStatus(void *c, int kind, const char **value)
{
    (void)c, (void)kind, (void)value;
    return FMI_DISCARD;
}

/* Model exchange */

int fmi2SetTime(void *c, double t) { return OR_ERROR(fmi_set_time(c, "fmi2SetTime", t)); }
int fmi2EnterEventMode(void *c) { return OR_ERROR(fmi_enter_event(c, "fmi2EnterEventMode")); }

int fmi2NewDiscreteStates(void *c, event_info *info)
{
    if (!c || fmi_given(c, "fmi2NewDiscreteStates", 1, info)) return FMI_ERROR;
    info->again = info->terminate = info->nominals_changed = info->states_changed = 0;
    return fmi_update(c, "fmi2NewDiscreteStates", &info->has_next, &info->next);
}

int fmi2EnterContinuousTimeMode(void *c) { return OR_ERROR(fmi_enter_continuous(c, "fmi2EnterContinuousTimeMode")); }

int fmi2CompletedIntegratorStep(void *c, int no_way_back, int *event, int *terminate)
{
    (void)no_way_back;
    if (!c || fmi_allowed(c, "fmi2CompletedIntegratorStep", CONTINUOUS)) return FMI_ERROR;
    if (fmi_given(c, "fmi2CompletedIntegratorStep", 1, event) || fmi_given(c, "fmi2CompletedIntegratorStep", 1, terminate))
        return FMI_ERROR;
    *event = *terminate = 0;
    return FMI_OK;
}

int fmi2SetContinuousStates(void *c, const double *x, size_t count)
{
    return OR_ERROR(fmi_set_states(c, "fmi2SetContinuousStates", x, count));
}

int fmi2GetContinuousStates(void *c, double *x, size_t count)
{
    return OR_ERROR(fmi_get_states(c, "fmi2GetContinuousStates", x, count));
}

int fmi2GetDerivatives(void *c, double *rates, size_t count)
{
    return OR_ERROR(fmi_get_rates(c, "fmi2GetDerivatives", rates, count));
}

int fmi2GetEventIndicators(void *c, double *indicators, size_t count)
{
    (void)indicators;
    if (!c) return FMI_ERROR;
    return count ? fmi_say(c, FMI_ERROR, "fmi2GetEventIndicators: the FMU has none") : FMI_OK;
}

int fmi2GetNominalsOfContinuousStates(void *c, double *nominals, size_t count)
{
    return OR_ERROR(fmi_get_nominals(c, "fmi2GetNominalsOfContinuousStates", nominals, count));
}
