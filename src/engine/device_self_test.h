/* device_self_test.h: does this device compute what the CPU computes?
 *
 * A small circuit of bits and products, a thousand rows, with parameters made from fixed waste and
 * proved on the CPU once, r and s fixed. A device passes when the same stages as of every proof
 * (points decoded, rows, transforms, the sum over H, bit sums, tails, B2) give the same 192 bytes.
 *
 * Threads: making is one thread's; running is any thread's. */
#ifndef CZ_ENGINE_DEVICE_SELF_TEST_H
#define CZ_ENGINE_DEVICE_SELF_TEST_H

#include "base/pool.h"

typedef struct cz_self_test cz_self_test;

/** Takes a fraction of a second, and for a moment a file of a megabyte in TMPDIR or /tmp. CZ_E_IO:
 * there is no place for it; CZ_E_NOMEM. */
CZ_MUST_CHECK cz_err cz_self_test_create(cz_self_test **out, cz_pool *pool);
void cz_self_test_destroy(cz_self_test *t);

/** On a device that this opens and closes for itself. CZ_E_VERIFY: another proof came out;
 * whatever else the device fails with. */
CZ_MUST_CHECK cz_err cz_self_test_run(const cz_self_test *t, unsigned number);

#endif
