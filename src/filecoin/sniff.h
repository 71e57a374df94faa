/* sniff.h: which of the accepted request files some bytes are, without parsing 50 MB for it. */
#ifndef CZ_FILECOIN_SNIFF_H
#define CZ_FILECOIN_SNIFF_H

#include <stddef.h>
#include <stdint.h>

typedef enum {
    CZ_SNIFF_PROTO_JSON, /* SubmitProofRequest */
    CZ_SNIFF_C1_JSON,    /* a bare C1, or an envelope around one */
    CZ_SNIFF_BINARY      /* no JSON */
} cz_sniffed;

/** Decide by the first top-level field that only one kind of file has; JSON without such a field is
 * taken for a request. Never fails: what is damaged is found by the parser that gets it. */
cz_sniffed cz_sniff_request(const uint8_t *bytes, size_t n);

#endif
