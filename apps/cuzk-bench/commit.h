/* commit.h: from which source this program was built. */
#ifndef CZ_BENCH_COMMIT_H
#define CZ_BENCH_COMMIT_H

/** "93baec5d1a2b", with ", changed" where the tree had changes; "" when the build did not know. */
const char *bench_commit(void);

#endif
