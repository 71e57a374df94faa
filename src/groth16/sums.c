/* sums.c: the four sums over the witness: L, A, B1 and B2. */
#include "groth16/list_sum.h"
#include "groth16/stages.h"

cz_err cz_stage_split(cz_proof_job *job)
{
    cz_span span = cz_trace_begin(job->trace, CZ_PHASE_PREP_MSM, job->options.partition);
    cz_err err = cz_split_make(&job->inputs, job->w->inputs, job->w->n_inputs, job->pool);

    if (err == CZ_OK)
        err = cz_split_make(&job->aux, job->w->aux, job->w->n_aux, job->pool);
    cz_trace_end(&span);
    return err;
}

static cz_list_part aux_part(const cz_proof_job *job, const uint64_t *density)
{
    return (cz_list_part){job->w->aux, &job->aux, density, job->w->n_aux, job->aux_classes};
}

/* A list over inputs and aux; the densities are NULL where every variable has a point. */
static cz_list_sum both_sum(const cz_proof_job *job, const cz_point_list *list,
                            const uint64_t *dens_input, const uint64_t *dens_aux)
{
    return (cz_list_sum){
        .params = job->key->params,
        .list = list,
        .parts = {{job->w->inputs, &job->inputs, dens_input, job->w->n_inputs, NULL},
                  aux_part(job, dens_aux)},
        .n_parts = 2,
        .partition = job->options.partition,
        .ones_phase = CZ_PHASE_BATCH_ADD,
        .tail_phase = CZ_PHASE_TAIL_MSM,
        .tail_max = cz_key_h_chunk(job->key->log_n)};
}

static cz_list_sum l_sum(const cz_proof_job *job)
{
    return (cz_list_sum){.params = job->key->params,
                         .list = &job->key->params->l,
                         .parts = {aux_part(job, NULL)},
                         .n_parts = 1,
                         .partition = job->options.partition,
                         .ones_phase = CZ_PHASE_BATCH_ADD,
                         .tail_phase = CZ_PHASE_TAIL_MSM,
                         .tail_max = cz_key_h_chunk(job->key->log_n)};
}

static cz_list_sum a_sum(const cz_proof_job *job)
{
    return both_sum(job, &job->key->params->a, NULL, job->w->dens_a_aux);
}

static cz_list_sum b1_sum(const cz_proof_job *job)
{
    return both_sum(job, &job->key->params->b_g1, job->w->dens_b_input, job->w->dens_b_aux);
}

static cz_list_sum b2_sum(const cz_proof_job *job)
{
    cz_list_sum sum = b1_sum(job);

    sum.list = &job->key->params->b_g2;
    sum.ones_phase = CZ_PHASE_B_G2_MSM;
    sum.tail_phase = CZ_PHASE_B_G2_MSM;
    sum.tail_max /= 2; /* points are twice as large */
    return sum;
}

cz_err cz_stage_l(cz_proof_job *job)
{
    cz_list_sum sum = l_sum(job);

    return cz_list_sum_g1(&job->l, &sum, job->pool, job->trace);
}

cz_err cz_stage_a(cz_proof_job *job)
{
    cz_list_sum sum = a_sum(job);

    return cz_list_sum_g1(&job->a, &sum, job->pool, job->trace);
}

cz_err cz_stage_b1(cz_proof_job *job)
{
    cz_list_sum sum = b1_sum(job);

    return cz_list_sum_g1(&job->b1, &sum, job->pool, job->trace);
}

cz_err cz_stage_b2(cz_proof_job *job)
{
    cz_list_sum sum = b2_sum(job);

    return cz_list_sum_g2(&job->b2, &sum, job->options.b2_serial ? NULL : job->pool, job->trace);
}

static cz_err check_list(const cz_list_sum *sum, const char *section)
{
    uint64_t wanted = cz_list_sum_points(sum);

    if (wanted == sum->list->n)
        return CZ_OK;
    return cz_fail(CZ_E_INPUT, "%s: %s has %lu points, but the circuit needs %lu",
                   sum->params->path, section, (unsigned long)sum->list->n, (unsigned long)wanted);
}

static uint64_t domain_size(uint64_t n_rows)
{
    uint64_t n = 1;

    while (n < n_rows)
        n *= 2;
    return n;
}

cz_err cz_stage_check(const cz_proof_job *job)
{
    const cz_params *p = job->key->params;
    const cz_assignment *w = job->w;
    uint64_t n = domain_size(w->n_rows);
    cz_list_sum l = l_sum(job), a = a_sum(job), b1 = b1_sum(job), b2 = b2_sum(job);

    if (p->vk.n_ic != w->n_inputs)
        return cz_fail(CZ_E_INPUT, "%s: ic has %lu points, but the circuit has %lu inputs", p->path,
                       (unsigned long)p->vk.n_ic, (unsigned long)w->n_inputs);
    if (n != (uint64_t)1 << job->key->log_n)
        return cz_fail(CZ_E_INPUT, "%s: h is for a domain of 2^%u, but the circuit has %lu rows",
                       p->path, job->key->log_n, (unsigned long)w->n_rows);
    if (w->row_capacity < n)
        return cz_fail(CZ_E_INPUT, "assignment: room for %lu rows, the domain has %lu",
                       (unsigned long)w->row_capacity, (unsigned long)n);
    CZ_TRY(check_list(&l, "l"));
    CZ_TRY(check_list(&a, "a"));
    CZ_TRY(check_list(&b1, "b_g1"));
    return check_list(&b2, "b_g2");
}
