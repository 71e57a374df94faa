/* encoding_cases_body.h: what the decoders of a group must accept and refuse, for G1 and G2.
 *
 * Included by test_encoding.c once a group, which defines T(name) (unique names), AFFINE, G(name),
 * GENERATOR, COMPRESSED, UNCOMPRESSED, GROUP_NAME and BAD_SECTION. */

/* The message of the check that an encoding of the known answers must fail; NULL: none. */
static const char *T(wanted_message)(const char *what, bool compressed)
{
    static const struct {
        const char *what, *compressed, *uncompressed;
    } table[] = {
        {"good", NULL, NULL},
        {"identity", NULL, NULL},
        {"sign flag flipped (the negative: good)", NULL, NULL},
        {"not in the subgroup", "not in the subgroup", "not in the subgroup"},
        {"all zero", "the compression flag is not set", "all zero, but the infinity flag"},
        {"all ones", "infinity with the sign flag", "the compression flag is set"},
        {"compression flag cleared", "the compression flag is not set", NULL},
        {"compression flag set", NULL, "the compression flag is set"},
        {"infinity flag set", "infinity", "the infinity flag is set on other than zeros"},
        {"sign flag set", NULL, "the sign flag is set"},
        {"identity with sign flag", "infinity with the sign flag set", NULL},
        {"identity with a stray bit", "on other than zeros", "on other than zeros"},
        {"x not canonical", "x is not below the field's modulus", NULL},
        {"y not canonical", NULL, "y is not below the field's modulus"},
        {"x changed: not on the curve", NULL, "not on the curve"},
        {"y changed: not on the curve", NULL, "not on the curve"},
        {"top bits of x changed", "", NULL}, /* which check finds it depends on the bits */
        {"last byte changed", "", NULL},
    };

    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
        if (strcmp(table[i].what, what) == 0)
            return compressed ? table[i].compressed : table[i].uncompressed;
    }
    fail_msg("known answers: case '%s' is not in the table", what);
    return NULL;
}

static cz_err T(decode)(AFFINE *r, const uint8_t *bytes, bool compressed)
{
    return compressed ? G(decompress)(r, bytes) : G(deserialize)(r, bytes);
}

static void T(check_bad_row)(cz_json row)
{
    bool compressed = ka_has(row, "compressed");
    uint8_t bytes[UNCOMPRESSED], want[COMPRESSED], got[COMPRESSED];
    const char *what = ka_text(ka_get(row, "what"));
    const char *message = T(wanted_message)(what, compressed);
    AFFINE a = GENERATOR;

    if (compressed)
        ka_bytes(ka_get(row, "compressed"), bytes, COMPRESSED);
    else
        ka_bytes(ka_get(row, "uncompressed"), bytes, UNCOMPRESSED);
    if (message == NULL) {
        assert_true(ka_bool(ka_get(row, "valid")));
        assert_ok(T(decode)(&a, bytes, compressed));
        ka_bytes(ka_get(row, "decodes_to"), want, COMPRESSED);
        G(compress)(got, &a);
        assert_memory_equal(got, want, COMPRESSED);
        return;
    }
    /* The reference accepts a compression flag on an uncompressed point; we do not. */
    assert_true(!ka_bool(ka_get(row, "valid")) || strcmp(what, "compression flag set") == 0);
    assert_fails(T(decode)(&a, bytes, compressed), CZ_E_INPUT, message);
    assert_fails(T(decode)(&a, bytes, compressed), CZ_E_INPUT, GROUP_NAME " point: ");
    assert_true(G(affine_is_infinity)(&a));
}

static void T(known_answers_are_accepted_or_refused)(void **state)
{
    known_answers ka;
    cz_json row;
    cz_json_iter it;
    size_t rows = 0;

    (void)state;
    known_answers_open(&ka);
    it = ka_rows(ka_get(ka.root, BAD_SECTION));
    while (ka_next(&it, &row)) {
        T(check_bad_row)(row);
        rows++;
    }
    assert_in_range(rows, 20, 100);
    known_answers_close(&ka);
}

/* Whatever is accepted is the one encoding of its point. */
static void T(one_point_has_one_encoding)(void **state)
{
    uint8_t good[UNCOMPRESSED], bytes[UNCOMPRESSED], again[UNCOMPRESSED];
    size_t accepted = 0;
    AFFINE a;

    (void)state;
    G(compress)(good, &GENERATOR);
    for (unsigned bit = 0; bit < 8 * COMPRESSED; bit++) {
        memcpy(bytes, good, COMPRESSED);
        bytes[bit / 8] ^= (uint8_t)(1u << (bit % 8));
        if (G(decompress)(&a, bytes) != CZ_OK)
            continue;
        G(compress)(again, &a);
        assert_memory_equal(again, bytes, COMPRESSED);
        accepted++;
    }
    assert_int_equal(accepted, 1); /* the negative */
    G(serialize)(good, &GENERATOR);
    for (unsigned bit = 0; bit < 8 * UNCOMPRESSED; bit++) {
        memcpy(bytes, good, UNCOMPRESSED);
        bytes[bit / 8] ^= (uint8_t)(1u << (bit % 8));
        assert_int_equal(G(deserialize)(&a, bytes), CZ_E_INPUT);
    }
}

/* The unchecked decoder refuses flags and coordinates, and nothing else. */
static void T(unchecked_still_checks_flags_and_coordinates)(void **state)
{
    uint8_t good[UNCOMPRESSED], bytes[UNCOMPRESSED];
    AFFINE a;

    (void)state;
    G(serialize)(good, &GENERATOR);
    memcpy(bytes, good, sizeof good);
    bytes[UNCOMPRESSED - 1] ^= 1; /* off the curve */
    assert_ok(G(deserialize_unchecked)(&a, bytes));
    assert_false(G(affine_on_curve)(&a));
    assert_fails(G(deserialize)(&a, bytes), CZ_E_INPUT, "not on the curve");
    for (unsigned flag = 0x20; flag <= 0x80; flag <<= 1) {
        memcpy(bytes, good, sizeof good);
        bytes[0] = (uint8_t)(bytes[0] | flag);
        assert_int_equal(G(deserialize_unchecked)(&a, bytes), CZ_E_INPUT);
        assert_true(G(affine_is_infinity)(&a));
    }
    memcpy(bytes, good, sizeof good);
    memset(bytes + COMPRESSED, 0xff, 48); /* y, or y's c1 */
    assert_fails(G(deserialize_unchecked)(&a, bytes), CZ_E_INPUT, "y is not below");
    memset(bytes, 0, sizeof bytes);
    assert_fails(G(deserialize_unchecked)(&a, bytes), CZ_E_INPUT, "all zero");
    bytes[0] = 0x40;
    assert_ok(G(deserialize_unchecked)(&a, bytes));
    assert_true(G(affine_is_infinity)(&a));
}

static void T(infinity_round_trips)(void **state)
{
    uint8_t bytes[UNCOMPRESSED];
    AFFINE a, infinity;

    (void)state;
    memset(&infinity, 0, sizeof infinity);
    G(compress)(bytes, &infinity);
    assert_int_equal(bytes[0], 0xc0);
    a = GENERATOR;
    assert_ok(G(decompress)(&a, bytes));
    assert_true(G(affine_is_infinity)(&a));
    G(serialize)(bytes, &infinity);
    assert_int_equal(bytes[0], 0x40);
    a = GENERATOR;
    assert_ok(G(deserialize)(&a, bytes));
    assert_true(G(affine_is_infinity)(&a));
}
