#!/usr/bin/env python3
"""Prints src/field/field_constants.h: everything is derived from the two moduli of BLS12-381.

Run by hand after a change:  tools/gen_field_constants.py > src/field/field_constants.h
The check `tools/check lint` runs it and fails when the committed file differs.
"""

X = -0xD201000000010000  # the BLS parameter; p and r are polynomials in it
R_ORDER = X**4 - X**2 + 1
P = (X - 1) ** 2 * R_ORDER // 3 + X


def limbs(value, n):
    return ", ".join(f"0x{(value >> (64 * i)) & (2**64 - 1):016x}" for i in range(n))


def define(name, value, n, comment):
    words = [f"0x{(value >> (64 * i)) & (2**64 - 1):016x}" for i in range(n)]
    rows = [", ".join(words[i : i + 3]) for i in range(0, n, 3)]
    body = ", \\\n     ".join(rows)
    print(f"/* {comment} */\n#define {name} \\\n    {{{body}}}\n")


def field(prefix, m, n, title):
    mont = 2 ** (64 * n)
    print(f"/* ---- {title} ---- */\n")
    define(f"CZ_{prefix}_MODULUS", m, n, "the modulus")
    define(f"CZ_{prefix}_R", mont % m, n, f"2^{64*n} mod m: one in Montgomery form")
    define(f"CZ_{prefix}_R2", mont * mont % m, n, f"2^{128*n} mod m: into Montgomery form")
    define(f"CZ_{prefix}_R3", mont**3 % m, n, f"2^{192*n} mod m: one multiplication more")
    define(f"CZ_{prefix}_M_INV_128", -pow(m, -1, 2**128) % 2**128, 2, "-1/m mod 2^128")
    print(f"/* -1/m mod 2^64 */\n#define CZ_{prefix}_M_INV 0x{(-pow(m, -1, 2**64)) % 2**64:016x}u\n")


def fp2_mul(a, b):
    return ((a[0] * b[0] - a[1] * b[1]) % P, (a[0] * b[1] + a[1] * b[0]) % P)


def fp2_pow(a, e):
    r = (1, 0)
    for bit in bin(e)[2:]:
        r = fp2_mul(r, r)
        if bit == "1":
            r = fp2_mul(r, a)
    return r


def frobenius():
    """w^p = w (1 + u)^((p-1)/6) in Fp12: what the coefficients of w, w^2 … w^5 are multiplied by."""
    print("/* (1 + u)^(i (p-1)/6), i = 1 to 5, Montgomery form: the Frobenius map on Fp12 */")
    print("#define CZ_FP12_FROBENIUS \\\n    { \\")
    for i in range(1, 6):
        c = [x * 2**384 % P for x in fp2_pow((1, 1), i * (P - 1) // 6)]
        words = ["{{" + ", ".join(f"0x{(x >> (64 * j)) & (2**64 - 1):016x}" for j in range(6)) + "}}" for x in c]
        print("{" + ", ".join(words) + "}, \\")
    print("}\n")


print("/* field_constants.h: made by tools/gen_field_constants.py; do not edit. Limbs little-endian. */")
print("#ifndef CZ_FIELD_CONSTANTS_H\n#define CZ_FIELD_CONSTANTS_H\n")
field("FR", R_ORDER, 4, "Fr: the scalar field")
root = pow(7, (R_ORDER - 1) // 2**32, R_ORDER)
define("CZ_FR_ROOT_OF_UNITY", root * 2**256 % R_ORDER, 4, "7^((r-1)/2^32), of order 2^32, Montgomery form")
define("CZ_FR_GENERATOR", 7 * 2**256 % R_ORDER, 4, "7, a generator of the multiplicative group, Montgomery form")
field("FP", P, 6, "Fp: the base field")
define("CZ_FP_HALF", 2**384 * (P + 1) // 2 % P, 6, "1/2, Montgomery form")
define("CZ_FP_P_MINUS_1_OVER_2", (P - 1) // 2, 6, "(p-1)/2, a plain integer")
define("CZ_FP_P_MINUS_3_OVER_4", (P - 3) // 4, 6, "(p-3)/4, a plain integer")
frobenius()
print("#endif")
