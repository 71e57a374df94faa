/* cpu.c: see cpu.h. CPUID leaves as in the processor manuals [Intel SDM, volume 2, CPUID]. */
#include "base/cpu.h"

#include <cpuid.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"

static pthread_once_t once = PTHREAD_ONCE_INIT;
static bool features[CZ_CPU_FEATURE_COUNT];

const char *cz_cpu_feature_name(cz_cpu_feature feature)
{
    static const char *const names[] = {"bmi2", "adx", "sha", "avx512ifma"};

    return (unsigned)feature < CZ_CPU_FEATURE_COUNT ? names[feature] : "unknown";
}

/* Does the operating system save the AVX-512 registers? XCR0: SSE, AVX, opmask, two ZMM halves. */
static bool saves_zmm(void)
{
    unsigned a, b, c, d;
    unsigned low, high;

    if (__get_cpuid(1, &a, &b, &c, &d) == 0 || (c & bit_OSXSAVE) == 0)
        return false;
    __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    return (low & 0xe6u) == 0xe6u;
}

static void detect(void)
{
    const unsigned avx512 = 1u << 16 | 1u << 17 | 1u << 21 | 1u << 30 | 1u << 31;
    unsigned a, b, c, d;
    bool sse41 = __get_cpuid(1, &a, &b, &c, &d) != 0 && (c & bit_SSE4_1) != 0;

    if (__get_cpuid_count(7, 0, &a, &b, &c, &d) == 0)
        return;
    features[CZ_CPU_BMI2] = (b & 1u << 8) != 0;
    features[CZ_CPU_ADX] = (b & 1u << 19) != 0;
    features[CZ_CPU_SHA] = (b & 1u << 29) != 0 && sse41;
    features[CZ_CPU_AVX512IFMA] = (b & avx512) == avx512 && saves_zmm();
}

static void cap(void)
{
    const char *level = getenv("CUZK_CPU");

    if (level == NULL || strcmp(level, "ifma") == 0)
        return;
    if (strcmp(level, "portable") == 0)
        memset(features, 0, sizeof features);
    else if (strcmp(level, "adx") == 0)
        features[CZ_CPU_AVX512IFMA] = false;
    else
        cz_log(CZ_LOG_WARN, "CUZK_CPU=%s is none of portable, adx, ifma; ignored", level);
}

static void init(void)
{
    detect();
    cap();
}

bool cz_cpu_has(cz_cpu_feature feature)
{
    (void)pthread_once(&once, init);
    return (unsigned)feature < CZ_CPU_FEATURE_COUNT && features[feature];
}
