#!/bin/bash
# .ci/run says by its exit status and its last line what became of the steps. Stand-ins for these do what a case asks for.
set -euo pipefail
ci=$(cd "$(dirname "$0")/../.." && pwd)/.ci/run
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
mkdir -p "$folder"/{.ci,bin,tools,tests/fuzz}
cp "$ci" "$folder/.ci/run"
touch "$folder/tests/fuzz/fuzz_some.c"

# Each stand-in obeys CASE_<its step>; "run-tests build foreign" is "foreign", "make test TIER=quick" is "make".
cat >"$folder/stand-in" <<'STAND_IN'
#!/bin/bash
step=$(basename "$0")
case "$step" in check) step=$1 ;; run-tests) step=foreign ;; esac
variable=CASE_${step//-/_}
if [ -n "${!variable:-}" ]; then eval "${!variable}"; else echo "1 0 0" >>"${CUZK_TALLY:-/dev/null}"; fi
STAND_IN
chmod +x "$folder/stand-in"
for name in bin/make tools/install-deps tools/run-tests tools/check; do cp "$folder/stand-in" "$folder/$name"; done

# expect STATUS PATTERN VARIABLE=VALUE...: of the last line
expect() {
  local wanted=$1 pattern=$2 status=0 out
  shift 2
  out=$(env -u CUZK_FUZZ_SECONDS -u CUZK_CI_SECONDS PATH="$folder/bin:$PATH" "$@" "$folder/.ci/run" 2>&1) || status=$?
  if ! [[ "${out##*$'\n'}" =~ ^$pattern$ ]] || { [ "$wanted" = 0 ] && [ $status -ne 0 ]; } ||
    { [ "$wanted" != 0 ] && [ $status -eq 0 ]; }; then
    printf '%s\n%s: exit status %s, wanted %s and "%s"\n' "$out" "$*" "$status" "$wanted" "$pattern" >&2
    exit 1
  fi
}

# Coverage is a report.
expect 0 "8 passed, 0 failed, 0 skipped" CASE_coverage='exit 1'
# Failed tests, counted by their run; a step that counts nothing; one that dies before it has counted.
expect not-0 "7 passed, 4 failed, 1 skipped" CASE_asan='echo "2 2 1" >>"$CUZK_TALLY"; exit 8' CASE_lint='exit 1' CASE_tsan='kill -9 $$'
# What finds no time left is ended.
expect not-0 "[0-7] passed, [1-8] failed, 0 skipped" CUZK_CI_SECONDS=3 CASE_fuzz='sleep 60'
