/* kernels.c: which form of the multiplications is in use. */
#include "field/kernels.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "base/cpu.h"
#include "field/field_forms.h"

typedef struct {
    const cz_field_kernel_table *table;
    bool (*runs_here)(void);
} form;

static bool always(void)
{
    return true;
}

static bool has_adx(void)
{
    return cz_cpu_has(CZ_CPU_BMI2) && cz_cpu_has(CZ_CPU_ADX);
}

/* Best first. */
static const form forms[] = {
    {&cz_field_adx, has_adx},
    {&cz_field_portable, always},
};
enum { N_FORMS = sizeof forms / sizeof forms[0] };

/* Filled before main() and before constructors of default priority. */
cz_field_kernel_table cz_field_kernels;

__attribute__((constructor(101))) static void choose_best(void)
{
    size_t i = 0;

    while (!forms[i].runs_here())
        i++;
    cz_field_kernels = *forms[i].table;
}

cz_err cz_field_select(const char *name)
{
    for (size_t i = 0; i < N_FORMS; i++) {
        if (strcmp(forms[i].table->name, name) != 0)
            continue;
        if (!forms[i].runs_here())
            return cz_fail(CZ_E_NODEV, "field arithmetic '%s': this CPU cannot run it", name);
        cz_field_kernels = *forms[i].table;
        return CZ_OK;
    }
    return cz_fail(CZ_E_NOTFOUND, "field arithmetic '%s': no such form", name);
}
