/* recorder_maps.h: the recorder's look-up tables: coefficients by value, ports by variable. Inside
 * cs/ only. */
#ifndef CZ_CS_RECORDER_MAPS_H
#define CZ_CS_RECORDER_MAPS_H

#include "cs/compiled_format.h"
#include "cs/cs.h"

/* ---- coefficients, numbered as they first occur ---- */

enum { CZ_COEFF_SLOTS = 4 * CZ_COMPILED_MAX_COEFFS };

typedef struct {
    cz_fr *coeffs;   /* CZ_COMPILED_MAX_COEFFS */
    uint32_t *slots; /* open addressing: number + 1, 0 free */
    uint32_t n;
} cz_coeff_map;

CZ_MUST_CHECK cz_err cz_coeff_map_init(cz_coeff_map *m);
void cz_coeff_map_clear(cz_coeff_map *m);

/** A coefficient that is not in the table yet, or not at its first slot; failures go to cs. */
uint16_t cz_coeff_map_find(cz_coeff_map *m, cz_cs *cs, const cz_fr *coeff, uint32_t slot);

/** Number of a coefficient. */
static inline uint16_t cz_coeff_map_get(cz_coeff_map *m, cz_cs *cs, const cz_fr *coeff)
{
    uint64_t mixed = (coeff->l[0] ^ coeff->l[3]) * 0x9e3779b97f4a7c15u;
    uint32_t slot = (uint32_t)(mixed >> 40) % CZ_COEFF_SLOTS;
    uint32_t number = m->slots[slot];

    if (number != 0 && cz_fr_equal(&m->coeffs[number - 1], coeff))
        return (uint16_t)(number - 1);
    return cz_coeff_map_find(m, cs, coeff, slot);
}

/* ---- the ports of one block ---- */

enum { CZ_PORT_SLOTS = 1 << 18 };

typedef struct {
    uint32_t var;    /* cz_var.id */
    uint32_t block;  /* that it was seen in; other entries are free */
    uint32_t number; /* once the ports are sorted */
} cz_port;

typedef struct {
    cz_port *slots; /* CZ_PORT_SLOTS */
    uint32_t *vars; /* CZ_COMPILED_MAX_COLUMNS, in the order of first use, then ascending */
    uint32_t n;
    uint32_t block; /* number of the current block, from 1 */
} cz_port_map;

CZ_MUST_CHECK cz_err cz_port_map_init(cz_port_map *m);
void cz_port_map_clear(cz_port_map *m);

/** The entry of a variable, new or not; NULL when there are too many ports. */
cz_port *cz_port_map_get(cz_port_map *m, uint32_t var);

/** Bring vars into order and number the entries by it. */
void cz_port_map_sort(cz_port_map *m);

/** Forget all ports: the next block. */
void cz_port_map_next(cz_port_map *m);

#endif
