/* compiled.c: opening, closing and questions; see compiled.h. */
#include "cs/compiled.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "cs/compiled_state.h"

/* ---- opening and closing ---- */

void cz_compiled_destroy(cz_compiled *c)
{
    if (c == NULL)
        return;
    free(c->image);
    free(c->integers);
    free(c->digits);
    free(c->small);
    free(c->classes);
    free(c->fields_before);
    free(c);
}

cz_err cz_compiled_adopt(cz_compiled **out, uint8_t *image, size_t n, const char *name)
{
    cz_compiled *c = calloc(1, sizeof *c);
    cz_err err;

    if (c == NULL) {
        free(image);
        return cz_fail(CZ_E_NOMEM, "%s: no memory", name);
    }
    c->image = image;
    c->n_bytes = n;
    err = cz_compiled_check(c, image, n, name);
    if (err != CZ_OK) {
        cz_compiled_destroy(c);
        return err;
    }
    *out = c;
    return CZ_OK;
}

/* Into memory: what was checked must stay as it is, whatever becomes of the file. */
static cz_err read_and_check(cz_compiled **out, const char *path)
{
    uint8_t *image;
    size_t n;

    CZ_TRY(cz_file_read(path, CZ_COMPILED_MOST_BYTES, &image, &n));
    return cz_compiled_adopt(out, image, n, path);
}

cz_err cz_compiled_load(cz_compiled **out, const char *path, const char *id)
{
    cz_compiled *c;
    cz_err err;

    CZ_TRY(read_and_check(&c, path));
    if (strcmp(cz_compiled_id(c), id) != 0) {
        err = cz_fail(CZ_E_INPUT, "%s: circuit %s, expected %s", path, cz_compiled_id(c), id);
        cz_compiled_destroy(c);
        return err;
    }
    *out = c;
    return CZ_OK;
}

/* A file has one writer at a time: the process's threads take turns. */
static pthread_mutex_t saving = PTHREAD_MUTEX_INITIALIZER;

cz_err cz_compiled_save(const cz_compiled *c, const char *path)
{
    cz_err err;

    (void)pthread_mutex_lock(&saving);
    cz_file_drop_leftovers(path);
    err = cz_file_write_all(path, c->t.header, c->n_bytes);
    (void)pthread_mutex_unlock(&saving);
    return err;
}

/* ---- questions ---- */

const char *cz_compiled_id(const cz_compiled *c)
{
    return c->t.header->circuit_id;
}

cz_compiled_sizes cz_compiled_measure(const cz_compiled *c)
{
    const cz_compiled_header *h = c->t.header;
    size_t derived = h->n_coeffs * (sizeof *c->integers + sizeof *c->digits + sizeof *c->small) +
                     cz_plane_words(h->n_aux) * sizeof *c->classes +
                     (h->n_aux / CZ_RANK_BITS + 1) * sizeof *c->fields_before;

    return (cz_compiled_sizes){.file_bytes = c->n_bytes,
                               .memory_bytes = c->n_bytes + derived,
                               .templates = h->n_templates,
                               .instances = h->n_instances,
                               .n_fields = h->n_fields};
}

cz_circuit_stats cz_compiled_stats(const cz_compiled *c)
{
    const cz_compiled_header *h = c->t.header;
    cz_circuit_stats s = {.inputs = h->n_inputs,
                          .aux = h->n_aux,
                          .constraints = h->n_constraints,
                          .nnz_a = h->nnz_a,
                          .nnz_b = h->nnz_b,
                          .nnz_c = h->nnz_c,
                          .dens_a_aux = h->dens_a_aux,
                          .dens_b_input = h->dens_b_input,
                          .dens_b_aux = h->dens_b_aux};

    memcpy(s.sha256, h->circuit_digest, sizeof s.sha256);
    return s;
}

const uint64_t *cz_compiled_classes(const cz_compiled *c)
{
    return c->classes;
}

uint32_t cz_compiled_field_index(const cz_compiled *c, uint32_t k)
{
    CZ_ASSERT(k < c->t.header->n_aux && !cz_class_bit(c->classes, k));
    return cz_field_index(c, k);
}

uint32_t cz_compiled_fields_before(const cz_compiled *c, uint32_t k)
{
    CZ_ASSERT(k <= c->t.header->n_aux);
    return k == c->t.header->n_aux ? c->t.header->n_fields : cz_field_index(c, k);
}

const cz_compiled_tables *cz_compiled_view(const cz_compiled *c)
{
    return &c->t;
}
