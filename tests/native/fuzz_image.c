/* Crafted images with right check sums: each must be refused by a code, or run without leaving its memory, and end.

       fuzz_image FILE COUNT SEED [INDEX]

   After supple_create each array of the model is moved to pages of its own between pages that nobody may touch, at their
   end or at their begin, so that kernels, which no sanitizer sees, are caught where they leave an array. Every image is
   tried in a process of its own. One line at the end: counts of codes, crashes and calls that did not end. With INDEX, that
   image alone is tried in this process. */

#define _GNU_SOURCE
#include "model.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#define HANG 20    /* seconds */
#define FIXED 64   /* bytes before the header */
#define PATTERN 0x5a

static uint64_t seed;

static uint64_t rnd(void)
{
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return seed;
}

/* Room for words, copied from `from` if there is something; at the end of its pages, or at their begin. */
static void *guarded(const void *from, int64_t words, int at_end)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE), bytes = 8 * (size_t)words, all = (bytes + page - 1) / page * page;
    char *pages = mmap(NULL, all + 2 * page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0), *room;
    if (pages == MAP_FAILED || (all && mprotect(pages + page, all, PROT_READ | PROT_WRITE))) _exit(98);
    room = pages + page + (at_end ? all - bytes : 0);
    if (at_end)
        memset(pages + page, PATTERN, all - bytes);
    else
        memset(room + bytes, PATTERN, all - bytes);
    if (from && bytes) memcpy(room, from, bytes);
    return room;
}

static void move_apart(supple_model *m, int at_end)
{
    const struct header *s = &m->size;
    m->ints = guarded(m->ints, s->ints, at_end);
    m->all_ints = guarded(m->all_ints, s->all_ints, at_end);
    m->reals = guarded(m->reals, s->reals, at_end);
    m->run = guarded(m->run, s->run + m->margin, at_end);
    m->state = guarded(m->state, s->state, at_end);
    m->count = guarded(m->count, s->count, at_end);
    m->stops = guarded(m->stops, s->stops, at_end);
    m->row_sizes = guarded(m->row_sizes, s->row_sizes, at_end);
    m->limits = guarded(m->limits, s->limits, at_end);
    if (s->work + s->all_work > 1 << 24) _exit(97); /* too much for this test, no fault */
    m->work = guarded(m->work, s->work, at_end);
    m->all_work = guarded(m->all_work, s->all_work, at_end);
}

static int drive(const char *image, int64_t bytes, int at_end)
{
    supple_model *m;
    double t, *q, *u, *z, *a;
    int64_t nq, nu, nz;
    char *copy = guarded(NULL, bytes / 8 + 1, at_end);
    int32_t code;
    memcpy(copy, image, (size_t)bytes);
    code = supple_create(copy, bytes, &m);
    if (code) return code;
    move_apart(m, at_end);
    code = supple_check(m, m->run, m->state, m->count);
    if (code) return 96;
    supple_sizes(m, &nq, &nu, &nz);
    q = guarded(NULL, nq, at_end);
    u = guarded(NULL, nu, at_end);
    z = guarded(NULL, nz, at_end);
    a = guarded(NULL, nu, at_end);
    supple_patience(m, 10.0);
    m->size.max_steps = m->size.max_steps < 300 ? m->size.max_steps : 300;
    supple_state(m, &t, q, u, z);
    code = supple_accelerate(m, t, q, u, z, a);
    if (!code) code = supple_residual(m, t, q, u, a, z, a);
    for (int k = 1; k < 4 && !code; k++) code = supple_step(m, t + 0.01 * k);
    if (!code) code = supple_set_state(m, t, q, u, z);
    supple_free(m);
    return code ? 40 + code : 0;
}

