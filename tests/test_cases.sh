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

# `test` NAME: is DIST refuted, at an instruction that the case has on the frontier?
refuted_there()
{
	"$DIVERGE" --batch -e 'continue!' -e test "$1.base.hlo" "$1.dist.hlo" 2>&1 |
		python3 -c '
import json, re, sys
text = sys.stdin.read()
at = re.findall(r"while its operands correspond: %(\S+?),?(?:\s|$)", text)
names = [a.rsplit("/", 1)[-1].lstrip("%").split("#")[0] for a in at]
case, dist = json.load(open(sys.argv[1])), open(sys.argv[2]).read()
due = [n.split("#")[0] for n in case["frontier"] + case.get("frontier_also", [])]
due += [t for n in due for t in re.findall("%" + re.escape(n) + r" = .*? get-tuple-element\(%([\w.]+)\)", dist)]
sys.exit(not ("refuted: an input" in text and names and all(n in due or n.rstrip("0123456789") in due for n in names)))' "$1.json" "$1.dist.hlo"
}
# what the bfloat16 sum of gradients changes is precision alone: over the reals it is equal
for json in "$shared"/cases/*.json; do
	case $json in */grad_reduced_in_bf16.json) continue ;; esac
	refuted_there "${json%.json}" || complain "${json##*/}"
done
promise 'numbers refute the wrong programs, each at an instruction of its frontier'
"$DIVERGE" --batch -e 'continue!' -e test "$shared/cases/grad_reduced_in_bf16.base.hlo" "$shared/cases/grad_reduced_in_bf16.dist.hlo" |
	grep -q 'the first rounding that differs: %g16' || complain 'grad_reduced_in_bf16'
promise 'a precision change is said as such'
promises_end
