#!/usr/bin/env python3
"""Prints src/curve/curve_constants.h: generators, curve constants and endomorphisms of BLS12-381.

Run by hand after a change:  tools/gen_curve_constants.py | clang-format --assume-filename=src/curve/c.h
Everything is derived from the BLS parameter; the generators by the rule under which they were chosen:
the smallest x of a point of the curve, the smaller y, times the cofactor.
"""

from math import gcd

X = -0xD201000000010000
R_ORDER = X**4 - X**2 + 1
P = (X - 1) ** 2 * R_ORDER // 3 + X
H1 = (X - 1) ** 2 // 3
H2 = (X**8 - 4 * X**7 + 5 * X**6 - 4 * X**4 + 6 * X**3 - 4 * X**2 - 4 * X + 13) // 9


# Fp2 as pairs (c0, c1); Fp is embedded with c1 = 0, so one group law serves both curves.
def add(a, b):
    return ((a[0] + b[0]) % P, (a[1] + b[1]) % P)


def sub(a, b):
    return ((a[0] - b[0]) % P, (a[1] - b[1]) % P)


def mul(a, b):
    return ((a[0] * b[0] - a[1] * b[1]) % P, (a[0] * b[1] + a[1] * b[0]) % P)


def power(a, e):
    r = (1, 0)
    for bit in bin(e)[2:]:
        r = mul(r, r)
        if bit == "1":
            r = mul(r, a)
    return r


def inv(a):
    n = pow(a[0] * a[0] + a[1] * a[1], -1, P)
    return (a[0] * n % P, -a[1] * n % P)


def conj(a):
    return (a[0], -a[1] % P)


def sqrt_fp(a):
    r = pow(a, (P + 1) // 4, P)
    return r if r * r % P == a % P else None


def sqrt(a, in_fp):
    """A root in the field that the curve is over, or None."""
    if in_fp:
        r = sqrt_fp(a[0])
        return None if r is None else (r, 0)
    s = sqrt_fp((a[0] * a[0] + a[1] * a[1]) % P)
    if s is None:
        return None
    for s in (s, -s):
        x = sqrt_fp((a[0] + s) * pow(2, -1, P) % P)
        if x:
            r = (x, a[1] * pow(2 * x, -1, P) % P)
            if mul(r, r) == a:
                return r
    return None


def ec_add(a, b):
    if a is None or b is None:
        return a or b
    if a[0] == b[0]:
        if a[1] != b[1]:
            return None
        slope = mul(mul((3, 0), mul(a[0], a[0])), inv(add(a[1], a[1])))
    else:
        slope = mul(sub(b[1], a[1]), inv(sub(b[0], a[0])))
    x = sub(sub(mul(slope, slope), a[0]), b[0])
    return (x, sub(mul(slope, sub(a[0], x)), a[1]))


def ec_mul(a, k):
    r = None
    for bit in bin(k)[2:]:
        r = ec_add(r, r)
        if bit == "1":
            r = ec_add(r, a)
    return r


def ec_neg(a):
    return (a[0], sub((0, 0), a[1]))


def generator(b, cofactor, in_fp):
    x = 0
    while True:
        y = sqrt(add(power((x, 0), 3) if x else (0, 0), b), in_fp)
        if y is not None:
            y = min(y, sub((0, 0), y), key=lambda v: (v[1], v[0]))
            g = ec_mul(((x, 0), y), cofactor)
            if g is not None:
                assert ec_mul(g, R_ORDER) is None
                return g
        x += 1


def fp_limbs(value):
    value = value * 2**384 % P
    words = [f"0x{(value >> (64 * i)) & (2**64 - 1):016x}" for i in range(6)]
    return "{ {" + ", ".join(words) + "} }"


def define(name, body, comment):
    print(f"/* {comment} */\n#define {name} \\\n    {body}\n")


def fp(name, value, comment):
    define(name, fp_limbs(value), comment)


def fp2(name, value, comment):
    define(name, f"{{ {fp_limbs(value[0])}, {fp_limbs(value[1])} }}", comment)


# What the subgroup checks rest on
assert gcd(H1, H2) == 1 and H1 % R_ORDER != 0 and H2 % R_ORDER != 0 and P - X == H1 * R_ORDER

XI = (1, 1)  # w^6 in Fp12, and b of the twist is 4 XI
B1, B2 = (4, 0), mul((4, 0), XI)
G1 = generator(B1, H1, True)
G2 = generator(B2, H2, False)

# The cube root of unity beta with (beta x, y) = -x^2 (x, y) on G1
BETA = next(
    b
    for b in (pow(g, (P - 1) // 3, P) for g in range(2, 20))
    if b != 1 and ((G1[0][0] * b % P, 0), G1[1]) == ec_neg(ec_mul(G1, X * X))
)
# psi(x, y) = (conj(x) PSI_X, conj(y) PSI_Y) is multiplication by x, the parameter, on G2
PSI_X = inv(power(XI, (P - 1) // 3))
PSI_Y = inv(power(XI, (P - 1) // 2))
assert (mul(conj(G2[0]), PSI_X), mul(conj(G2[1]), PSI_Y)) == ec_neg(ec_mul(G2, -X))
# psi twice, negated: (beta x, y), with the other root
BETA2 = mul(conj(PSI_X), PSI_X)[0]
assert BETA2 == BETA * BETA % P and (mul(G2[0], (BETA2, 0)), G2[1]) == ec_neg(ec_mul(G2, X * X))

print("/* curve_constants.h: made by tools/gen_curve_constants.py; do not edit. Montgomery form. */")
print("#ifndef CZ_CURVE_CURVE_CONSTANTS_H\n#define CZ_CURVE_CURVE_CONSTANTS_H\n")
print(f"/* |x| of the BLS parameter x, which is negative */\n#define CZ_BLS_X_ABS 0x{-X:016x}u\n")
fp("CZ_G1_B", 4, "y^2 = x^3 + b")
fp("CZ_G1_GENERATOR_X", G1[0][0], "G1's standard generator")
fp("CZ_G1_GENERATOR_Y", G1[1][0], "and its y")
fp("CZ_G1_BETA", BETA, "(beta x, y) = -x^2 (x, y) on G1, x the BLS parameter")
fp2("CZ_G2_B", B2, "4 (1 + u)")
fp2("CZ_G2_GENERATOR_X", G2[0], "G2's standard generator")
fp2("CZ_G2_GENERATOR_Y", G2[1], "and its y")
fp("CZ_G2_BETA", BETA2, "(beta x, y) = -x^2 (x, y) on G2")
fp2("CZ_G2_PSI_X", PSI_X, "(1 + u)^-((p-1)/3)")
fp2("CZ_G2_PSI_Y", PSI_Y, "(1 + u)^-((p-1)/2)")
print("#endif")
