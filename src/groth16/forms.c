/* forms.c: see forms.h. */
#include "groth16/forms.h"

#include <pthread.h>
#include <stdio.h>

#include "field/kernels.h"
#include "hash/poseidon_many.h"
#include "hash/sha256.h"
#include "msm/msm.h"
#include "ntt/ntt.h"

static char text[128];
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void write_text(void)
{
    (void)snprintf(text, sizeof text, "field %s, ntt %s, msm %s, poseidon %s, sha256 %s",
                   cz_field_kernels.name, cz_ntt_form(), cz_msm_form(), cz_poseidon_form(),
                   cz_sha256_has_ni() != 0 ? "sha-ni" : "portable");
}

const char *cz_forms_text(void)
{
    (void)pthread_once(&once, write_text);
    return text;
}
