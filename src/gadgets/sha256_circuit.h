/* sha256_circuit.h: SHA-256 in a circuit [FIPS 180-4], about 26,000 constraints a block.
 *
 * Bits are those of the message in order, most significant bit of a byte first. Additions mod 2^32
 * share constraints through multieq.h. Its native twin is hash/sha256.h. This is where 98 % of a
 * PoRep circuit is made. Stack: about 130 KB, no heap but for what cs/ keeps. */
#ifndef CZ_GADGETS_SHA256_CIRCUIT_H
#define CZ_GADGETS_SHA256_CIRCUIT_H

#include "gadgets/num.h"
#include "gadgets/uint32.h"

/** One compression: out = h + rounds(h, block). out may be h. At the caller's path level. */
void cz_sha256_circuit_compress(cz_cs *cs, cz_uint32 out[8], const cz_boolean block[512],
                                const cz_uint32 h[8]);

/* A message given in pieces: blocks "block 0", "block 1", … are made at the path level of the call
 * that completes them. */
typedef struct {
    cz_cs *cs;
    cz_uint32 h[8];
    cz_boolean block[512];
    uint64_t n_bits; /* so far; n_bits % 512 of them wait in block */
} cz_sha256_circuit;

void cz_sha256_circuit_init(cz_sha256_circuit *s, cz_cs *cs);
void cz_sha256_circuit_update(cz_sha256_circuit *s, const cz_boolean *bits, size_t n);
void cz_sha256_circuit_final(cz_sha256_circuit *s, cz_boolean out[256]);

/** One call for all. */
void cz_sha256_circuit_of(cz_cs *cs, cz_name name, cz_boolean out[256], const cz_boolean *bits,
                          size_t n);

/** The first 254 bits of a digest, bytes little-endian, as a number in "result name". */
cz_num cz_sha256_digest_to_num(cz_cs *cs, cz_name name, const cz_boolean digest[256]);

#endif
