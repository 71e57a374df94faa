/* vram.h: memory in use on the machine's NVIDIA devices, as their driver's management library
 * (NVML) counts it: of all processes, as inside a container a process cannot be told from others.
 *
 * The library is loaded when it is first needed, from CUZK_NVML_LIB of the environment or as
 * libnvidia-ml.so.1; without it, or without devices, there is nothing to tell. Threads: one. */
#ifndef CZ_LAB_VRAM_H
#define CZ_LAB_VRAM_H

/** Bytes on all devices together; 0: none, or not told. */
double lab_vram_used(void);

#endif
