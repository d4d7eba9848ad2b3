/* Simulate an image of a model and print time, positions, velocities and states of controllers.

       simulate IMAGE T_END ROWS

   The how-to "Models in C programs" shows how the image is written and this file compiled. */

#include "supple.h"

#include <stdio.h>
#include <stdlib.h>

static void *read_file(const char *path, long *bytes)
{
    FILE *file = fopen(path, "rb");
    char *content = NULL;
    if (!file) return NULL;
    if (fseek(file, 0, SEEK_END) == 0 && (*bytes = ftell(file)) > 0) {
        rewind(file);
        content = malloc((size_t)*bytes);
        if (content && fread(content, 1, (size_t)*bytes, file) != (size_t)*bytes) {
            free(content);
            content = NULL;
        }
    }
    fclose(file);
    return content;
}

static void print_row(double t, const double *x, int64_t n)
{
    printf("%.17g", t);
    for (int64_t k = 0; k < n; k++) printf(" %.17g", x[k]);
    printf("\n");
}

int main(int count, char **given)
{
    supple_model *model = NULL;
    int64_t nq, nu, nz;
    long bytes = 0;
    double t_start, t, *x;
    if (count != 4) {
        fprintf(stderr, "usage: simulate IMAGE T_END ROWS\n");
        return 2;
    }
    const double t_end = strtod(given[2], NULL);
    const long rows = strtol(given[3], NULL, 10);
    void *image = read_file(given[1], &bytes);
    if (!image) {
        fprintf(stderr, "%s cannot be read\n", given[1]);
        return 2;
    }
    int32_t code = supple_create(image, bytes, &model);
    free(image);
    if (code != SUPPLE_OK) {
        fprintf(stderr, "%s: %s\n", given[1], supple_message(code));
        return 1;
    }
    supple_sizes(model, &nq, &nu, &nz);
    x = malloc((size_t)(nq + nu + nz + 1) * sizeof *x);
    if (!x) return 1;
    supple_state(model, &t_start, x, x + nq, x + nq + nu);
    print_row(t_start, x, nq + nu + nz);
    for (long k = 1; k <= rows && code == SUPPLE_OK; k++) {
        code = supple_step(model, k == rows ? t_end : t_start + (t_end - t_start) * (double)k / (double)rows);
        supple_state(model, &t, x, x + nq, x + nq + nu);
        print_row(t, x, nq + nu + nz);
    }
    if (code != SUPPLE_OK) fprintf(stderr, "stopped at t = %.9g s: %s\n", t, supple_message(code));
    free(x);
    supple_free(model);
    return code == SUPPLE_OK ? 0 : 1;
}
