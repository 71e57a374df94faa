/* folded.c: the frame of folded files: header, identity, opening, and the beginning of writing. */
#include "params/folded.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "hash/sha256.h"
#include "params/frame.h"

static const char magic[] = "cuzkfold";
static const char extension[] = ".params";

enum {
    MAGIC_BYTES = sizeof magic - 1,
    VERSION_AT = MAGIC_BYTES,
    LOG_N_AT = VERSION_AT + 4,
    INPUTS_AT = LOG_N_AT + 4,
    AUX_AT = INPUTS_AT + 4,
    ID_AT = AUX_AT + 4,
    IDENTITY_AT = ID_AT + CZ_COMPILED_ID_MAX,
    BITMAP_AT = IDENTITY_AT + CZ_FOLDED_IDENTITY_BYTES,
    CHECKSUM_BYTES = 32,
    LEAST_BYTES = BITMAP_AT + CHECKSUM_BYTES,
    N_LISTS = 2
};

char *cz_folded_path(const char *params_path)
{
    const size_t n = strlen(params_path), n_ext = strlen(extension);
    const bool has_it = n > n_ext && strcmp(params_path + n - n_ext, extension) == 0;
    const size_t stem = has_it ? n - n_ext : n;
    char *path = malloc(stem + sizeof ".folded");

    if (path == NULL)
        return NULL;
    memcpy(path, params_path, stem);
    memcpy(path + stem, ".folded", sizeof ".folded");
    return path;
}

/* ---- identity ---- */

static cz_err hash_range(cz_sha256 *s, const cz_params *p, size_t offset, size_t n)
{
    uint8_t bytes[16 << 10];

    while (n > 0) {
        const size_t now = n < sizeof bytes ? n : sizeof bytes;

        CZ_TRY(cz_params_read(p, bytes, offset, now));
        cz_sha256_update(s, bytes, now);
        offset += now;
        n -= now;
    }
    return CZ_OK;
}

static cz_err hash_ends(cz_sha256 *s, const cz_params *p, const cz_point_list *list)
{
    const size_t at = (size_t)(list->bytes - p->map), each = CZ_G1_UNCOMPRESSED_BYTES;

    if (list->n == 0)
        return CZ_OK;
    CZ_TRY(hash_range(s, p, at, each));
    return hash_range(s, p, at + (list->n - (size_t)1) * each, each);
}

cz_err cz_folded_identity(uint8_t out[CZ_FOLDED_IDENTITY_BYTES], const cz_params *of)
{
    const uint32_t counts[] = {of->h.n, of->l.n, of->a.n, of->b_g1.n, of->b_g2.n};
    cz_sha256 s;

    cz_sha256_init(&s);
    CZ_TRY(hash_range(&s, of, 0, cz_vk_bytes(&of->vk)));
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++) {
        uint8_t count[4];

        cz_store_be32(count, counts[i]);
        cz_sha256_update(&s, count, sizeof count);
    }
    CZ_TRY(hash_ends(&s, of, &of->h));
    CZ_TRY(hash_ends(&s, of, &of->l));
    cz_sha256_final(&s, out);
    return CZ_OK;
}

/* ---- sizes ---- */

static size_t header_bytes(uint32_t n_inputs)
{
    return BITMAP_AT + 8 * cz_folded_bitmap_words(n_inputs) + CHECKSUM_BYTES;
}

static uint64_t count_bits(const uint64_t *words, size_t n)
{
    uint64_t bits = 0;

    for (size_t i = 0; i < n; i++)
        bits += (uint64_t)__builtin_popcountll(words[i]);
    return bits;
}

uint64_t cz_folded_l_points(const cz_folded_shape *shape)
{
    return count_bits(shape->input_has_point, cz_folded_bitmap_words(shape->n_inputs)) +
           shape->n_aux;
}

uint64_t cz_folded_bytes(const cz_folded_shape *shape)
{
    const uint64_t points = ((uint64_t)1 << shape->log_n) + cz_folded_l_points(shape);

    return header_bytes(shape->n_inputs) + N_LISTS * 4 + points * CZ_G1_UNCOMPRESSED_BYTES;
}

/* The bitmap has no bit for an input that is none. */
static bool bitmap_is_clean(const uint64_t *words, uint32_t n_inputs)
{
    return n_inputs % 64 == 0 || words[n_inputs / 64] >> (n_inputs % 64) == 0;
}

/* ---- opening ---- */

static cz_err bad(const cz_folded *f, const char *field, const char *why)
{
    return cz_fail(CZ_E_INPUT, "%s: %s: %s", f->file.path, field, why);
}

static cz_err refuse_foreign(const cz_params *file)
{
    CZ_TRY(cz_frame_refuse_foreign(file->path, "folded file", file->map, file->map_bytes,
                                   LEAST_BYTES));
    if (memcmp(file->map, magic, MAGIC_BYTES) != 0)
        return cz_fail(CZ_E_INPUT, "%s: not a folded file: it does not begin with '%s'", file->path,
                       magic);
    return CZ_OK;
}

