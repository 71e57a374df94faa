/* prove_device_plan.c: the device memory of a key: which mode, what lies where, how much it is.
 *
 * Resident comes first, with a table of H's multiples where there is room. Streamed, the memory of
 * one time is that of another: a and b of a partition and the transforms' scratch; a chunk of H,
 * what its sum needs and the quotients of a group; chunks of the other lists, their tails and what
 * their sums need. The bytes of the next chunk have a place of their own, so that they can come
 * meanwhile. */
#include "groth16/prove_device_key.h"

#include <inttypes.h>
#include <string.h>

/* A table of multiples of the H points saves 4 % of a large sum, three save 6 %; they come where
 * there is room. */
enum { H_TABLE_FROM = 1 << 24 };

/* What is tried, best first; 1: none. */
static const unsigned tables_of_h[] = {4, 2, 1};

/* More witnesses share bit sums and, streamed, what comes from the file; more rows share H; both up
 * to these, and before chunks become larger than this. Sums over fewer points than the latter are
 * for memory that is short indeed. */
enum {
    MAX_BATCH = 10,
    MAX_GROUP = 4,
    GOOD_POINTS = 1 << 23,
    FEW_POINTS = 1 << 19,
    LARGE_SCRATCH = 1 << 30
};

static size_t larger(size_t a, size_t b)
{
    return a > b ? a : b;
}

