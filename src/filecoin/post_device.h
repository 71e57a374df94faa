/* post_device.h: the variables of a PoSt partition on CUDA devices, sector by sector (the order is
 * that of post_circuit.c); the same text runs on the host for tests. A thread a sector writes its
 * commitments and their hash, a thread a challenge its path. */
#ifndef CZ_FILECOIN_POST_DEVICE_H
#define CZ_FILECOIN_POST_DEVICE_H

#include "gadgets/por_device.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What a sector of the circuit opens: a sector of the request, and its opening that is the first
 * challenge's. */
typedef struct {
    uint32_t sector, opening;
} cz_post_device_place;

enum { CZ_POST_DEVICE_COMMITMENTS = 3 }; /* comm_r_last, comm_c, comm_r */

/* Pointers are to device memory. */
typedef struct cz_post_device {
    cz_por_device tree;
    uint32_t n_sectors, n_challenges; /* of the circuit; challenges a sector */
    uint32_t head_fields;             /* of a sector, before its first path */
    cz_por_counts path;
    const cz_post_device_place *places; /* n_sectors */
    const cz_fr32 *commitments;         /* CZ_POST_DEVICE_COMMITMENTS a sector of the request */
    const cz_fr32 *leaves;              /* one an opening */
    const cz_fr32 *siblings;            /* tree.n_siblings an opening */
    const uint32_t *indices;            /* tree.n_levels an opening */
    cz_fr32 *fields;                    /* all of the witness */
    uint32_t *plane;
} cz_post_device;

/** Variables of a sector. */
CZ_DEV cz_por_counts cz_post_device_sector(const cz_post_device *p)
{
    cz_por_counts n;

    n.fields = p->head_fields + p->n_challenges * p->path.fields;
    n.bits = p->n_challenges * p->path.bits;
    return n;
}

/* Where the sector's variables begin. */
CZ_DEV cz_por_cursor cz_post_device_cursor(const cz_post_device *p, uint32_t sector)
{
    const cz_por_counts n = cz_post_device_sector(p);
    cz_por_cursor at;

    at.plane = p->plane;
    at.field = p->fields + (uint64_t)sector * n.fields;
    at.aux = (uint64_t)sector * (n.fields + n.bits);
    return at;
}

/** The commitments of a sector, and comm_r from them. */
CZ_DEV void cz_post_device_head(const cz_post_device *p, uint32_t sector)
{
    const cz_fr32 *from =
        p->commitments + (uint64_t)CZ_POST_DEVICE_COMMITMENTS * p->places[sector].sector;
    const uint32_t order[2] = {1, 0}; /* comm_c first */
    cz_por_cursor at = cz_post_device_cursor(p, sector);
    cz_fr32 values[CZ_POST_DEVICE_COMMITMENTS], digest;

    for (uint32_t i = 0; i < CZ_POST_DEVICE_COMMITMENTS; i++) {
        cz_fr32_read(values[i].v, &from[i]);
        cz_por_put_field(&at, &values[i]);
    }
    cz_por_hash(&digest, &at, &p->tree.hash[0], values, order);
}

/** Path number i of all, n_challenges a sector. */
CZ_DEV void cz_post_device_path(const cz_post_device *p, uint32_t i)
{
    const uint32_t sector = i / p->n_challenges, challenge = i % p->n_challenges;
    const uint32_t skipped = p->head_fields + challenge * p->path.fields;
    const uint64_t opening = p->places[sector].opening + (uint64_t)challenge;
    cz_por_cursor at = cz_post_device_cursor(p, sector);

    at.field += skipped;
    at.aux += skipped + challenge * p->path.bits;
    cz_por_device_climb(&at, &p->tree, &p->leaves[opening],
                        p->siblings + opening * p->tree.n_siblings,
                        p->indices + opening * p->tree.n_levels);
}

#ifdef __cplusplus
}
#endif
#endif