static cz_err check_version(const cz_params *file)
{
    const uint32_t version = cz_load_le32(file->map + VERSION_AT);

    if (version != CZ_FOLDED_VERSION)
        return cz_fail(CZ_E_UNSUPPORTED,
                       "%s: version: %" PRIu32
                       ", this program knows %d (cuzk-bench params fold makes the file anew)",
                       file->path, version, CZ_FOLDED_VERSION);
    return CZ_OK;
}

/* From here on the fields are what somebody wrote on purpose. The number of inputs gives the
 * header's length, and so is read only here: where a file is written in place, it could be another
 * later. */
static cz_err check_sum(cz_folded *f)
{
    const cz_params *file = &f->file;
    uint8_t sum[CHECKSUM_BYTES];
    size_t n;

    f->n_inputs = cz_load_le32(file->map + INPUTS_AT);
    n = header_bytes(f->n_inputs);
    if (file->map_bytes < n)
        return cz_fail(CZ_E_INPUT, "%s: too short: its header has %zu bytes, the file %zu",
                       file->path, n, file->map_bytes);
    cz_sha256_of(sum, file->map, n - CHECKSUM_BYTES);
    if (memcmp(sum, file->map + n - CHECKSUM_BYTES, CHECKSUM_BYTES) != 0)
        return cz_fail(CZ_E_INPUT, "%s: header: damaged (its checksum is another)", file->path);
    return CZ_OK;
}

static bool is_name(const char id[CZ_COMPILED_ID_MAX])
{
    size_t n = 0;

    while (n < CZ_COMPILED_ID_MAX && id[n] > 0x20 && id[n] < 0x7f)
        n++;
    for (size_t i = n; i < CZ_COMPILED_ID_MAX; i++)
        if (id[i] != '\0')
            return false;
    return n > 0 && n < CZ_COMPILED_ID_MAX;
}

static cz_err read_circuit(cz_folded *f, const char *circuit_id)
{
    memcpy(f->circuit_id, f->file.map + ID_AT, CZ_COMPILED_ID_MAX);
    if (!is_name(f->circuit_id))
        return bad(f, "circuit", "not a name");
    if (strcmp(f->circuit_id, circuit_id) != 0)
        return cz_fail(CZ_E_INPUT, "%s: circuit: made for %s, not %s", f->file.path, f->circuit_id,
                       circuit_id);
    return CZ_OK;
}

static cz_err read_identity(const cz_folded *f, const cz_params *of)
{
    uint8_t identity[CZ_FOLDED_IDENTITY_BYTES];

    CZ_TRY(cz_folded_identity(identity, of));
    if (memcmp(identity, f->file.map + IDENTITY_AT, sizeof identity) != 0)
        return cz_fail(CZ_E_INPUT,
                       "%s: parameters: made from others than %s (cuzk-bench params fold makes it "
                       "anew)",
                       f->file.path, of->path);
    return CZ_OK;
}

static cz_err wrong_number(const cz_folded *f, const char *field, uint64_t has, uint64_t wanted)
{
    return cz_fail(CZ_E_INPUT, "%s: %s: %" PRIu64 ", %" PRIu64 " expected", f->file.path, field,
                   has, wanted);
}

/* All three follow from the parameters. */
static cz_err read_sizes(cz_folded *f, const cz_params *of)
{
    f->log_n = cz_load_le32(f->file.map + LOG_N_AT);
    f->n_aux = cz_load_le32(f->file.map + AUX_AT);
    if (f->log_n > CZ_FOLDED_MAX_LOG_N || (uint64_t)1 << f->log_n != (uint64_t)of->h.n + 1)
        return cz_fail(CZ_E_INPUT, "%s: log_n: %u, but the parameters' h has %" PRIu32 " points",
                       f->file.path, f->log_n, of->h.n);
    if (f->n_inputs != of->vk.n_ic)
        return wrong_number(f, "n_inputs", f->n_inputs, of->vk.n_ic);
    if (f->n_aux != of->l.n)
        return wrong_number(f, "n_aux", f->n_aux, of->l.n);
    return CZ_OK;
}

static cz_err read_bitmap(cz_folded *f)
{
    const size_t n = cz_folded_bitmap_words(f->n_inputs);

    f->input_has_point = malloc((n + 1) * sizeof *f->input_has_point);
    if (f->input_has_point == NULL)
        return cz_fail(CZ_E_NOMEM, "%s: no memory", f->file.path);
    for (size_t i = 0; i < n; i++)
        f->input_has_point[i] = cz_load_le64(f->file.map + BITMAP_AT + 8 * i);
    if (!bitmap_is_clean(f->input_has_point, f->n_inputs))
        return bad(f, "inputs with a point", "one that the circuit does not have");
    return CZ_OK;
}

static cz_folded_shape shape_of(const cz_folded *f)
{
    return (cz_folded_shape){f->circuit_id, f->log_n, f->n_inputs, f->n_aux, f->input_has_point};
}

