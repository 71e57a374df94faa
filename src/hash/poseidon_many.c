/* poseidon_many.c: the choice between the forms of poseidon_many.h. */
#include "hash/poseidon_many.h"

#include <stdatomic.h>
#include <string.h>

#include "hash/poseidon_forms.h"

/* Best first; the last one runs everywhere. */
static const cz_poseidon_form_table *const forms[] = {&cz_poseidon_ifma, &cz_poseidon_scalar};
enum { N_FORMS = sizeof forms / sizeof forms[0] };

/* NULL: the best. */
static _Atomic(const cz_poseidon_form_table *) selected;

static const cz_poseidon_form_table *current_form(void)
{
    const cz_poseidon_form_table *form = atomic_load(&selected);

    for (size_t i = 0; form == NULL && i < N_FORMS; i++)
        if (forms[i]->runs_here()) // NOLINT(clang-analyzer-core.NullDereference): i < N_FORMS
            form = forms[i];
    return form != NULL ? form : &cz_poseidon_scalar;
}

const char *cz_poseidon_form(void)
{
    return current_form()->name;
}

cz_err cz_poseidon_select(const char *form)
{
    for (size_t i = 0; i < N_FORMS; i++) {
        if (strcmp(forms[i]->name, form) != 0)
            continue;
        if (!forms[i]->runs_here())
            return cz_fail(CZ_E_NODEV, "Poseidon '%s': this CPU cannot run it", form);
        atomic_store(&selected, forms[i]);
        return CZ_OK;
    }
    return cz_fail(CZ_E_NOTFOUND, "Poseidon '%s': no such form", form);
}

void cz_poseidon_hash_many(cz_fr *out, const cz_poseidon_constants *k, const cz_fr *preimages,
                           size_t n)
{
    cz_poseidon_hash_many_tagged(out, k, &k->domain_tag, preimages, n);
}

void cz_poseidon_hash_many_tagged(cz_fr *out, const cz_poseidon_constants *k, const cz_fr *tag,
                                  const cz_fr *preimages, size_t n)
{
    if (n > 0)
        current_form()->hash(out, k, tag, preimages, n);
}

size_t cz_poseidon_witness_size(const cz_poseidon_constants *k)
{
    return 3 * k->arity + 4 * ((CZ_POSEIDON_FULL_ROUNDS - 1) * k->width + k->partial_rounds) + 1;
}

void cz_poseidon_witness_many(cz_fr *const *out, const cz_poseidon_constants *k, const cz_fr *tag,
                              const cz_fr *preimages, size_t n)
{
    if (n > 0)
        current_form()->witness(out, k, tag, preimages, n);
}
