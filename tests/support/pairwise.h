/* pairwise.h: few combinations of several switches' ways in which every two ways of two switches
 * meet: the greedy choice among all combinations. */
#ifndef CZ_TESTS_PAIRWISE_H
#define CZ_TESTS_PAIRWISE_H

#include <stdbool.h>

enum { PAIRWISE_SWITCHES = 8, PAIRWISE_WAYS = 4 };

typedef struct {
    unsigned n;           /* switches */
    const unsigned *ways; /* that each has */
    bool seen[PAIRWISE_SWITCHES][PAIRWISE_WAYS][PAIRWISE_SWITCHES][PAIRWISE_WAYS];
} pairwise;

typedef struct {
    unsigned way[PAIRWISE_SWITCHES];
} combination;

/* The next in counting order; false after the last. */
static inline bool next_combination(combination *c, const unsigned *ways, unsigned n)
{
    for (unsigned i = 0; i < n; i++) {
        if (++c->way[i] < ways[i])
            return true;
        c->way[i] = 0;
    }
    return false;
}

static inline unsigned pairwise_new(const pairwise *p, const combination *c)
{
    unsigned n = 0;

    for (unsigned i = 0; i < p->n; i++)
        for (unsigned k = i + 1; k < p->n; k++)
            n += !p->seen[i][c->way[i]][k][c->way[k]];
    return n;
}

/* The combination with the most pairs that are new, and how many those are; 0: none is left. */
static inline unsigned pairwise_take(pairwise *p, combination *best)
{
    combination c = {{0}};
    unsigned most = 0;

    do {
        const unsigned n = pairwise_new(p, &c);

        if (n > most) {
            most = n;
            *best = c;
        }
    } while (next_combination(&c, p->ways, p->n));
    for (unsigned i = 0; i < p->n; i++)
        for (unsigned k = i + 1; k < p->n; k++)
            p->seen[i][best->way[i]][k][best->way[k]] = true;
    return most;
}

/* How many pairs there are. */
static inline unsigned pairwise_all(const pairwise *p)
{
    unsigned n = 0;

    for (unsigned i = 0; i < p->n; i++)
        for (unsigned k = i + 1; k < p->n; k++)
            n += p->ways[i] * p->ways[k];
    return n;
}

#endif
