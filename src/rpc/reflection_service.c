/* reflection_service.c: grpc.reflection.v1alpha and v1, from the descriptors that the build embeds.
 *
 * The embedded bytes are a FileDescriptorSet: a list of files, each a length-prefixed field 1. Only
 * so much of a FileDescriptorProto is read here as answers need: the file's name and package and
 * the names of what it defines on its first level. Names inside a message (nested types, fields,
 * methods) belong to the file of what they are in. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "rpc/proto/descriptors.h"
#include "rpc/proto/reflection.pb-c.h"
#include "rpc/server_state.h"

typedef Grpc__Reflection__V1alpha__ServerReflectionRequest reflection_request;
typedef Grpc__Reflection__V1alpha__ServerReflectionResponse reflection_response;

/* --- a walk over protobuf's wire format; the bytes are our own --- */

typedef struct {
    const uint8_t *p, *end;
} bytes;

static uint64_t read_varint(bytes *in)
{
    uint64_t value = 0;

    for (unsigned shift = 0; in->p < in->end && shift < 64; shift += 7) {
        const uint8_t byte = *in->p++;

        value |= (uint64_t)(byte & 0x7F) << shift;
        if (byte < 0x80)
            break;
    }
    return value;
}

/* The next field; its number, or 0 at the end. *value is empty but for byte strings. */
static unsigned next_field(bytes *in, bytes *value)
{
    uint64_t tag, n;

    *value = (bytes){NULL, NULL};
    if (in->p >= in->end)
        return 0;
    tag = read_varint(in);
    switch (tag & 7) {
    case 0:
        (void)read_varint(in);
        break;
    case 2:
        n = read_varint(in);
        if (n > (uint64_t)(in->end - in->p))
            n = (uint64_t)(in->end - in->p);
        *value = (bytes){in->p, in->p + n};
        in->p += n;
        break;
    default: /* descriptors have no others */
        in->p = in->end;
    }
    return (unsigned)(tag >> 3);
}

/* The first field of this number. */
static bytes find_field(bytes message, unsigned number)
{
    bytes value;
    unsigned found;

    while ((found = next_field(&message, &value)) != 0)
        if (found == number)
            return value;
    return (bytes){NULL, NULL};
}

static bool equals(bytes a, const char *text, size_t n)
{
    return (size_t)(a.end - a.p) == n && (n == 0 || memcmp(a.p, text, n) == 0);
}

/* --- descriptors: descriptor.proto's field numbers --- */

enum {
    SET_FILE = 1,
    FILE_NAME = 1,
    FILE_PACKAGE = 2,
    FILE_MESSAGE = 4,
    FILE_ENUM = 5,
    FILE_SERVICE = 6,
    ANY_NAME = 1
};

static bytes all_files(void)
{
    return (bytes){cz_descriptors, cz_descriptors + cz_descriptors_size};
}

/* Does the file define the first part of this name, which comes after its package? */
static bool defines_name(bytes file, const char *name, size_t n)
{
    bytes value;
    unsigned field;

    while ((field = next_field(&file, &value)) != 0)
        if ((field == FILE_MESSAGE || field == FILE_ENUM || field == FILE_SERVICE) &&
            equals(find_field(value, ANY_NAME), name, n))
            return true;
    return false;
}

static bool defines(bytes file, const char *symbol)
{
    const bytes package = find_field(file, FILE_PACKAGE);
    const size_t n = (size_t)(package.end - package.p);

    if (strncmp(symbol, (const char *)package.p, n) != 0 || symbol[n] != '.')
        return false;
    symbol += n + 1;
    return defines_name(file, symbol, strcspn(symbol, "."));
}

static bool has_name(bytes file, const char *name)
{
    return equals(find_field(file, FILE_NAME), name, strlen(name));
}

static bytes find_file(bool (*wanted)(bytes file, const char *name), const char *name)
{
    bytes files = all_files(), file;

    while (next_field(&files, &file) != 0)
        if (wanted(file, name))
            return file;
    return (bytes){NULL, NULL};
}

/* --- answers --- */

typedef struct {
    reflection_response message;
    Grpc__Reflection__V1alpha__FileDescriptorResponse files;
    Grpc__Reflection__V1alpha__ListServiceResponse list;
    Grpc__Reflection__V1alpha__ErrorResponse error;
    ProtobufCBinaryData file;
    char text[160];
} answer;

static void refuse(answer *a, unsigned code, const char *what, const char *name)
{
    (void)snprintf(a->text, sizeof a->text, "%s: %.100s", what, name);
    grpc__reflection__v1alpha__error_response__init(&a->error);
    a->error.error_code = (int32_t)code;
    a->error.error_message = a->text;
    a->message.message_response_case =
        GRPC__REFLECTION__V1ALPHA__SERVER_REFLECTION_RESPONSE__MESSAGE_RESPONSE_ERROR_RESPONSE;
    a->message.error_response = &a->error;
}

