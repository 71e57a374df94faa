/* device_bench.h: devices as the engine's provers, on the host's stand-in, with faults that tests
 * order; toy circuits and an engine to prove with. On a device with CUZK_TEST_CUDA. */
#ifndef CZ_TESTS_DEVICE_BENCH_H
#define CZ_TESTS_DEVICE_BENCH_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* nanosleep; this header comes first */
#endif

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "../filecoin/golden_request.h"
#include "../filecoin/host_post.h"
#include "../groth16/golden_params.h"
#include "../groth16/host_prover.h"
#include "../groth16/toy_key.h"
#include "cs/compile.h"
#include "engine/device_prover.h"
#include "engine/engine.h"
#include "engine/filecoin_prover.h"
#include "host_gpu.h"

/* ---- devices to order faults of ---- */

enum { MOST_DEVICES = 4 };

static int n_devices;               /* so many there are */
static atomic_uint marks, failures; /* marks that proofs set; so many of the next ones fail */
static atomic_uint marks_of[MOST_DEVICES];
static bool broken[MOST_DEVICES], wrong[MOST_DEVICES]; /* fails every time; computes otherwise */

static inline void pause_ms(unsigned ms)
{
    const struct timespec t = {ms / 1000, (long)(ms % 1000) * 1000000};

    (void)nanosleep(&t, NULL);
}

/* Opened devices, by number. */
static pthread_mutex_t opened_lock = PTHREAD_MUTEX_INITIALIZER;
static struct {
    cz_gpu *gpu;
    int number;
} opened[64];

static inline int number_of(const cz_gpu *gpu)
{
    int number = -1;

    (void)pthread_mutex_lock(&opened_lock);
    for (size_t i = 0; i < sizeof opened / sizeof *opened; i++)
        if (opened[i].gpu == gpu)
            number = opened[i].number;
    (void)pthread_mutex_unlock(&opened_lock);
    assert_true(number >= 0);
    return number;
}

static inline cz_err numbered_open(cz_gpu **out, int number, uint64_t budget)
{
    size_t i = 0;

    if (number >= n_devices)
        return cz_fail(CZ_E_NODEV, "no CUDA device %d: there are %d", number, n_devices);
    CZ_TRY(host_open(out, number, budget));
    (void)pthread_mutex_lock(&opened_lock);
    while (opened[i].gpu != NULL)
        i++;
    opened[i].gpu = *out;
    opened[i].number = number;
    (void)pthread_mutex_unlock(&opened_lock);
    return CZ_OK;
}

static inline void numbered_close(cz_gpu *gpu)
{
    (void)pthread_mutex_lock(&opened_lock);
    for (size_t i = 0; i < sizeof opened / sizeof *opened; i++)
        if (opened[i].gpu == gpu)
            opened[i].gpu = NULL;
    (void)pthread_mutex_unlock(&opened_lock);
    host_close(gpu);
}

static inline cz_err flaky_record(cz_gpu *gpu, cz_gpu_event *event, cz_gpu_queue queue)
{
    const int number = number_of(gpu);

    marks++;
    marks_of[number]++;
    if (failures > 0 || broken[number]) {
        failures -= failures > 0;
        return cz_fail(CZ_E_CUDA, "device %d: a launch failed (ordered by a test)", number);
    }
    return host_event_record(gpu, event, queue);
}

/* A value that is not the one that was asked for. */
static inline cz_err wrong_select(cz_gpu *gpu, void *out, const void *values, const uint32_t *at,
                                  size_t n)
{
    CZ_TRY(host_select_values(gpu, out, values, at, n));
    if (n > 0 && wrong[number_of(gpu)])
        cz_fr_dbl(out, out);
    return CZ_OK;
}

/* By number: a mark waits there, five minutes at most; it does just now. Loading sets marks, too.
 */
static atomic_bool holds[MOST_DEVICES], held[MOST_DEVICES];

static inline cz_err slow_record(cz_gpu *gpu, cz_gpu_event *event, cz_gpu_queue queue)
{
    const int number = number_of(gpu);

    held[number] = holds[number];
    for (unsigned i = 0; i < 60000 && holds[number]; i++)
        pause_ms(5);
    held[number] = false;
    return flaky_record(gpu, event, queue);
}

static bool memory_is_taken; /* by others: the device has none */

static inline cz_err scarce_take(cz_gpu *gpu, cz_gpu_memory where, void **out, size_t bytes,
                                 const char *what)
{
    if (memory_is_taken && where == CZ_GPU_DEVICE_MEMORY) {
        host_refused = 0;
        return cz_fail(CZ_E_NOMEM, "device 0: %s: %zu bytes are not there", what, bytes);
    }
    return host_take(gpu, where, out, bytes, what);
}

static atomic_uint posts; /* witnesses made on devices */

static inline cz_err counted_post(cz_gpu *gpu, const struct cz_post_device *post)
{
    posts++;
    return host_post_witness(gpu, post);
}

static atomic_uint products; /* on the coset, as folded keys want them */

static inline cz_err counted_product(cz_gpu_ntt *ntt, void *a, void *b, void *scratch)
{
    products++;
    return host_ntt_coset_product(ntt, a, b, scratch);
}

static inline cz_err count_devices(int *out)
{
    *out = n_devices;
    return CZ_OK;
}

static inline cz_err no_devices(int *out)
{
    (void)out;
    return cz_fail(CZ_E_NODEV, "no CUDA device (ordered by a test)");
}

static inline bool is_real(void)
{
    return getenv("CUZK_TEST_CUDA") != NULL;
}

