/* core_dump.h: memory with witnesses and blinding scalars does not go to disk when a process dies.
 */
#ifndef CZ_BASE_CORE_DUMP_H
#define CZ_BASE_CORE_DUMP_H

#ifdef __cplusplus
extern "C" {
#endif

/** No core dump of this process and its children from here on, whatever the shell allows: neither a
 * file nor one for a program that collects them (under a hard limit of 0 that program decides). Who
 * wants one raises the soft limit of the running process: prlimit --core=unlimited --pid PID. */
void cz_core_dump_forbid(void);

#ifdef __cplusplus
}
#endif
#endif
