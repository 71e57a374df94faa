/* comm.c: comm_r of two roots, and 32 bytes as a field element. */
#include "filecoin/comm.h"

#include "hash/poseidon.h"

cz_err cz_comm_r(cz_fr *out, const cz_fr *comm_c, const cz_fr *comm_r_last)
{
    const cz_fr roots[2] = {*comm_c, *comm_r_last};
    const cz_poseidon_constants *k = cz_poseidon_get(2);

    if (k == NULL)
        return cz_fail(CZ_E_NOMEM, "no memory for Poseidon's constants");
    cz_poseidon_hash(out, k, roots);
    return CZ_OK;
}

cz_err cz_fr_from_bytes(cz_fr *out, const uint8_t bytes[32])
{
    if (!cz_fr_from_le(out, bytes))
        return cz_fail(CZ_E_INPUT, "not a field element (the number is r or more)");
    return CZ_OK;
}
