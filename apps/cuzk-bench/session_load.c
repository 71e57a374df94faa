/* session_load.c: the requests of sessions that have many jobs done at once. */
#define _GNU_SOURCE
#include <stdio.h>
#include <string.h>

#include "filecoin/gen_vanilla.h"
#include "session.h"

cz_err session_load_init(session_load *load, const session_order *o)
{
    char *rest = load->text, *part;

    *load = (session_load){.seed = o->seed};
    if (snprintf(load->text, sizeof load->text, "%s", o->circuits) >= (int)sizeof load->text)
        return cz_fail(CZ_E_INPUT, "too many circuits");
    while ((part = strsep(&rest, ",")) != NULL) {
        if (load->n == SESSION_MAX_CIRCUITS)
            return cz_fail(CZ_E_INPUT, "more than %d circuits", SESSION_MAX_CIRCUITS);
        load->circuit[load->n++] = part;
    }
    return CZ_OK;
}

cz_err session_load_next(session_load *load, cz_request **out, unsigned i)
{
    return cz_gen_circuit_request(out, load->circuit[i % load->n], load->seed++, NULL);
}
