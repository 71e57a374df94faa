/* version.c: see version.h. cmake/CuzkRooms.cmake defines CUZK_VERSION. */
#include "base/version.h"

const char *cz_version(void)
{
    return CUZK_VERSION;
}
