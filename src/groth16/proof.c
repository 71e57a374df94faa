/* proof.c: the 192 bytes of a proof. */
#include "groth16/groth16.h"

enum { B_AT = CZ_G1_COMPRESSED_BYTES, C_AT = B_AT + CZ_G2_COMPRESSED_BYTES };

void cz_proof_write(uint8_t out[CZ_PROOF_BYTES], const cz_proof *proof)
{
    cz_g1_compress(out, &proof->a);
    cz_g2_compress(out + B_AT, &proof->b);
    cz_g1_compress(out + C_AT, &proof->c);
}

static cz_err read_g1(cz_g1_affine *p, const uint8_t *in, const char *name)
{
    CZ_TRY_IN(cz_g1_decompress(p, in), "proof: %s", name);
    if (cz_g1_affine_is_infinity(p))
        return cz_fail(CZ_E_INPUT, "proof: %s: the point at infinity", name);
    return CZ_OK;
}

cz_err cz_proof_read(cz_proof *out, const uint8_t in[CZ_PROOF_BYTES])
{
    cz_proof p;

    CZ_TRY(read_g1(&p.a, in, "A"));
    CZ_TRY_IN(cz_g2_decompress(&p.b, in + B_AT), "proof: B");
    if (cz_g2_affine_is_infinity(&p.b))
        return cz_fail(CZ_E_INPUT, "proof: B: the point at infinity");
    CZ_TRY(read_g1(&p.c, in + C_AT, "C"));
    *out = p;
    return CZ_OK;
}
