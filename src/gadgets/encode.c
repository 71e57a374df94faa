/* encode.c: a data node plus its key, and back. */
#include "gadgets/encode.h"

#include "gadgets/constraint.h"

cz_num cz_encode(cz_cs *cs, cz_name name, const cz_num *key, const cz_num *value)
{
    cz_fr sum = CZ_FR_ZERO;
    cz_num encoded;

    if (cs->has_values)
        cz_fr_add(&sum, &key->value, &value->value);
    cz_cs_enter(cs, name);
    cz_cs_enter(cs, CZ_N("encode_add"));
    encoded = cz_num_alloc(cs, CZ_N("add_num"), &sum);
    cz_enforce_sum(cs, CZ_N("sum constraint"), key, value, &encoded);
    cz_cs_leave(cs);
    cz_cs_leave(cs);
    return encoded;
}

cz_num cz_decode(cz_cs *cs, cz_name name, const cz_num *key, const cz_num *value)
{
    cz_fr difference = CZ_FR_ZERO;
    cz_num decoded;

    if (cs->has_values)
        cz_fr_sub(&difference, &value->value, &key->value);
    cz_cs_enter(cs, name);
    cz_cs_enter(cs, CZ_N("decode_sub"));
    decoded = cz_num_alloc(cs, CZ_N("sub_num"), &difference);
    cz_enforce_difference(cs, CZ_N("subtraction constraint"), value, key, &decoded);
    cz_cs_leave(cs);
    cz_cs_leave(cs);
    return decoded;
}
