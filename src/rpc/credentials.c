/* credentials.c: TLS files and the bearer token, checked before gRPC gets them: its own messages
 * name no file. */
#define _GNU_SOURCE
#include <openssl/pem.h>
#include <openssl/x509.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/bytes.h"
#include "base/file.h"
#include "base/log.h"
#include "rpc/server_state.h"

enum { MAX_PEM_BYTES = 1 << 20 };

static bool is_given(const char *text)
{
    return text != NULL && text[0] != '\0';
}

/* --- TLS --- */

typedef struct {
    char *cert, *key, *client_ca;
} pem_files;

static cz_err read_pem(char **out, const char *path, const char *setting)
{
    uint8_t *bytes;
    size_t n;

    CZ_TRY_IN(cz_file_read(path, MAX_PEM_BYTES, &bytes, &n), "%s", setting);
    *out = (char *)bytes;
    return CZ_OK;
}

static void pem_clear(pem_files *pem)
{
    if (pem->key != NULL)
        cz_secure_zero(pem->key, strlen(pem->key));
    free(pem->cert);
    free(pem->key);
    free(pem->client_ca);
}

static X509 *parse_cert(const char *pem)
{
    BIO *bio = BIO_new_mem_buf(pem, -1);
    X509 *cert = bio == NULL ? NULL : PEM_read_bio_X509(bio, NULL, NULL, NULL);

    BIO_free(bio);
    return cert;
}

static int no_password(char *buffer, int size, int for_writing, void *ctx)
{
    (void)buffer, (void)size, (void)for_writing, (void)ctx;
    return 0;
}

static EVP_PKEY *parse_key(const char *pem)
{
    BIO *bio = BIO_new_mem_buf(pem, -1);
    EVP_PKEY *key = bio == NULL ? NULL : PEM_read_bio_PrivateKey(bio, NULL, no_password, NULL);

    BIO_free(bio);
    return key;
}

static cz_err check_pair(const pem_files *pem)
{
    X509 *cert = parse_cert(pem->cert);
    EVP_PKEY *key = parse_key(pem->key);
    cz_err err = CZ_OK;

    if (cert == NULL)
        err = cz_fail(CZ_E_INPUT, "daemon.tls_cert: no PEM certificate");
    else if (key == NULL)
        err = cz_fail(CZ_E_INPUT, "daemon.tls_key: no PEM private key, or one with a password");
    else if (X509_check_private_key(cert, key) != 1)
        err = cz_fail(CZ_E_INPUT, "daemon.tls_key: does not belong to daemon.tls_cert");
    X509_free(cert);
    EVP_PKEY_free(key);
    return err;
}

static cz_err check_client_ca(const pem_files *pem)
{
    X509 *ca;

    if (pem->client_ca == NULL)
        return CZ_OK;
    ca = parse_cert(pem->client_ca);
    if (ca == NULL)
        return cz_fail(CZ_E_INPUT, "daemon.tls_client_ca: no PEM certificate");
    X509_free(ca);
    return CZ_OK;
}

static cz_err read_files(pem_files *pem, const cz_rpc_server_options *o)
{
    CZ_TRY(read_pem(&pem->cert, o->tls_cert, "daemon.tls_cert"));
    CZ_TRY(read_pem(&pem->key, o->tls_key, "daemon.tls_key"));
    if (is_given(o->tls_client_ca))
        CZ_TRY(read_pem(&pem->client_ca, o->tls_client_ca, "daemon.tls_client_ca"));
    CZ_TRY(check_pair(pem));
    return check_client_ca(pem);
}

static cz_err read_config(grpc_ssl_server_certificate_config **out, const cz_rpc_server_options *o)
{
    pem_files pem = {0};
    const cz_err err = read_files(&pem, o);

    if (err == CZ_OK) {
        const grpc_ssl_pem_key_cert_pair pair = {pem.key, pem.cert};
        /* Debian's gRPC aborts where there is no authority; where no client is asked for its
         * certificate, none is ever checked against this one. */
        const char *authority = pem.client_ca != NULL ? pem.client_ca : pem.cert;

        *out = grpc_ssl_server_certificate_config_create(authority, &pair, 1);
    }
    pem_clear(&pem);
    if (err == CZ_OK && *out == NULL)
        return cz_fail(CZ_E_INPUT, "gRPC does not take the TLS files");
    return err;
}

void cz_tls_init(cz_tls_files *tls)
{
    *tls = (cz_tls_files){0};
    (void)pthread_mutex_init(&tls->lock, NULL);
}

void cz_tls_clear(cz_tls_files *tls)
{
    if (tls->fresh != NULL)
        grpc_ssl_server_certificate_config_destroy(tls->fresh);
    (void)pthread_mutex_destroy(&tls->lock);
}

cz_err cz_tls_reread(cz_tls_files *tls, const cz_rpc_server_options *o)
{
    grpc_ssl_server_certificate_config *fresh, *old;

    if (!tls->in_use)
        return CZ_OK;
    CZ_TRY(read_config(&fresh, o));
    (void)pthread_mutex_lock(&tls->lock);
    old = tls->fresh;
    tls->fresh = fresh;
    (void)pthread_mutex_unlock(&tls->lock);
    if (old != NULL)
        grpc_ssl_server_certificate_config_destroy(old);
    return CZ_OK;
}

