/* recorder_maps.c: see recorder_maps.h. */
#include "cs/recorder_maps.h"

#include <stdlib.h>

/* ---- coefficients ---- */

cz_err cz_coeff_map_init(cz_coeff_map *m)
{
    *m = (cz_coeff_map){.coeffs = malloc(CZ_COMPILED_MAX_COEFFS * sizeof *m->coeffs),
                        .slots = calloc(CZ_COEFF_SLOTS, sizeof *m->slots)};
    if (m->coeffs == NULL || m->slots == NULL)
        return cz_fail(CZ_E_NOMEM, "no memory for the coefficients of a recording");
    return CZ_OK;
}

void cz_coeff_map_clear(cz_coeff_map *m)
{
    free(m->coeffs);
    free(m->slots);
    *m = (cz_coeff_map){NULL, NULL, 0};
}

uint16_t cz_coeff_map_find(cz_coeff_map *m, cz_cs *cs, const cz_fr *coeff, uint32_t slot)
{
    for (; m->slots[slot] != 0; slot = (slot + 1) % CZ_COEFF_SLOTS) {
        if (cz_fr_equal(&m->coeffs[m->slots[slot] - 1], coeff))
            return (uint16_t)(m->slots[slot] - 1);
    }
    if (m->n == CZ_COMPILED_MAX_COEFFS) {
        cz_cs_fail(cs, cz_fail(CZ_E_UNSUPPORTED, "more than %u different coefficients", m->n));
        return 0;
    }
    m->coeffs[m->n] = *coeff;
    m->slots[slot] = ++m->n;
    return (uint16_t)(m->n - 1);
}

/* ---- ports ---- */

cz_err cz_port_map_init(cz_port_map *m)
{
    *m = (cz_port_map){.slots = calloc(CZ_PORT_SLOTS, sizeof *m->slots),
                       .vars = malloc(CZ_COMPILED_MAX_COLUMNS * sizeof *m->vars),
                       .block = 1};
    if (m->slots == NULL || m->vars == NULL)
        return cz_fail(CZ_E_NOMEM, "no memory for the ports of a recording");
    return CZ_OK;
}

void cz_port_map_clear(cz_port_map *m)
{
    free(m->slots);
    free(m->vars);
    *m = (cz_port_map){NULL, NULL, 0, 0};
}

cz_port *cz_port_map_get(cz_port_map *m, uint32_t var)
{
    uint32_t slot = var * 0x9e3779b9u % CZ_PORT_SLOTS;

    for (; m->slots[slot].block == m->block; slot = (slot + 1) % CZ_PORT_SLOTS) {
        if (m->slots[slot].var == var)
            return &m->slots[slot];
    }
    if (m->n == CZ_COMPILED_MAX_COLUMNS)
        return NULL;
    m->slots[slot] = (cz_port){var, m->block, 0};
    m->vars[m->n++] = var;
    return &m->slots[slot];
}

static int compare_vars(const void *a, const void *b)
{
    const uint32_t x = *(const uint32_t *)a;
    const uint32_t y = *(const uint32_t *)b;

    return (x > y) - (x < y);
}

void cz_port_map_sort(cz_port_map *m)
{
    qsort(m->vars, m->n, sizeof *m->vars, compare_vars);
    for (uint32_t i = 0; i < m->n; i++)
        cz_port_map_get(m, m->vars[i])->number = i;
}

void cz_port_map_next(cz_port_map *m)
{
    m->n = 0;
    m->block++;
}
