/* match.c: does a parameter file belong to a circuit?
 *
 * The lists' counts decide: they differ between any two circuits of the network. The table is
 * circuit-digests.json of the golden vectors (inputs, aux, inputs + dens_a_aux, dens_b_input +
 * dens_b_aux, and the smallest domain for constraints + inputs); tests/unit/params compares it. */
#include <inttypes.h>
#include <stdio.h>

#include "params/params.h"

typedef struct {
    const char *id;
    uint32_t ic, l, a, b;
    unsigned log_domain; /* h has 2^log_domain - 1 points */
} shape;

/* clang-format off */
static const shape known[] = {
    {"porep-2k", 40, 2685673, 2674948, 685522, 22},
    {"porep-4k", 40, 2786423, 2773198, 716040, 22},
    {"porep-16k", 40, 2974867, 2959970, 766964, 22},
    {"porep-32k", 40, 3075617, 3058220, 797482, 22},
    {"porep-8m", 40, 3842449, 3815036, 1011290, 22},
    {"porep-16m", 40, 3943199, 3913286, 1041808, 22},
    {"porep-512m", 40, 4420837, 4385080, 1174174, 23},
    {"porep-1g", 40, 4521587, 4483330, 1204692, 23},
    {"porep-32g", 328, 130169893, 129753620, 33112282, 27},
    {"porep-64g", 328, 131076643, 130637870, 33386944, 27},
    {"snap-2k", 5, 1703569, 1697194, 444404, 21},
    {"snap-4k", 5, 2163189, 2155234, 564064, 22},
    {"snap-16k", 5, 6293944, 6284887, 1613423, 23},
    {"snap-32k", 5, 6753564, 6742927, 1733083, 23},
    {"snap-8m", 5, 9998039, 9981020, 2567922, 24},
    {"snap-16m", 5, 10457659, 10439060, 2687582, 24},
    {"snap-512m", 5, 57401314, 57212322, 14916880, 26},
    {"snap-32g", 5, 80978488, 80743586, 20983608, 27},
    {"snap-64g", 5, 84931220, 84682730, 22012684, 27},
    {"snap-poseidon-2k", 5, 36834, 27935, 26698, 16},
    {"snap-poseidon-4k", 5, 46254, 35015, 33718, 16},
    {"snap-poseidon-16k", 5, 104194, 78905, 75358, 17},
    {"snap-poseidon-32k", 5, 123034, 93065, 89398, 17},
    {"snap-poseidon-8m", 5, 400248, 303021, 289454, 19},
    {"snap-poseidon-16m", 5, 438495, 331829, 318022, 19},
    {"snap-poseidon-512m", 5, 18165337, 13752381, 13137302, 25},
    {"snap-poseidon-32g", 5, 22593319, 17104397, 16340710, 25},
    {"snap-poseidon-64g", 5, 23889511, 18078605, 17306662, 25},
    {"winning-2k", 133, 91674, 69433, 66793, 17},
    {"winning-4k", 133, 112464, 85075, 82303, 17},
    {"winning-16k", 133, 127116, 96295, 92467, 17},
    {"winning-32k", 133, 147906, 111937, 107977, 18},
    {"winning-8m", 133, 233442, 176881, 169489, 18},
    {"winning-512m", 133, 304326, 230605, 220837, 19},
    {"winning-32g", 133, 375210, 284329, 272185, 19},
    {"winning-64g", 133, 396000, 299971, 287695, 19},
    {"wpost-2k", 23, 22128, 16793, 16029, 15},
    {"wpost-4k", 23, 28428, 21533, 20729, 15},
    {"wpost-16k", 23, 32868, 24933, 23809, 15},
    {"wpost-32k", 23, 39168, 29673, 28509, 16},
    {"wpost-8m", 23, 65088, 49353, 47149, 16},
    {"wpost-512m", 23, 86568, 65633, 62709, 17},
    {"wpost-32g", 25840, 126902376, 96205645, 91925767, 27},
    {"wpost-64g", 25301, 131500200, 99649801, 95413201, 27},
};
/* clang-format on */

static bool has_shape(const cz_params *p, const shape *s)
{
    return p->vk.n_ic == s->ic && p->l.n == s->l && p->a.n == s->a && p->b_g1.n == s->b &&
           p->b_g2.n == s->b && p->h.n == ((uint64_t)1 << s->log_domain) - 1;
}

const char *cz_params_circuit_id(const cz_params *p)
{
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
        if (has_shape(p, &known[i]))
            return known[i].id;
    return NULL;
}

static uint64_t domain_size(const cz_circuit_stats *stats)
{
    uint64_t n = 1;

    while (n < stats->constraints + stats->inputs)
        n *= 2;
    return n;
}

static cz_err refuse(const cz_params *p, const char *circuit_id, const char *section, uint64_t has,
                     uint64_t wanted)
{
    const char *other = cz_params_circuit_id(p);
    char belongs[96] = "belongs to another circuit";

    if (other != NULL)
        (void)snprintf(belongs, sizeof belongs, "belongs to circuit %s", other);
    return cz_fail(CZ_E_INPUT, "%s: %s, not %s: %s has %" PRIu64 " points, %" PRIu64 " expected",
                   p->path, belongs, circuit_id, section, has, wanted);
}

cz_err cz_params_match(const cz_params *p, const cz_circuit_stats *stats, const char *circuit_id)
{
    const struct {
        const char *section;
        uint64_t has, wanted;
    } counts[] = {
        {"ic", p->vk.n_ic, stats->inputs},
        {"h", p->h.n, domain_size(stats) - 1},
        {"l", p->l.n, stats->aux},
        {"a", p->a.n, stats->inputs + stats->dens_a_aux},
        {"b_g1", p->b_g1.n, stats->dens_b_input + stats->dens_b_aux},
        {"b_g2", p->b_g2.n, stats->dens_b_input + stats->dens_b_aux},
    };

    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++)
        if (counts[i].has != counts[i].wanted)
            return refuse(p, circuit_id, counts[i].section, counts[i].has, counts[i].wanted);
    return CZ_OK;
}