/* gRPC asks before every handshake, and owns what it gets. */
static grpc_ssl_certificate_config_reload_status
give_config(void *ctx, grpc_ssl_server_certificate_config **out)
{
    cz_tls_files *tls = ctx;

    (void)pthread_mutex_lock(&tls->lock);
    *out = tls->fresh;
    tls->fresh = NULL;
    (void)pthread_mutex_unlock(&tls->lock);
    return *out != NULL ? GRPC_SSL_CERTIFICATE_CONFIG_RELOAD_NEW
                        : GRPC_SSL_CERTIFICATE_CONFIG_RELOAD_UNCHANGED;
}

static cz_err make_tls(grpc_server_credentials **out, cz_tls_files *tls,
                       const cz_rpc_server_options *o)
{
    tls->in_use = true;
    CZ_TRY(cz_tls_reread(tls, o));
    *out = grpc_ssl_server_credentials_create_with_options(
        grpc_ssl_server_credentials_create_options_using_config_fetcher(
            is_given(o->tls_client_ca) ? GRPC_SSL_REQUEST_AND_REQUIRE_CLIENT_CERTIFICATE_AND_VERIFY
                                       : GRPC_SSL_DONT_REQUEST_CLIENT_CERTIFICATE,
            give_config, tls));
    return *out != NULL ? CZ_OK : cz_fail(CZ_E_INPUT, "gRPC does not take the TLS files");
}

cz_err cz_server_credentials(grpc_server_credentials **out, cz_tls_files *tls,
                             const cz_rpc_server_options *o, const cz_address *address)
{
    if (is_given(o->tls_cert) != is_given(o->tls_key))
        return cz_fail(CZ_E_INPUT, "daemon.tls_cert and daemon.tls_key: one needs the other");
    if (is_given(o->tls_client_ca) && !is_given(o->tls_cert))
        return cz_fail(CZ_E_INPUT, "daemon.tls_client_ca: needs daemon.tls_cert and tls_key");
    if (is_given(o->tls_cert) && !address->is_unix)
        return make_tls(out, tls, o);
    *out = grpc_insecure_server_credentials_create();
    return CZ_OK;
}

/* --- the token --- */

static cz_err check_token(const char *token, size_t n)
{
    if (n == 0)
        return cz_fail(CZ_E_INPUT, "the file has no token");
    if (n >= CZ_TOKEN_BYTES)
        return cz_fail(CZ_E_INPUT, "a token may have %d characters", CZ_TOKEN_BYTES - 1);
    for (size_t i = 0; i < n; i++)
        if (token[i] <= ' ' || token[i] > '~')
            return cz_fail(CZ_E_INPUT, "a token consists of visible ASCII characters");
    return CZ_OK;
}

/* A group may be meant. */
static void look_at_token_file(const char *path)
{
    struct stat st;

    if (stat(path, &st) == 0 && (st.st_mode & S_IROTH) != 0)
        cz_log(CZ_LOG_WARN, "token file %s: every user may read it (mode %04o): chmod o-rwx", path,
               (unsigned)st.st_mode & 07777);
}

cz_err cz_token_read(char out[CZ_TOKEN_BYTES], const char *path)
{
    uint8_t *bytes;
    size_t n;
    cz_err err;

    CZ_TRY(cz_file_read(path, MAX_PEM_BYTES, &bytes, &n));
    n = strcspn((const char *)bytes, "\r\n");
    err = check_token((const char *)bytes, n);
    if (err == CZ_OK) {
        (void)memcpy(out, bytes, n);
        out[n] = '\0';
        look_at_token_file(path);
    }
    cz_secure_zero(bytes, n);
    free(bytes);
    return err == CZ_OK ? CZ_OK : cz_fail_in(err, "%s", path);
}

/* The character of "Bearer <token>" at i; the token repeats, so that there always is one. */
static unsigned char wanted(const char *token, size_t length, size_t i)
{
    static const char scheme[] = "Bearer ";
    const size_t head = sizeof scheme - 1;

    return (unsigned char)(i < head ? scheme[i] : token[(i - head) % length]);
}

/* Every byte of the header is looked at, whatever the ones before. */
static bool is_bearer(const char *token, const uint8_t *value, size_t n)
{
    const size_t length = strlen(token);
    unsigned difference = n != strlen("Bearer ") + length;

    for (size_t i = 0; i < n; i++)
        difference |= (unsigned)value[i] ^ wanted(token, length, i);
    return difference == 0;
}

bool cz_token_matches(const char *token, const grpc_metadata_array *metadata)
{
    bool found = false;

    if (token[0] == '\0')
        return true;
    for (size_t i = 0; i < metadata->count; i++) {
        const grpc_metadata *m = &metadata->metadata[i];

        if (grpc_slice_str_cmp(m->key, "authorization") == 0)
            found = found ||
                    is_bearer(token, GRPC_SLICE_START_PTR(m->value), GRPC_SLICE_LENGTH(m->value));
    }
    return found;
}
