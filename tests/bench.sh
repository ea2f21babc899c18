# make bench: how fast, in rows of work, best wall time of five runs, peak memory,
# e-nodes, and the bound that the program is held to.  Rows whose program or
# input is not there are left out, and said.
builddir=${builddir:-.}
srcdir=${srcdir:-..}
DIVERGE=${DIVERGE:-$builddir/diverge}
tests=$builddir/tests
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
trap 'exit 1' INT TERM
line='%-44s %10s %10s %9s %7s  %s\n'

left_out()
{
	echo "left out: $1 ($2)"
}

# pair NAME BOUND BASE DIST PLAN: one verification, load to verdict
pair()
{
	if [ ! -x "$DIVERGE" ]; then
		left_out "$1" "no $DIVERGE"
		return
	fi
	set -- "$1" "$2" --batch --json --plan "$5" "$3" "$4"
	name=$1 bound=$2
	shift 2
	nodes=$("$DIVERGE" "$@" 2>/dev/null | grep -o '"nodes": *[0-9]*' | head -n 1 | tr -dc 0-9)
	figures=$("$tests/measure" "$DIVERGE" "$@")
	set -- $figures
	printf "$line" "$name" "$1 ms" "$2 MB" "${nodes:--}" "$3" "$bound"
}

# program NAME BOUND PROGRAM ARGS..: a benchmark that prints its own rows
program()
{
	name=$1 bound=$2
	shift 2
	if [ ! -x "$1" ]; then
		left_out "$name" "no ${1##*/}"
		return
	fi
	echo "$name (bound: $bound)"
	"$@" | sed 's/^/    /'
}

printf "$line" work time memory nodes status bound
neuron=$srcdir/../shared/corpus/neuron-llama
if [ -f "$neuron/tp2_layer1.hlo" ]; then
	pair "one Neuron Llama layer" "5 ms" "$neuron/tp1_layer1.hlo" "$neuron/tp2_layer1.hlo" "$neuron/tp2_layer1.plan"
else
	left_out "one Neuron Llama layer" "no ../shared"
fi
for tp in 2 8 64; do
	"$tests/gen_layers" -l 126 -t $tp "$dir/small" || exit 1
	pair "126 layers, tp=$tp" "250 ms, 150 MB" "$dir/small.base.hlo" "$dir/small.dist.hlo" "$dir/small.plan"
done
"$tests/gen_layers" -l 126 -t 8 -r "$dir/real" || exit 1
pair "126 layers of a 405B model, tp=8" "250 ms, 150 MB" "$dir/real.base.hlo" "$dir/real.dist.hlo" "$dir/real.plan"
"$tests/gen_layers" -l 126 -t 8 -m 100 "$dir/wrong" || exit 1
pair "126 layers, an all-reduce missing in one" "(none)" "$dir/wrong.base.hlo" "$dir/wrong.dist.hlo" "$dir/wrong.plan"

program "math, 11 steps, then one small firing and its undo" \
	"without trail and proofs 0.72 s, 192 MB; with them 1.08 s; firing and undo 0.1 ms" "$tests/bench_math"
# redraw LAYERS NODES: with a fault in the middle, so that there is a place to stop at
redraw()
{
	"$tests/gen_layers" -l "$1" -t 8 -m $(($1 / 2)) "$dir/redraw" || exit 1
	program "key to screen at $2 nodes" "16 ms" "$tests/bench_redraw" "$dir/redraw.base.hlo" "$dir/redraw.dist.hlo" "$dir/redraw.plan"
}

redraw 126 90,000
redraw 1420 1,000,000
