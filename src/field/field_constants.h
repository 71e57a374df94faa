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

/* -1/m mod 2^128 */
#define CZ_FR_M_INV_128                                                                            \
    {                                                                                              \
        0xfffffffeffffffff, 0x53ba5bfffffe5bfd                                                     \
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

/* -1/m mod 2^128 */
#define CZ_FP_M_INV_128                                                                            \
    {                                                                                              \
        0x89f3fffcfffcfffd, 0x286adb92d9d113e8                                                     \
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

/* (1 + u)^(i (p-1)/6), i = 1 to 5, Montgomery form: the Frobenius map on Fp12 */
#define CZ_FP12_FROBENIUS                                                                          \
    {                                                                                              \
        {{{0x07089552b319d465, 0xc6695f92b50a8313, 0x97e83cccd117228f, 0xa35baecab2dc29ee,         \
           0x1ce393ea5daace4d, 0x08f2220fb0fb66eb}},                                               \
         {{0xb2f66aad4ce5d646, 0x5842a06bfc497cec, 0xcf4895d42599d394, 0xc11b9cba40a8e8d0,         \
           0x2e3813cbe5a0de89, 0x110eefda88847faf}}},                                              \
            {{{0x0000000000000000, 0x0000000000000000, 0x0000000000000000, 0x0000000000000000,     \
               0x0000000000000000, 0x0000000000000000}},                                           \
             {{0xcd03c9e48671f071, 0x5dab22461fcda5d2, 0x587042afd3851b95, 0x8eb60ebe01bacb9e,     \
               0x03f97d6e83d050d2, 0x18f0206554638741}}},                                          \
            {{{0x7bcfa7a25aa30fda, 0xdc17dec12a927e7c, 0x2f088dd86b4ebef1, 0xd1ca2087da74d4a7,     \
               0x2da2596696cebc1d, 0x0e2b7eedbbfd87d2}},                                           \
             {{0x7bcfa7a25aa30fda, 0xdc17dec12a927e7c, 0x2f088dd86b4ebef1, 0xd1ca2087da74d4a7,     \
               0x2da2596696cebc1d, 0x0e2b7eedbbfd87d2}}},                                          \
            {{{0x890dc9e4867545c3, 0x2af322533285a5d5, 0x50880866309b7e2c, 0xa20d1b8c7e881024,     \
               0x14e4f04fe2db9068, 0x14e56d3f1564853a}},                                           \
             {{0x0000000000000000, 0x0000000000000000, 0x0000000000000000, 0x0000000000000000,     \
               0x0000000000000000, 0x0000000000000000}}},                                          \
            {{{0x82d83cf50dbce43f, 0xa2813e53df9d018f, 0xc6f0caa53c65e181, 0x7525cf528d50fe95,     \
               0x4a85ed50f4798a6b, 0x171da0fd6cf8eebd}},                                           \
             {{0x3726c30af242c66c, 0x7c2ac1aad1b6fe70, 0xa04007fbba4b14a2, 0xef517c3266341429,     \
               0x0095ba654ed2226b, 0x02e370eccc86f7dd}}},                                          \
    }

#endif
