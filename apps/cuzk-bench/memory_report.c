/* memory_report.c: see memory_report.h. */
#include "memory_report.h"

#include <stdio.h>

static void print_row(const char *name, const size_t bytes[CZ_MEMORY_STAGES])
{
    (void)printf("  %-28s", name);
    for (int i = 0; i < CZ_MEMORY_STAGES; i++)
        (void)printf(" %14zu", bytes[i]);
    (void)printf("\n");
}

void memory_print(const cz_prove_memory *m)
{
    (void)printf("  %-28s", "bytes while computing");
    for (int i = 0; i < CZ_MEMORY_STAGES; i++)
        (void)printf(" %14s", cz_memory_stage_name((cz_memory_stage)i));
    (void)printf("\n");
    for (int i = 0; i < CZ_MEMORY_PARTS; i++)
        print_row(m->parts[i].name, m->parts[i].bytes);
    print_row("all", m->total);
    (void)printf("  at most %zu bytes, %.2f GiB\n", m->peak, (double)m->peak / (1 << 30));
}

static void json_row(json_out *j, const char *name, const size_t bytes[CZ_MEMORY_STAGES])
{
    json_array(j, name);
    for (int i = 0; i < CZ_MEMORY_STAGES; i++)
        json_uint(j, NULL, bytes[i]);
    json_close(j);
}

void memory_json(json_out *j, const cz_prove_memory *m)
{
    json_object(j, "memory");
    json_array(j, "stages");
    for (int i = 0; i < CZ_MEMORY_STAGES; i++)
        json_text(j, NULL, cz_memory_stage_name((cz_memory_stage)i));
    json_close(j);
    for (int i = 0; i < CZ_MEMORY_PARTS; i++)
        json_row(j, m->parts[i].name, m->parts[i].bytes);
    json_row(j, "all", m->total);
    json_uint(j, "peak_bytes", m->peak);
    json_close(j);
}