/* Change words of an image in place: flipped bits, small and large numbers, numbers of other words. */
static int64_t damage(char *image, int64_t bytes, char *said, size_t room)
{
    static const int64_t strange[] = {-1, 0, 1, 2, 3, 7, -2, 100, 1000, 65536, 1 << 30, -(1 << 30), 1LL << 40, 1LL << 62,
                                      INT64_MIN, INT64_MAX};
    const int64_t first = FIXED / 8, words = bytes / 8, header = (int64_t)sizeof(struct header) / 8;
    struct header h;
    int64_t n = rnd() % 4 ? 1 : 1 + rnd() % 3, length = bytes;
    size_t used = 0;
    memcpy(&h, image + FIXED, sizeof h);
    for (int64_t k = 0; k < n; k++) {
        const int where = rnd() % 8;
        int64_t at, value, old;
        if (where == 0) at = first + rnd() % header;
        else if (where < 5 && h.ints) at = first + header + rnd() % (h.ints + h.all_ints); /* the model's integers */
        else if (where == 5 && h.count) at = words - h.limits - h.row_sizes - h.stops - 1 - rnd() % h.count;
        else at = first + rnd() % (words - first);
        memcpy(&old, image + 8 * at, 8);
        switch (rnd() % 6) {
        case 0: value = old ^ (int64_t)(1ULL << rnd() % 64); break;
        case 1: value = strange[rnd() % (sizeof strange / sizeof *strange)]; break;
        case 2: value = old + (int64_t)(rnd() % 9) - 4; break;
        case 3: memcpy(&value, image + 8 * (first + rnd() % (words - first)), 8); break;
        case 4: memcpy(&value, image + 8 * (at > first + 40 ? at - rnd() % 40 : first), 8); break; /* a neighbour's */
        default: value = (int64_t)(rnd() % 64); break;
        }
        memcpy(image + 8 * at, &value, 8);
        used += (size_t)snprintf(said + used, room - used, " word %lld: %lld to %lld", (long long)(at - first), (long long)old,
                                 (long long)value);
    }
    if (rnd() % 16 == 0) length = bytes - 8 * (int64_t)(rnd() % 40);
    return length;
}

static void seal(char *image, int64_t bytes)
{
    const int64_t sum = supple_check_sum(image + 32, bytes - 32);
    memcpy(image + 24, &sum, 8);
}

int main(int count, char **words)
{
    long made[256] = {0}, crashes = 0, hangs = 0;
    FILE *file = count > 3 ? fopen(words[1], "rb") : NULL;
    long size, only = count > 4 ? atol(words[4]) : -1;
    char *image, *copy, said[400];
    int refused;
    if (!file || fseek(file, 0, SEEK_END) || (size = ftell(file)) < 0) return 2;
    rewind(file);
    image = malloc((size_t)size);
    copy = malloc((size_t)size);
    if (!image || !copy || fread(image, 1, (size_t)size, file) != (size_t)size) return 2;
    refused = drive(image, size, 0);
    if (refused && refused < 40) { /* from 40 on: codes of steps, which may fail */
        printf("the image itself gives %d\n", refused);
        return 2;
    }
    for (long i = only < 0 ? 0 : only; i < (only < 0 ? atol(words[2]) : only + 1); i++) {
        int64_t length;
        int status;
        pid_t child;
        seed = 0x9E3779B97F4A7C15ULL * (uint64_t)(i + 1) + (uint64_t)atol(words[3]);
        for (int k = 0; k < 8; k++) rnd();
        memcpy(copy, image, (size_t)size);
        length = damage(copy, size, said, sizeof said);
        seal(copy, length);
        if (only >= 0) {
            printf("%s\n", said);
            fflush(stdout);
            printf("code %d\n", drive(copy, length, (int)(i % 2)));
            return 0;
        }
        fflush(stdout);
        child = fork();
        if (child == 0) {
            alarm(HANG);
            if (!freopen("/dev/null", "w", stderr)) _exit(98);
            _exit(drive(copy, length, (int)(i % 2)));
        }
        waitpid(child, &status, 0);
        if (WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM) {
            hangs++;
            printf("hang at %ld:%s\n", i, said);
        } else if (WIFSIGNALED(status) || WEXITSTATUS(status) == 99 || WEXITSTATUS(status) == 96) {
            if (crashes++ < 20) printf("crash at %ld:%s\n", i, said);
        } else
            made[WEXITSTATUS(status)]++;
    }
    printf("crashes %ld hangs %ld codes", crashes, hangs);
    for (int k = 0; k < 256; k++)
        if (made[k]) printf(" %d:%ld", k, made[k]);
    printf("\n");
    free(image);
    free(copy);
    fclose(file);
    return crashes || hangs ? 1 : 0;
}
