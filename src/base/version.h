/* version.h: the version of this program, as the build names it. */
#ifndef CZ_BASE_VERSION_H
#define CZ_BASE_VERSION_H

#ifdef __cplusplus
extern "C" {
#endif

/** "0.1.0" */
const char *cz_version(void);

#ifdef __cplusplus
}
#endif
#endif
