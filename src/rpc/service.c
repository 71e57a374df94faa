/* service.c: finding a method. */
#include "rpc/service.h"

#include <string.h>

static const cz_method *find_in(const cz_method *methods, size_t n_methods, const char *path,
                                size_t n)
{
    for (size_t i = 0; i < n_methods; i++)
        if (strlen(methods[i].path) == n && memcmp(methods[i].path, path, n) == 0)
            return &methods[i];
    return NULL;
}

const cz_method *cz_method_find(const char *path, size_t n)
{
    const cz_method *found = find_in(cz_proving_methods, cz_n_proving_methods, path, n);

    if (found == NULL)
        found = find_in(cz_health_methods, cz_n_health_methods, path, n);
    if (found == NULL)
        found = find_in(cz_reflection_methods, cz_n_reflection_methods, path, n);
    return found;
}
