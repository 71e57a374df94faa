/* field_constants.h: made by tools/gen_field_constants.py; do not edit. Limbs little-endian. */
#ifndef CZ_FIELD_CONSTANTS_H
#define CZ_FIELD_CONSTANTS_H

/* ---- Fr: the scalar field ---- */

/* the modulus */
#define CZ_FR_MODULUS                                                                              \
    {                                                                                              \
        0xffffffff00000001, 0x53bda402fffe5bfe, 0x3339d80809a1d805, 0x73eda753299d7d48             \
    }

/* 2^256 mod m: one in Montgomery form */
#define CZ_FR_R                                                                                    \
    {                                                                                              \
        0x00000001fffffffe, 0x5884b7fa00034802, 0x998c4fefecbc4ff5, 0x1824b159acc5056f             \
    }

/* 2^512 mod m: into Montgomery form */
#define CZ_FR_R2                                                                                   \
    {                                                                                              \
        0xc999e990f3f29c6d, 0x2b6cedcb87925c23, 0x05d314967254398f, 0x0748d9d99f59ff11             \
    }

/* 2^768 mod m: one multiplication more */
#define CZ_FR_R3                                                                                   \
    {                                                                                              \
        0xc62c1807439b73af, 0x1b3e0d188cf06990, 0x73d13c71c7b5f418, 0x6e2a5bb9c8db33e9             \
    }

/* -1/m mod 2^64 */
#define CZ_FR_M_INV 0xfffffffeffffffffu

/* 7^((r-1)/2^32), of order 2^32, Montgomery form */
#define CZ_FR_ROOT_OF_UNITY                                                                        \
    {                                                                                              \
        0xb9b58d8c5f0e466a, 0x5b1b4c801819d7ec, 0x0af53ae352a31e64, 0x5bf3adda19e9b27b             \
    }

/* 7, a generator of the multiplicative group, Montgomery form */
#define CZ_FR_GENERATOR                                                                            \
    {                                                                                              \
        0x0000000efffffff1, 0x17e363d300189c0f, 0xff9c57876f8457b0, 0x351332208fc5a8c4             \
    }

/* ---- Fp: the base field ---- */

/* the modulus */
#define CZ_FP_MODULUS                                                                              \
    {                                                                                              \
        0xb9feffffffffaaab, 0x1eabfffeb153ffff, 0x6730d2a0f6b0f624, 0x64774b84f38512bf,            \
            0x4b1ba7b6434bacd7, 0x1a0111ea397fe69a                                                 \
    }

/* 2^384 mod m: one in Montgomery form */
#define CZ_FP_R                                                                                    \
    {                                                                                              \
        0x760900000002fffd, 0xebf4000bc40c0002, 0x5f48985753c758ba, 0x77ce585370525745,            \
            0x5c071a97a256ec6d, 0x15f65ec3fa80e493                                                 \
    }

/* 2^768 mod m: into Montgomery form */
#define CZ_FP_R2                                                                                   \
    {                                                                                              \
        0xf4df1f341c341746, 0x0a76e6a609d104f1, 0x8de5476c4c95b6d5, 0x67eb88a9939d83c0,            \
            0x9a793e85b519952d, 0x11988fe592cae3aa                                                 \
    }

/* 2^1152 mod m: one multiplication more */
#define CZ_FP_R3                                                                                   \
    {                                                                                              \
        0xed48ac6bd94ca1e0, 0x315f831e03a7adf8, 0x9a53352a615e29dd, 0x34c04e5e921e1761,            \
            0x2512d43565724728, 0x0aa6346091755d4d                                                 \
    }

/* -1/m mod 2^64 */
#define CZ_FP_M_INV 0x89f3fffcfffcfffdu

/* 1/2, Montgomery form */
#define CZ_FP_HALF                                                                                 \
    {                                                                                              \
        0x1804000000015554, 0x855000053ab00001, 0x633cb57c253c276f, 0x6e22d1ec31ebb502,            \
            0xd3916126f2d14ca2, 0x17fbb8571a006596                                                 \
    }

/* (p-1)/2, a plain integer */
#define CZ_FP_P_MINUS_1_OVER_2                                                                     \
    {                                                                                              \
        0xdcff7fffffffd555, 0x0f55ffff58a9ffff, 0xb39869507b587b12, 0xb23ba5c279c2895f,            \
            0x258dd3db21a5d66b, 0x0d0088f51cbff34d                                                 \
    }

/* (p-3)/4, a plain integer */
#define CZ_FP_P_MINUS_3_OVER_4                                                                     \
    {                                                                                              \
        0xee7fbfffffffeaaa, 0x07aaffffac54ffff, 0xd9cc34a83dac3d89, 0xd91dd2e13ce144af,            \
            0x92c6e9ed90d2eb35, 0x0680447a8e5ff9a6                                                 \
    }

#endif