static cz_err read_lists(cz_folded *f)
{
    const cz_folded_shape shape = shape_of(f);
    const size_t header = header_bytes(f->n_inputs);
    const char *path = f->file.path;
    cz_reader r = cz_reader_init(f->file.map + header, f->file.map_bytes - header);

    r.offset = header;
    CZ_TRY(cz_frame_list(&r, path, "h", CZ_G1_UNCOMPRESSED_BYTES, &f->file.h));
    CZ_TRY(cz_frame_list(&r, path, "l", CZ_G1_UNCOMPRESSED_BYTES, &f->file.l));
    if (f->file.h.n != (uint64_t)1 << f->log_n)
        return wrong_number(f, "points of h", f->file.h.n, (uint64_t)1 << f->log_n);
    if (f->file.l.n != cz_folded_l_points(&shape))
        return wrong_number(f, "points of l", f->file.l.n, cz_folded_l_points(&shape));
    if (r.left > 0)
        return cz_fail(CZ_E_INPUT, "%s: %zu bytes after the last point of l (byte %zu)", path,
                       r.left, r.offset);
    return CZ_OK;
}

static cz_err read_all(cz_folded *f, const cz_params *of, const char *circuit_id)
{
    CZ_TRY(refuse_foreign(&f->file));
    CZ_TRY(check_version(&f->file));
    CZ_TRY(check_sum(f));
    CZ_TRY(read_circuit(f, circuit_id));
    CZ_TRY(read_identity(f, of));
    CZ_TRY(read_sizes(f, of));
    CZ_TRY(read_bitmap(f));
    return read_lists(f);
}

cz_err cz_folded_open(cz_folded *out, const char *path, const cz_params *of, const char *circuit_id)
{
    cz_folded f = {.log_n = 0};
    cz_err err = cz_frame_map(&f.file, path);

    if (err == CZ_OK)
        err = read_all(&f, of, circuit_id);
    if (err != CZ_OK) {
        cz_folded_close(&f);
        return err;
    }
    *out = f;
    return CZ_OK;
}

void cz_folded_close(cz_folded *f)
{
    cz_params_close(&f->file);
    free(f->input_has_point);
    *f = (cz_folded){.file = {.fd = -1}};
}

/* ---- writing ---- */

static cz_err check_shape(const char *path, const cz_params *of, const cz_folded_shape *shape)
{
    const size_t id = strlen(shape->circuit_id);

    if (id == 0 || id >= CZ_COMPILED_ID_MAX || shape->log_n > CZ_FOLDED_MAX_LOG_N ||
        (uint64_t)1 << shape->log_n != (uint64_t)of->h.n + 1 || shape->n_inputs != of->vk.n_ic ||
        shape->n_aux != of->l.n || !bitmap_is_clean(shape->input_has_point, shape->n_inputs) ||
        cz_folded_l_points(shape) > UINT32_MAX)
        return cz_fail(CZ_E_ARG, "%s: the shape is not that of %s", path, of->path);
    return CZ_OK;
}

static void put_header(uint8_t *out, const cz_folded_shape *shape,
                       const uint8_t identity[CZ_FOLDED_IDENTITY_BYTES])
{
    const size_t n = header_bytes(shape->n_inputs) - CHECKSUM_BYTES;

    memcpy(out, magic, MAGIC_BYTES);
    cz_store_le32(out + VERSION_AT, CZ_FOLDED_VERSION);
    cz_store_le32(out + LOG_N_AT, shape->log_n);
    cz_store_le32(out + INPUTS_AT, shape->n_inputs);
    cz_store_le32(out + AUX_AT, shape->n_aux);
    memset(out + ID_AT, 0, CZ_COMPILED_ID_MAX);
    memcpy(out + ID_AT, shape->circuit_id, strlen(shape->circuit_id));
    memcpy(out + IDENTITY_AT, identity, CZ_FOLDED_IDENTITY_BYTES);
    for (size_t i = 0; i < cz_folded_bitmap_words(shape->n_inputs); i++)
        cz_store_le64(out + BITMAP_AT + 8 * i, shape->input_has_point[i]);
    cz_sha256_of(out + n, out, n);
}

static cz_err write_header(cz_params_writer *w, const cz_folded_shape *shape,
                           const uint8_t identity[CZ_FOLDED_IDENTITY_BYTES])
{
    const size_t n = header_bytes(shape->n_inputs);
    uint8_t *bytes = malloc(n);
    cz_err err;

    if (bytes == NULL)
        return cz_fail(CZ_E_NOMEM, "%s: no memory to write", w->file.path);
    put_header(bytes, shape, identity);
    err = cz_params_writer_head(w, bytes, n, N_LISTS);
    free(bytes);
    return err;
}

cz_err cz_folded_writer_open(cz_params_writer *w, const char *path, const cz_params *of,
                             const cz_folded_shape *shape)
{
    uint8_t identity[CZ_FOLDED_IDENTITY_BYTES];
    cz_err err;

    *w = (cz_params_writer){0};
    CZ_TRY(check_shape(path, of, shape));
    CZ_TRY(cz_folded_identity(identity, of));
    CZ_TRY(cz_params_writer_open(w, path));
    err = write_header(w, shape, identity);
    if (err != CZ_OK)
        cz_params_writer_abort(w);
    return err;
}
