# Every fuzz target on its seeds and fixed mutations of them: no crash.
. "${srcdir:=.}/tests/promises.sh"
RUNS=${RUNS:-300}
export RUNS
empty=$(mktemp) || exit 1
trap 'rm -f "$empty"' EXIT
for t in "${builddir:=.}"/tests/fuzz_*; do
	[ -x "$t" ] && [ -f "$t" ] || continue
	case ${t##*/} in
	fuzz_plan) seeds=$(ls "$srcdir"/samples/*.plan) ;;
	fuzz_hlo_proto) seeds=$(find "$srcdir/../shared/corpus" -name '*.pb' -size -12k 2>/dev/null | sort | head -n 12) ;;
	fuzz_hlo*) seeds=$(ls "$srcdir"/samples/*.hlo) ;;
	*) seeds=$(ls "$srcdir"/rules/*.egg) ;;
	esac
	out=$("$t" ${seeds:-"$empty"} 2>&1) || complain "$(printf '%s' "$out" | tail -n 20)"
	promise "${t##*/}${seeds:+ on $(echo "$seeds" | wc -l) files}"
done
promises_end
