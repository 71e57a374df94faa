/* faults.c: see faults.h. */
#define _GNU_SOURCE
#include "engine/faults.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "filecoin/registry.h"

static bool read_number(const char *text, unsigned *out)
{
    char *end;
    const unsigned long value = strtoul(text, &end, 10);

    *out = (unsigned)value;
    return *text >= '0' && *text <= '9' && *end == '\0' && value < UINT32_MAX;
}

static bool read_kind(const char *text, unsigned *out)
{
    *out = 0;
    if (strcmp(text, "*") == 0)
        return true;
    for (unsigned kind = CZ_KIND_POREP; kind <= CZ_KIND_WINNING; kind++)
        if (strcmp(text, cz_proof_kind_name((cz_proof_kind)kind)) == 0)
            *out = kind;
    return *out != 0;
}

static bool read_sum(const char *text, unsigned *out)
{
    static const char *const names[] = {
        [CZ_SUM_H] = "h",   [CZ_SUM_L] = "l",   [CZ_SUM_A] = "a",
        [CZ_SUM_B1] = "b1", [CZ_SUM_B2] = "b2", [CZ_FAULT_EACH_SUM] = "*"};

    for (*out = CZ_SUM_H; *out <= CZ_FAULT_EACH_SUM; ++*out)
        if (strcmp(text, names[*out]) == 0)
            return true;
    return false;
}

/* "KIND:PARTITION:TIMES", and ":SUM" where there may be one. */
static bool read_fault(char *text, cz_fault *out, bool with_sum)
{
    const char *kind = strsep(&text, ":");
    const char *partition = strsep(&text, ":");
    const char *times = strsep(&text, ":");

    out->partition = UINT32_MAX;
    if (partition == NULL || times == NULL || (text != NULL && !with_sum))
        return false;
    return read_kind(kind, &out->kind) &&
           (strcmp(partition, "*") == 0 || read_number(partition, &out->partition)) &&
           read_number(times, &out->times) && (text == NULL || read_sum(text, &out->sum));
}

static bool read_item(char *item, cz_faults *out)
{
    char *value = strchr(item, '=');

    if (value == NULL)
        return false;
    *value++ = '\0';
    if (strcmp(item, "flip") == 0)
        return read_fault(value, &out->flip, true);
    if (strcmp(item, "nomem") == 0)
        return read_fault(value, &out->nomem, false);
    if (strcmp(item, "synthesis") == 0)
        return read_number(value, &out->synthesis_ms);
    return strcmp(item, "prove") == 0 && read_number(value, &out->prove_ms);
}

cz_err cz_faults_parse(cz_faults *out, const char *text)
{
    char copy[256], *rest = copy, *item;

    *out = (cz_faults){0};
    if (snprintf(copy, sizeof copy, "%s", text) >= (int)sizeof copy)
        return cz_fail(CZ_E_INPUT, "faults: too long");
    while ((item = strsep(&rest, ",")) != NULL)
        if (*item != '\0' && !read_item(item, out))
            return cz_fail(CZ_E_INPUT,
                           "faults: '%s' is none of flip=KIND:PARTITION:TIMES[:SUM], "
                           "nomem=KIND:PARTITION:TIMES, synthesis=MS, prove=MS",
                           text);
    return CZ_OK;
}

bool cz_fault_strikes(cz_fault *fault, unsigned kind, unsigned partition)
{
    if (fault->times == 0 || (fault->kind != 0 && fault->kind != kind) ||
        (fault->partition != UINT32_MAX && fault->partition != partition))
        return false;
    fault->times--;
    return true;
}

void cz_fault_delay(unsigned ms)
{
    const struct timespec t = {ms / 1000, (long)(ms % 1000) * 1000000};

    if (ms > 0)
        (void)nanosleep(&t, NULL);
}

cz_proof_sum cz_fault_sum(const cz_fault *fault)
{
    if (fault->sum != CZ_FAULT_EACH_SUM)
        return (cz_proof_sum)fault->sum;
    return (cz_proof_sum)(CZ_SUM_H + (UINT32_MAX - fault->times) % 5);
}
