/* utf8.h: texts on the wire must be UTF-8, or clients refuse the whole message. Inside rpc/. */
#ifndef CZ_RPC_UTF8_H
#define CZ_RPC_UTF8_H

#include <stdbool.h>

bool cz_utf8_is_valid(const char *text);

/** Put '?' in place of every byte that is no part of valid UTF-8. */
void cz_utf8_repair(char *text);

#endif
