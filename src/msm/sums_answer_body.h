/* sums_answer_body.h: the last step of a device's sum over one group; sums_answer.c includes it
 * once a group, having defined GROUP, XYZZ, G(name), LANES, OP(name) and HOST. */

/* Bit sum i. */
static void OP(load)(GROUP *r, const void *bit_sums, unsigned i)
{
    const unsigned char *lanes = (const unsigned char *)bit_sums + (size_t)i * LANES * LANE_BYTES;
    unsigned char *to;
    XYZZ p;

    to = (unsigned char *)&p; /* coordinates with their components together */
    for (unsigned c = 0; c < 4; c++)
        for (unsigned lane = 0; lane < LANES; lane++, to += COORD_BYTES)
            memcpy(to, lanes + lane * LANE_BYTES + c * COORD_BYTES, COORD_BYTES);
    G(xyzz_to_jacobian)(r, &p);
}

static void OP(start)(cz_sum_point *sum)
{
    GROUP none;

    G(set_infinity)(&none);
    memcpy(sum, &none, sizeof none);
}

static void OP(add)(cz_sum_point *sum, const GROUP *p)
{
    GROUP acc;

    memcpy(&acc, sum, sizeof acc);
    G(add)(&acc, &acc, p);
    memcpy(sum, &acc, sizeof acc);
}

static void OP(add_one)(cz_sum_point *sum, const void *bit_sums, unsigned i)
{
    GROUP p;

    OP(load)(&p, bit_sums, i);
    OP(add)(sum, &p);
}

/* 2 acc + bit sum i */
static void OP(step)(GROUP *acc, const void *bit_sums, unsigned i)
{
    GROUP p;

    OP(load)(&p, bit_sums, i);
    G(dbl)(acc, acc);
    G(add)(acc, acc, &p);
}

static void OP(add_set)(GROUP *acc, const void *bit_sums, const cz_sum_set *set,
                        unsigned column_bits)
{
    const unsigned columns = set->first + set->row_bits;
    GROUP sum, all;

    G(set_infinity)(&sum);
    for (unsigned j = set->row_bits; j-- > 0;)
        OP(step)(&sum, bit_sums, set->first + j);
    for (unsigned j = column_bits; j-- > 0;)
        OP(step)(&sum, bit_sums, columns + j);
    OP(load)(&all, bit_sums, columns + column_bits);
    G(add)(&sum, &sum, &all);
    G(add)(acc, acc, &sum);
}

static void OP(add_sets)(cz_sum_point *sum, const void *bit_sums, const cz_sum_sets *sets)
{
    GROUP acc;
    int at = 0;

    G(set_infinity)(&acc);
    for (unsigned i = sets->n_sets; i-- > 0;) {
        const cz_sum_set *set = &sets->set[i];

        for (; at > set->position; at--)
            G(dbl)(&acc, &acc);
        at = set->position;
        OP(add_set)(&acc, bit_sums, set, sets->column_bits);
    }
    for (; at > 0; at--)
        G(dbl)(&acc, &acc);
    OP(add)(sum, &acc);
}

static void OP(to_affine)(void *affine, const cz_sum_point *sum)
{
    GROUP p;

    memcpy(&p, sum, sizeof p);
    G(to_affine)(affine, &p);
}

const cz_sum_host HOST = {OP(start), OP(add_one), OP(add_sets), OP(to_affine)};