static inline void use_stand_ins(int n)
{
    if (is_real())
        return;
    host_prover_use();
    host_gpu_table.take = scarce_take;
    host_gpu_table.event_record = slow_record;
    host_gpu_table.select_values = wrong_select;
    host_gpu_table.post_witness = counted_post;
    host_gpu_table.ntt_coset_product = counted_product;
    host_gpu_table.count = count_devices;
    host_gpu_table.open = numbered_open;
    host_gpu_table.close = numbered_close;
    cz_gpu_use(&host_gpu_table);
    n_devices = n;
    marks = failures = posts = products = 0;
    memory_is_taken = false;
    for (unsigned i = 0; i < MOST_DEVICES; i++) {
        marks_of[i] = 0;
        holds[i] = held[i] = false;
    }
    memset(broken, 0, sizeof broken);
    memset(wrong, 0, sizeof wrong);
}

static inline void use_stand_in(void)
{
    use_stand_ins(1);
}

/* --- toy circuits --- */

typedef struct {
    toy_key key;
    cz_compiled *compiled;
    cz_bit_witness w;
    cz_device_circuit circuit;
} subject;

static inline void subject_init(subject *s, const char *name)
{
    toy_key_init(&s->key, toy_make(8, 100, 70), name, NULL);
    assert_ok(cz_circuit_compile(&s->compiled, &s->key.toy.base, NULL));
    assert_ok(cz_bit_witness_synthesize(&s->w, s->compiled, &s->key.toy.base));
    s->circuit = (cz_device_circuit){.params = &s->key.params, .circuit = s->compiled};
}

static inline void subject_free(subject *s)
{
    cz_bit_witness_clear(&s->w);
    cz_compiled_destroy(s->compiled);
    toy_key_free(&s->key);
}

static bool was_folded; /* the last proof */

static inline cz_err prove(cz_device_prover *d, const subject *s, cz_proof *proof)
{
    const cz_device_partition part = {.w = &s->w};

    return cz_device_prover_prove(d, &s->circuit, &part, 1, NULL, proof, &was_folded);
}

/* A proof by a thread of its own. */
typedef struct {
    cz_device_prover *d;
    const subject *s;
    pthread_t thread;
    cz_err err;
} call;

static inline void *prove_in_thread(void *ctx)
{
    call *c = ctx;
    cz_proof proof;

    c->err = prove(c->d, c->s, &proof);
    return NULL;
}

static inline void assert_proves(cz_device_prover *d, const subject *s)
{
    cz_proof proof;

    assert_ok(prove(d, s, &proof));
    assert_ok(cz_groth16_verify(s->key.verifier, &proof, s->w.inputs + 1, s->w.n_inputs - 1));
}

/* --- through the engine --- */

typedef struct {
    cz_filecoin_prover *prover;
    cz_backend backends[CZ_MOST_BACKENDS];
    cz_engine *e;
} bench;

static const char *param_cache = "golden-params";

static inline void make_prover(bench *b, const cz_device_options *devices)
{
    const cz_filecoin_prover_options options = {.param_cache = param_cache,
                                                .circuit_cache = "circuits"};

    assert_ok(cz_filecoin_prover_create(&b->prover, &options));
    assert_ok(cz_filecoin_prover_open_devices(b->prover, devices));
}

/* One engine with these devices. */
static inline void start_with(bench *b, const cz_device_options *options)
{
    cz_engine_options o = cz_engine_defaults();

    make_prover(b, options);
    o.prover = cz_filecoin_prover_table(b->prover);
    o.backends = b->backends;
    o.n_backends = cz_filecoin_backends(b->prover, b->backends);
    assert_string_equal(b->backends[0].name, "cuda");
    assert_string_equal(b->backends[o.n_backends - 1].name, "cpu");
    assert_ok(cz_engine_create(&b->e, &o));
    assert_ok(cz_engine_start(b->e));
}

static inline void start(bench *b, uint64_t vram_budget)
{
    const cz_device_options options = {.vram_budget = vram_budget,
                                       .pinned_limit = (uint64_t)1 << 26,
                                       .workers = 2,
                                       .required = true};

    start_with(b, &options);
}

static inline void finish(bench *b)
{
    cz_engine_destroy(b->e);
    cz_filecoin_prover_destroy(b->prover);
}

/* Ask for the proof of a golden case under an id of its own. */
static inline cz_submit_reply submit(bench *b, const char *case_name, const char *id)
{
    const cz_submit_options options = {0};
    cz_submit_reply reply;
    cz_request *r = golden_request(case_name);

    free(r->request_id);
    r->request_id = strdup(id);
    assert_ok(cz_engine_submit(b->e, r, &options, &reply));
    return reply;
}

/* The engine verifies what it gives. */
static inline void assert_proved(bench *b, const cz_submit_reply *reply)
{
    cz_result result;

    assert_ok(cz_engine_await(b->e, reply->job_id, 120000, &result));
    if (result.error != NULL)
        print_error("%s\n", result.error);
    assert_int_equal(result.status, CZ_JOB_COMPLETED);
    assert_int_equal(result.proof_len, CZ_PROOF_BYTES);
    cz_result_clear(&result);
}

static inline void assert_engine_proves(bench *b, const char *case_name, const char *id)
{
    const cz_submit_reply reply = submit(b, case_name, id);

    assert_proved(b, &reply);
}

static inline void make_params(const char *case_name)
{
    char params[512], vk[512];
    cz_pool *pool;

    assert_ok(cz_pool_create(&pool, 0));
    golden_params(case_name, params, vk, pool);
    cz_pool_destroy(pool);
}

#endif
