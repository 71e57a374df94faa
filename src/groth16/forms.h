/* forms.h: which form of each operation this CPU runs: for `--version` and the log. */
#ifndef CZ_GROTH16_FORMS_H
#define CZ_GROTH16_FORMS_H

/** "field adx, ntt ifma, msm ifma, poseidon ifma, sha256 sha-ni", as chosen at start and capped by
 * CUZK_CPU. A static string; any thread. */
const char *cz_forms_text(void);

#endif
