# The case bank beside the source tree, where it is there: every correct program
# proved, no wrong one, and the frontier where the case says.  A figure that was
# reached has to be reached again.
. "${srcdir:=.}/tests/promises.sh"
DIVERGE=${DIVERGE:-${builddir:=.}/diverge}
shared=$srcdir/../shared
proved=25 right=26	# of 26

if [ ! -d "$shared/cases" ] || ! command -v python3 >/dev/null; then
	echo "1..0 # SKIP no case bank beside the source tree"
	exit 0
fi
table=$(python3 "$shared/score/run_cases.py" "$DIVERGE" "$shared/cases")
figures=$(printf '%s\n' "$table" | tail -n 1)
printf '%s\n' "$table" | grep -v 'fixed proved .* frontier hit' | sed 's/^/# /'
# shellcheck disable=SC2046
set -- $(printf '%s\n' "$figures" | tr -dc '0-9 ')

[ "${2:-0}" -ge $proved ] || complain "${2:-0} correct programs proved, $proved were"
promise 'correct programs of the case bank are proved'
[ "${3:-1}" -eq 0 ] || complain "${3:-?} wrong programs proved"
promise 'no wrong program of the case bank is proved'
[ "${4:-0}" -ge $right ] || complain "${4:-0} frontiers right, $right were"
promise 'the frontier is where the case says'
promises_end
