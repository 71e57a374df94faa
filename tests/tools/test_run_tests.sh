#!/bin/bash
# tools/run-tests says by its exit status and its last line what became of the tests.
set -euo pipefail
run=$(dirname "$0")/../../tools/run-tests
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

# expect STATUS LAST-LINE COMMAND...: of a run whose tests are these commands
expect() {
  local wanted=$1 line=$2 n=0
  shift 2
  for command in "$@"; do
    n=$((n + 1))
    echo "add_test(room.case_$n $command)"
    echo "set_tests_properties(room.case_$n PROPERTIES LABELS quick SKIP_RETURN_CODE 77)"
  done >"$folder/CTestTestfile.cmake"
  expect_of quick "$wanted" "$line"
}

expect_of() { # tier, status, last line
  local wanted=$2 line=$3 status=0 out
  out=$(env -u CUZK_TALLY "$run" "$folder" "$1" 2>&1) || status=$?
  if [ "${out##*$'\n'}" != "$line" ] || { [ "$wanted" = 0 ] && [ $status -ne 0 ]; } ||
    { [ "$wanted" != 0 ] && [ $status -eq 0 ]; }; then
    printf '%s\nexit status %s, wanted %s and "%s"\n' "$out" "$status" "$wanted" "$line" >&2
    exit 1
  fi
}

exit_77='sh -c "exit 77"' killed='sh -c "kill -9 $$"'
expect 0 "2 passed, 0 failed, 0 skipped" true true
expect 0 "1 passed, 0 failed, 1 skipped" true "$exit_77"
expect not-0 "1 passed, 1 failed, 0 skipped" true false
expect not-0 "0 passed, 1 failed, 0 skipped" "$killed"
# What cannot be started was not skipped on purpose.
expect not-0 "1 passed, 1 failed, 1 skipped" true "$exit_77" "$folder/no-program"
# Where nothing runs, nothing has passed; only devices may be missing.
expect not-0 "0 passed, 1 failed, 0 skipped"
expect_of gpu 0 "0 passed, 0 failed, 0 skipped"
echo "add_test(" >"$folder/CTestTestfile.cmake"
expect_of quick not-0 "0 passed, 1 failed, 0 skipped"