static size_t smaller(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* ---- regions ---- */

/* Where a region's address goes. */
typedef struct {
    cz_arena_map map;
    void **to[CZ_ARENA_MAX_REGIONS];
} placing;

static void place(placing *p, void *to, const char *name, size_t bytes)
{
    p->to[cz_arena_add(&p->map, name, bytes)] = to;
}

static void set_addresses(const placing *p, cz_device_key *key)
{
    key->map = p->map;
    for (unsigned i = 0; i < p->map.n; i++) {
        void *at = cz_arena_at(&p->map, i, key->memory);

        memcpy(p->to[i], &at, sizeof at);
    }
}

/* Elements of `size` bytes in whole 256 bytes, so that every witness is aligned. */
static size_t stride_of(size_t n, size_t size)
{
    const size_t unit = CZ_ARENA_ALIGN / size;

    return (n + unit - 1) / unit * unit;
}

/* What both modes have: of lists' variables, and the witnesses of a batch. */
static void place_witness(placing *p, cz_device_key *key, const cz_device_list *list)
{
    for (int i = 0; i < CZ_DEVICE_VARS; i++) {
        cz_device_vars *v = &key->vars[i];
        const size_t words = list[i].n_words;

        place(p, &v->d_mask, "masks", words * sizeof *v->d_mask);
        place(p, &v->d_ranks, "ranks", words * sizeof *v->d_ranks);
        place(p, &v->d_tail_at, "tail numbers", list[i].n_tail * sizeof *v->d_tail_at);
        if (!key->streams)
            continue;
        place(p, &v->d_dense, "masks of all", words * sizeof *v->d_dense);
        place(p, &v->d_before, "ranks of all", words * sizeof *v->d_before);
    }
    key->plane_stride = stride_of(key->n_words + 1, sizeof *key->d_plane);
    key->values_stride =
        stride_of((size_t)key->n_inputs + key->n_fields + 1, sizeof *key->d_values);
    place(p, &key->d_plane, "witness, bits", key->batch * key->plane_stride * sizeof *key->d_plane);
    place(p, &key->d_values, "witness, fields",
          key->batch * key->values_stride * sizeof *key->d_values);
}

static void count_selection(cz_device_key *key, size_t bits, size_t tail)
{
    key->selected_stride = stride_of(bits / 64 + 2, sizeof *key->d_selected);
    key->selected_bytes = key->batch * key->selected_stride * sizeof *key->d_selected;
    key->scalar_bytes = (tail + 1) * sizeof *key->d_scalars;
}

static unsigned most_witnesses(const cz_device_loading *l)
{
    const unsigned most = l->options->most_partitions;

    return most == 0 ? MAX_BATCH : most < CZ_GPU_MAX_PLANES ? most : CZ_GPU_MAX_PLANES;
}

/* ---- resident ---- */

/* Bit sums of several partitions share their additions, full-width sums do not. */
static bool bits_prevail(const cz_device_loading *l)
{
    size_t bits = 0, tail = 0;

    for (int i = 0; i < CZ_DEVICE_VARS; i++) {
        bits += l->list[i].n_bits;
        tail += l->list[i].n_tail;
    }
    return bits > tail;
}

/* A tail of n points behind what H's sum has, where one sum takes both. */
static bool join(cz_device_loading *l, size_t n)
{
    const size_t asked = l->options->most_h_terms, all = CZ_SUMS_GPU_MAX_TERMS;
    const bool joins = l->key->h_terms + n <= (asked > 0 ? smaller(asked, all) : all);

    if (joins)
        l->key->h_terms += n;
    return joins;
}

static void join_tails(cz_device_loading *l)
{
    cz_device_key *key = l->key;

    key->h_terms = key->hl_file->h.n;
    key->l_joins = join(l, l->list[CZ_DEVICE_L].n_tail);
    key->b1_joins = join(l, l->list[CZ_DEVICE_B].n_tail);
}

/* Full-width sums of H and of the tails, bit sums of the bit parts. */
static void resident_shapes(cz_gpu_sums_shape shapes[CZ_DEVICE_SHAPES], const cz_device_loading *l)
{
    const cz_device_list *list = l->list;

    shapes[0] = (cz_gpu_sums_shape){
        .group = CZ_GPU_G1, .tables = l->key->h_tables, .full_terms = l->key->h_terms};
    shapes[1] = (cz_gpu_sums_shape){.group = CZ_GPU_G1, .tables = 1, .planes = l->key->batch};
    for (int i = 0; i < CZ_DEVICE_VARS; i++) {
        const bool joins =
            (i == CZ_DEVICE_L && l->key->l_joins) || (i == CZ_DEVICE_B && l->key->b1_joins);

        if (!joins)
            shapes[1].full_terms = larger(shapes[1].full_terms, list[i].n_tail);
        shapes[1].bit_terms = larger(shapes[1].bit_terms, list[i].n_bits);
    }
    shapes[2] = (cz_gpu_sums_shape){.group = CZ_GPU_G2,
                                    .tables = 1,
                                    .planes = l->key->batch,
                                    .full_terms = list[CZ_DEVICE_B].n_tail,
                                    .bit_terms = list[CZ_DEVICE_B].n_bits};
}

static const char *name_of_h(const cz_device_key *key)
{
    if (key->l_joins)
        return key->b1_joins ? "h, tails of l and b_g1" : "h, tail of l";
    return key->b1_joins ? "h, tail of b_g1" : "h";
}

static void place_points(placing *p, cz_device_key *key, const cz_device_list *list)
{
    const size_t g1 = sizeof(cz_g1_affine), g2 = sizeof(cz_g2_affine);

    place(p, &key->d_h, name_of_h(key), key->h_tables * key->h_terms * g1);
    place(p, &key->l.d_bits, "l, bits", list[CZ_DEVICE_L].n_bits * g1);
    if (!key->l_joins)
        place(p, &key->l.d_tail, "l, tail", list[CZ_DEVICE_L].n_tail * g1);
    place(p, &key->a.d_bits, "a, bits", list[CZ_DEVICE_A].n_bits * g1);
    place(p, &key->a.d_tail, "a, tail", list[CZ_DEVICE_A].n_tail * g1);
    place(p, &key->b1.d_bits, "b_g1, bits", list[CZ_DEVICE_B].n_bits * g1);
    if (!key->b1_joins)
        place(p, &key->b1.d_tail, "b_g1, tail", list[CZ_DEVICE_B].n_tail * g1);
    place(p, &key->b2.d_bits, "b_g2, bits", list[CZ_DEVICE_B].n_bits * g2);
    place(p, &key->b2.d_tail, "b_g2, tail", list[CZ_DEVICE_B].n_tail * g2);
}

/* Beside those of a: b, c where it is evaluated, and the transforms' scratch. */
static uint64_t shared_rows(const cz_device_key *key)
{
    return (key->is_folded ? 2 : 3) * cz_device_domain(key) * sizeof(cz_fr);
}

static cz_err lay_out_resident(placing *p, cz_device_loading *l,
                               cz_gpu_sums_shape shapes[CZ_DEVICE_SHAPES])
{
    cz_device_key *key = l->key;
    const uint64_t rows = cz_device_domain(key) * sizeof(cz_fr);
    uint64_t scratch_bytes;

    join_tails(l);
    resident_shapes(shapes, l);
    for (int i = 0; i < CZ_DEVICE_SHAPES; i++)
        shapes[i].max_bytes = l->most_scratch;
    CZ_TRY(cz_sums_gpu_bytes(key->gpu, &scratch_bytes, shapes, CZ_DEVICE_SHAPES));
    *p = (placing){.map = {.n = 0}};
    place_points(p, key, l->list);
    place_witness(p, key, l->list);
    if (key->b1_joins)
        place(p, &key->d_r, "r", sizeof *key->d_r);
    count_selection(key, shapes[1].bit_terms, larger(shapes[1].full_terms, shapes[2].full_terms));
    place(p, &key->d_selected, "selected bits", key->selected_bytes);
    place(p, &key->d_scalars, "tail scalars", key->scalar_bytes);
    key->rows_bytes = larger(rows, key->h_terms * sizeof(cz_fr));
    key->shared_bytes = larger(shared_rows(key), scratch_bytes);
    place(p, &key->d_rows, "rows of a", key->rows_bytes);
    place(p, &key->d_shared, key->is_folded ? "b, sums" : "b, c, sums", key->shared_bytes);
    return CZ_OK;
}

/* ---- streamed ---- */

static size_t most_points(const cz_device_loading *l)
{
    size_t most = l->key->hl_file->h.n;

    for (int i = 0; i < CZ_DEVICE_VARS; i++)
        most = larger(most, l->list[i].n_bits + l->list[i].n_tail);
    return larger(most, 2);
}

/* Points of a list's tail that its buffer holds: all, or a chunk's. */
static size_t tail_room(const cz_device_list *list, size_t chunk_points)
{
    return smaller(list->n_tail, chunk_points);
}

static void streamed_shapes(cz_gpu_sums_shape shapes[CZ_DEVICE_SHAPES], const cz_device_loading *l)
{
    const size_t points = l->key->chunk_points;

    shapes[0] = (cz_gpu_sums_shape){
        .group = CZ_GPU_G1, .tables = 1, .full_terms = smaller(points, l->key->hl_file->h.n)};
    shapes[1] = (cz_gpu_sums_shape){.group = CZ_GPU_G1, .tables = 1, .planes = l->key->batch};
    for (int i = 0; i < CZ_DEVICE_VARS; i++) {
        shapes[1].full_terms = larger(shapes[1].full_terms, tail_room(&l->list[i], points));
        shapes[1].bit_terms = larger(shapes[1].bit_terms, smaller(l->list[i].n_bits, points));
    }
    shapes[2] = (cz_gpu_sums_shape){.group = CZ_GPU_G2,
                                    .tables = 1,
                                    .planes = l->key->batch,
                                    .full_terms = tail_room(&l->list[CZ_DEVICE_B], points / 2),
                                    .bit_terms = smaller(l->list[CZ_DEVICE_B].n_bits, points / 2)};
}

/* The lists' sums do with the scratch of H's, where that is large: they could take more to save
 * some milliseconds. */
static cz_err streamed_scratch(const cz_device_key *key, cz_gpu_sums_shape shapes[CZ_DEVICE_SHAPES],
                               uint64_t *bytes)
{
    uint64_t of_h;

    CZ_TRY(cz_sums_gpu_bytes(key->gpu, &of_h, shapes, 1));
    if (of_h >= LARGE_SCRATCH)
        shapes[1].max_bytes = shapes[2].max_bytes = of_h;
    return cz_sums_gpu_bytes(key->gpu, bytes, shapes, CZ_DEVICE_SHAPES);
}

static cz_err lay_out_streamed(placing *p, const cz_device_loading *l,
                               cz_gpu_sums_shape shapes[CZ_DEVICE_SHAPES])
{
    cz_device_key *key = l->key;
    const size_t g1 = sizeof(cz_g1_affine), rows = cz_device_domain(key) * sizeof(cz_fr);
    const size_t chunk_bytes = key->chunk_points * g1;
    uint64_t scratch_bytes;

    streamed_shapes(shapes, l);
    CZ_TRY(streamed_scratch(key, shapes, &scratch_bytes));
    *p = (placing){.map = {.n = 0}};
    place_witness(p, key, l->list);
    place(p, &key->d_mark, "mark", sizeof *key->d_mark);
    place(p, &key->d_bytes, "a chunk's bytes", chunk_bytes);
    place(p, &key->d_to, "places", key->chunk_points * sizeof *key->d_to);
    count_selection(key, shapes[1].bit_terms, shapes[1].full_terms);
    key->tail_points[CZ_GPU_G1] = shapes[1].full_terms;
    key->tail_points[CZ_GPU_G2] = shapes[2].full_terms;
    key->tail_bytes = stride_of(
        larger(shapes[1].full_terms * g1, shapes[2].full_terms * sizeof(cz_g2_affine)), 1);
    key->rows_bytes = larger(key->group * rows, key->tail_bytes + key->scalar_bytes +
                                                    CZ_ARENA_ALIGN + key->selected_bytes);
    key->shared_bytes = larger(2 * rows, stride_of(chunk_bytes, 1) + scratch_bytes);
    place(p, &key->d_rows, "rows, tails", key->rows_bytes);
    place(p, &key->d_shared, "rows, points, sums", key->shared_bytes);
    return CZ_OK;
}

static void set_streamed_addresses(cz_device_key *key)
{
    uint8_t *rows = (uint8_t *)key->d_rows;

    key->d_points = key->d_shared;
    key->d_scalars = (cz_fr *)(void *)(rows + key->tail_bytes);
    key->d_selected =
        (uint64_t *)(void *)(rows + key->tail_bytes + stride_of(key->scalar_bytes, 1));
}

/* Do chunks of that many points fit? *bytes: what they need. */
static bool fits(cz_device_loading *l, size_t points, uint64_t room, uint64_t *bytes)
{
    cz_gpu_sums_shape shapes[CZ_DEVICE_SHAPES];
    placing p;

    l->key->chunk_points = points;
    if (lay_out_streamed(&p, l, shapes) != CZ_OK) /* beyond the sums' limits */
        return false;
    *bytes = p.map.bytes;
    return *bytes <= room;
}

/* The largest chunks of at least `least` points for the key's batch and group; false: there are
 * none. */
static bool fit_points(cz_device_loading *l, size_t least, uint64_t room, uint64_t *bytes)
{
    const size_t all = most_points(l), asked = l->options->most_points;
    const size_t most = asked > 0 ? larger(smaller(asked, all), 2) : all;

    least = smaller(least, most);
    if (!fits(l, least, room, bytes))
        return false;
    for (size_t parts = 1; parts <= all; parts++) {
        const size_t points = smaller((all + parts - 1) / parts, most);

        if (points <= least)
            break;
        if (fits(l, points, room, bytes))
            return true;
    }
    return fits(l, least, room, bytes);
}

/* Most witnesses first, then most rows, then the largest chunks. */
static bool fit_streamed(cz_device_loading *l, size_t least, uint64_t room, uint64_t *bytes)
{
    cz_device_key *key = l->key;

    for (key->batch = most_witnesses(l); key->batch > 0; key->batch--)
        for (key->group = key->batch < MAX_GROUP ? key->batch : MAX_GROUP; key->group > 0;
             key->group--)
            if (fit_points(l, least, room, bytes))
                return true;
    return false;
}

/* ---- choice ---- */

/* In the order of their scalars (prove_device_resident.c). */
static void set_joined_addresses(cz_device_key *key)
{
    cz_g1_affine *at = key->d_h + key->hl_file->h.n;

    if (key->l_joins) {
        key->l.d_tail = at;
        at += key->vars[CZ_DEVICE_L].n_tail;
    }
    if (key->b1_joins)
        key->b1.d_tail = at;
}

static cz_err take_block(cz_device_loading *l, const placing *p,
                         const cz_gpu_sums_shape shapes[CZ_DEVICE_SHAPES])
{
    cz_device_key *key = l->key;
    const size_t before = key->streams ? stride_of(key->chunk_points * sizeof(cz_g1_affine), 1) : 0;
    cz_err err;

    CZ_TRY(
        cz_gpu_take(key->gpu, CZ_GPU_DEVICE_MEMORY, &key->memory, p->map.bytes, key->circuit_id));
    set_addresses(p, key);
    if (key->streams)
        set_streamed_addresses(key);
    else
        set_joined_addresses(key);
    err = cz_sums_gpu_create(key->gpu, &key->sums, shapes, CZ_DEVICE_SHAPES,
                             (uint8_t *)key->d_shared + before);
    if (err != CZ_OK) {
        cz_gpu_give_back(key->gpu, key->memory);
        key->memory = NULL;
    }
    return err;
}

/* CZ_E_NOMEM with the bytes needed where `room` is not enough. */
static cz_err plan_resident(cz_device_loading *l, unsigned h_tables, unsigned batch, uint64_t room,
                            uint64_t *bytes)
{
    cz_gpu_sums_shape shapes[CZ_DEVICE_SHAPES];
    placing p;

    l->key->streams = false;
    l->key->batch = batch;
    l->key->h_tables = h_tables;
    CZ_TRY(lay_out_resident(&p, l, shapes));
    *bytes = p.map.bytes;
    return *bytes <= room ? take_block(l, &p, shapes) : CZ_E_NOMEM;
}

static cz_err plan_streamed(cz_device_loading *l, uint64_t room, uint64_t *bytes)
{
    cz_gpu_sums_shape shapes[CZ_DEVICE_SHAPES];
    size_t least = GOOD_POINTS;
    placing p;

    l->key->streams = true;
    while (!fit_streamed(l, least, room, bytes)) {
        if (least <= FEW_POINTS)
            return CZ_E_NOMEM;
        least /= 4;
    }
    CZ_TRY(lay_out_streamed(&p, l, shapes));
    return take_block(l, &p, shapes);
}

/* With the scratch that is left for the sums: they go in more chunks. Behind a plan without a
 * limit, for one partition, whose bytes are *bytes. */
static cz_err plan_with_less_scratch(cz_device_loading *l, uint64_t room, uint64_t *bytes)
{
    const uint64_t others = *bytes - l->key->shared_bytes, fastest = *bytes;
    cz_err err = CZ_E_DECLINED;

    if (others + shared_rows(l->key) + CZ_ARENA_ALIGN < room) {
        l->most_scratch = (room - others) / CZ_ARENA_ALIGN * CZ_ARENA_ALIGN;
        err = plan_resident(l, 1, 1, room, bytes);
        l->most_scratch = 0;
    }
    if (err == CZ_E_DECLINED) {
        *bytes = fastest;
        return CZ_E_NOMEM;
    }
    return err;
}

static bool lacks_memory(cz_err err)
{
    return err == CZ_E_NOMEM || err == CZ_E_DECLINED;
}

/* What lists on their way take of the device lies beside the block, while there is one. Without
 * room for that, the plans are made for the bytes that they need. */
static cz_err try_resident(cz_device_loading *l, uint64_t *bytes)
{
    const unsigned batch = bits_prevail(l) ? most_witnesses(l) : 1;
    cz_err err = cz_points_gpu_create(l->key->gpu, &l->points, l->key->params);
    uint64_t room = 0;

    if (err != CZ_OK && !lacks_memory(err))
        return err;
    if (err == CZ_OK)
        room = cz_gpu_budget_left(l->key->gpu);
    err = CZ_E_NOMEM;
    for (size_t i = 0; i < sizeof tables_of_h / sizeof *tables_of_h; i++)
        if (lacks_memory(err) && (tables_of_h[i] == 1 || l->key->hl_file->h.n >= H_TABLE_FROM))
            err = plan_resident(l, tables_of_h[i], batch, room, bytes);
    if (err == CZ_E_NOMEM && batch > 1)
        err = plan_resident(l, 1, 1, room, bytes);
    if (err == CZ_E_NOMEM)
        err = plan_with_less_scratch(l, room, bytes);
    *bytes += cz_points_gpu_bytes(l->key->params);
    if (err != CZ_OK) {
        cz_points_gpu_destroy(l->points);
        l->points = NULL;
    }
    return err;
}

/* Where the budget would do, the device has said what it lacks. */
static cz_err refuse(const cz_device_loading *l, uint64_t resident, uint64_t streamed)
{
    const cz_device_key *key = l->key;
    const uint64_t left = cz_gpu_budget_left(key->gpu);
    const uint64_t least = l->options->mode == CZ_DEVICE_KEY_RESIDENT ? resident : streamed;

    cz_gpu_note_lack(least > left);
    if (least <= left)
        return CZ_E_NOMEM;
    if (l->options->mode == CZ_DEVICE_KEY_RESIDENT)
        return cz_fail(CZ_E_NOMEM,
                       "%s on a device: %" PRIu64
                       " bytes are needed with its parameters resident, the budget has %" PRIu64
                       " left",
                       key->circuit_id, resident, left);
    if (l->options->mode == CZ_DEVICE_KEY_STREAMED)
        return cz_fail(CZ_E_NOMEM,
                       "%s on a device: %" PRIu64
                       " bytes are needed with its parameters streamed, the budget has %" PRIu64
                       " left",
                       key->circuit_id, streamed, left);
    return cz_fail(CZ_E_NOMEM,
                   "%s on a device: %" PRIu64
                   " bytes are needed with its parameters resident, %" PRIu64
                   " with them streamed, the budget has %" PRIu64 " left",
                   key->circuit_id, resident, streamed, left);
}

/* Both once more where the device lacked what the budget had, which then shrinks
 * (gpu/device_budget.h). */

static cz_err resident_as_fits(cz_device_loading *l, uint64_t *bytes)
{
    uint64_t left;
    cz_err err;

    do {
        left = cz_gpu_budget_left(l->key->gpu);
        err = try_resident(l, bytes);
    } while (lacks_memory(err) && cz_gpu_budget_left(l->key->gpu) < left);
    return err;
}

static cz_err streamed_as_fits(cz_device_loading *l, uint64_t *bytes)
{
    uint64_t left;
    cz_err err;

    do {
        left = cz_gpu_budget_left(l->key->gpu);
        err = plan_streamed(l, left, bytes);
    } while (lacks_memory(err) && cz_gpu_budget_left(l->key->gpu) < left);
    return err;
}

cz_err cz_device_plan(cz_device_loading *l)
{
    const cz_device_key_mode mode = l->options->mode;
    uint64_t resident = 0, streamed = 0;
    cz_err err = CZ_E_NOMEM;

    if (mode != CZ_DEVICE_KEY_STREAMED)
        err = resident_as_fits(l, &resident);
    if (lacks_memory(err) && mode != CZ_DEVICE_KEY_RESIDENT)
        err = streamed_as_fits(l, &streamed);
    return err == CZ_E_NOMEM ? refuse(l, resident, streamed) : err;
}
