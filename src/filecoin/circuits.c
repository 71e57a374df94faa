/* circuits.c: the table of circuits: id, family and sector size; see circuits.h. */
#include "filecoin/circuits.h"

#include <pthread.h>
#include <string.h>

#include "filecoin/job.h"
#include "filecoin/porep_circuit.h"
#include "filecoin/post_circuit.h"
#include "filecoin/snap_circuit.h"

typedef cz_err (*create_blank_fn)(cz_circuit **out, const char *id, const cz_sector_shape *shape);

/* How each family is built. */
static const create_blank_fn create_blank[] = {
    [CZ_FAMILY_POREP] = cz_porep_circuit_create_blank,
    [CZ_FAMILY_SNAP] = cz_snap_circuit_create_blank,
    [CZ_FAMILY_SNAP_POSEIDON] = cz_snap_poseidon_circuit_create_blank,
    [CZ_FAMILY_WINNING] = cz_winning_circuit_create_blank,
    [CZ_FAMILY_WINDOW] = cz_window_circuit_create_blank,
};

typedef struct {
    const char *id, *tag;
    cz_circuit_family family;
} row;

#define ROW(family, name, tag)                                                                     \
    {                                                                                              \
        name "-" tag, tag, family                                                                  \
    }

/* The sizes that every family has, in three groups between which single sizes come and go. */
#define KIB_ROWS(family, name)                                                                     \
    ROW(family, name, "2k"), ROW(family, name, "4k"), ROW(family, name, "16k"),                    \
        ROW(family, name, "32k"), ROW(family, name, "8m")
#define GIB_ROWS(family, name) ROW(family, name, "32g"), ROW(family, name, "64g")

static const row rows[] = {
    KIB_ROWS(CZ_FAMILY_POREP, "porep"),
    ROW(CZ_FAMILY_POREP, "porep", "16m"),
    ROW(CZ_FAMILY_POREP, "porep", "512m"),
    ROW(CZ_FAMILY_POREP, "porep", "1g"),
    GIB_ROWS(CZ_FAMILY_POREP, "porep"),

    KIB_ROWS(CZ_FAMILY_SNAP, "snap"),
    ROW(CZ_FAMILY_SNAP, "snap", "16m"),
    ROW(CZ_FAMILY_SNAP, "snap", "512m"),
    GIB_ROWS(CZ_FAMILY_SNAP, "snap"),

    KIB_ROWS(CZ_FAMILY_SNAP_POSEIDON, "snap-poseidon"),
    ROW(CZ_FAMILY_SNAP_POSEIDON, "snap-poseidon", "16m"),
    ROW(CZ_FAMILY_SNAP_POSEIDON, "snap-poseidon", "512m"),
    GIB_ROWS(CZ_FAMILY_SNAP_POSEIDON, "snap-poseidon"),

    KIB_ROWS(CZ_FAMILY_WINNING, "winning"),
    ROW(CZ_FAMILY_WINNING, "winning", "512m"),
    GIB_ROWS(CZ_FAMILY_WINNING, "winning"),

    KIB_ROWS(CZ_FAMILY_WINDOW, "wpost"),
    ROW(CZ_FAMILY_WINDOW, "wpost", "512m"),
    GIB_ROWS(CZ_FAMILY_WINDOW, "wpost"),
};

enum { N_ROWS = sizeof rows / sizeof rows[0] };

static const row *find(const char *id)
{
    for (size_t i = 0; i < N_ROWS; i++)
        if (strcmp(rows[i].id, id) == 0)
            return &rows[i];
    return NULL;
}

cz_err cz_circuit_lookup(cz_circuit_family *family, const cz_sector_shape **shape, const char *id)
{
    const row *r = find(id);

    if (r == NULL)
        return cz_fail(CZ_E_NOTFOUND, "there is no circuit '%.64s'", id);
    *family = r->family;
    *shape = cz_sector_shape_by_tag(r->tag);
    return CZ_OK;
}

const char *cz_circuit_id(cz_circuit_family family, const cz_sector_shape *shape)
{
    for (size_t i = 0; i < N_ROWS; i++)
        if (rows[i].family == family && strcmp(rows[i].tag, shape->tag) == 0)
            return rows[i].id;
    return NULL;
}

static const char *ids[N_ROWS + 1];

static void collect_ids(void)
{
    for (size_t i = 0; i < N_ROWS; i++)
        ids[i] = rows[i].id;
}

const char *const *cz_circuit_ids(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;

    (void)pthread_once(&once, collect_ids);
    return ids;
}

cz_err cz_circuit_create_blank(cz_circuit **out, const char *id)
{
    const row *r = find(id);

    if (r == NULL)
        return cz_fail(CZ_E_NOTFOUND, "there is no circuit '%.64s'", id);
    return create_blank[r->family](out, r->id, cz_sector_shape_by_tag(r->tag));
}

void cz_circuit_destroy(cz_circuit *circuit)
{
    if (circuit != NULL)
        ((cz_owned_circuit *)(void *)circuit)->destroy(circuit);
}