static void give_file(answer *a, bytes file, const char *name)
{
    if (file.p == NULL) {
        refuse(a, GRPC_STATUS_NOT_FOUND, "not found", name);
        return;
    }
    a->file = (ProtobufCBinaryData){(size_t)(file.end - file.p), (uint8_t *)(uintptr_t)file.p};
    grpc__reflection__v1alpha__file_descriptor_response__init(&a->files);
    a->files.n_file_descriptor_proto = 1;
    a->files.file_descriptor_proto = &a->file;
    a->message.message_response_case =
        GRPC__REFLECTION__V1ALPHA__SERVER_REFLECTION_RESPONSE__MESSAGE_RESPONSE_FILE_DESCRIPTOR_RESPONSE;
    a->message.file_descriptor_response = &a->files;
}

static void list_services(answer *a)
{
    static Grpc__Reflection__V1alpha__ServiceResponse services[] = {
        {.base = PROTOBUF_C_MESSAGE_INIT(&grpc__reflection__v1alpha__service_response__descriptor),
         .name = (char *)(uintptr_t) "cuzk.v1.ProvingEngine"},
        {.base = PROTOBUF_C_MESSAGE_INIT(&grpc__reflection__v1alpha__service_response__descriptor),
         .name = (char *)(uintptr_t) "grpc.health.v1.Health"},
        {.base = PROTOBUF_C_MESSAGE_INIT(&grpc__reflection__v1alpha__service_response__descriptor),
         .name = (char *)(uintptr_t) "grpc.reflection.v1alpha.ServerReflection"},
    };
    static Grpc__Reflection__V1alpha__ServiceResponse *pointers[] = {&services[0], &services[1],
                                                                     &services[2]};

    grpc__reflection__v1alpha__list_service_response__init(&a->list);
    a->list.n_service = sizeof services / sizeof services[0];
    a->list.service = pointers;
    a->message.message_response_case =
        GRPC__REFLECTION__V1ALPHA__SERVER_REFLECTION_RESPONSE__MESSAGE_RESPONSE_LIST_SERVICES_RESPONSE;
    a->message.list_services_response = &a->list;
}

static void fill(answer *a, reflection_request *request)
{
    grpc__reflection__v1alpha__server_reflection_response__init(&a->message);
    a->message.valid_host = request->host;
    a->message.original_request = request;
    switch (request->message_request_case) {
    case GRPC__REFLECTION__V1ALPHA__SERVER_REFLECTION_REQUEST__MESSAGE_REQUEST_FILE_BY_FILENAME:
        give_file(a, find_file(has_name, request->file_by_filename), request->file_by_filename);
        break;
    case GRPC__REFLECTION__V1ALPHA__SERVER_REFLECTION_REQUEST__MESSAGE_REQUEST_FILE_CONTAINING_SYMBOL:
        give_file(a, find_file(defines, request->file_containing_symbol),
                  request->file_containing_symbol);
        break;
    case GRPC__REFLECTION__V1ALPHA__SERVER_REFLECTION_REQUEST__MESSAGE_REQUEST_LIST_SERVICES:
        list_services(a);
        break;
    case GRPC__REFLECTION__V1ALPHA__SERVER_REFLECTION_REQUEST__MESSAGE_REQUEST_FILE_CONTAINING_EXTENSION:
    case GRPC__REFLECTION__V1ALPHA__SERVER_REFLECTION_REQUEST__MESSAGE_REQUEST_ALL_EXTENSION_NUMBERS_OF_TYPE:
        refuse(a, GRPC_STATUS_NOT_FOUND, "not found", "there are no extensions");
        break;
    default:
        refuse(a, GRPC_STATUS_INVALID_ARGUMENT, "unknown", "kind of reflection request");
    }
}

/* --- the stream: a request, its answer, the next request --- */

static void reflect(cz_call *call, ProtobufCMessage *request)
{
    answer a;

    if (request == NULL) {
        cz_call_end(call, GRPC_STATUS_OK, "");
        return;
    }
    fill(&a, (void *)request);
    (void)cz_call_send(call, &a.message.base);
}

#define METHOD(version) "/grpc.reflection." version ".ServerReflection/ServerReflectionInfo"

const cz_method cz_reflection_methods[] = {
    {.path = METHOD("v1alpha"),
     .input = &grpc__reflection__v1alpha__server_reflection_request__descriptor,
     .streams = true,
     .run = reflect,
     .sent = cz_call_receive},
    {.path = METHOD("v1"),
     .input = &grpc__reflection__v1alpha__server_reflection_request__descriptor,
     .streams = true,
     .run = reflect,
     .sent = cz_call_receive},
};
const size_t cz_n_reflection_methods = sizeof cz_reflection_methods / sizeof *cz_reflection_methods;
