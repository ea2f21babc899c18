# make bench [EGGLOG=yes]: how fast, in rows of work, median and best wall time, median processor
# time (which a busy machine changes least), peak memory, e-nodes, firings per value
# of both programs, and the bound that the program is held to.  Rows whose program or
# input is not there are left out, and said.  The bounds were set on a machine where
# egglog 3.0.0 takes 0.72 s for the math program; EGGLOG=yes builds it with cargo and
# times it here, before and after, so that what this machine takes can be compared.
builddir=${builddir:-.}
srcdir=${srcdir:-..}
DIVERGE=${DIVERGE:-$builddir/diverge}
tests=$builddir/tests
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
trap 'exit 1' INT TERM
line='%-44s %10s %10s %10s %9s %9s %8s %7s  %s\n'

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
	"$DIVERGE" "$@" > "$dir/report" 2>/dev/null
	values=$(($(figure base) + $(figure dist)))
	nodes=$(figure nodes) firings=$(figure firings)
	each=$(awk "BEGIN { if ($values) printf \"%.2f\", $firings / $values; else print \"-\" }")
	figures=$("$tests/measure" "$DIVERGE" "$@")
	set -- $figures
	printf "$line" "$name" "$1 ms" "$2 ms" "$3 ms" "$4 MB" "$nodes" "$each" "$5" "$bound"
}

# figure KEY: the first number of that name in the report, 0 if there is none
figure()
{
	n=$(grep -o "\"$1\": *[0-9][0-9]*" "$dir/report" | head -n 1 | tr -dc 0-9)
	echo "${n:-0}"
}

# layers NAME BOUND OPTIONS..: a pair that gen_layers writes
layers()
{
	name=$1 bound=$2
	shift 2
	"$tests/gen_layers" "$@" "$dir/layers" || exit 1
	pair "$name" "$bound" "$dir/layers.base.hlo" "$dir/layers.dist.hlo" "$dir/layers.plan"
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

# reference: how fast this machine is now, by the program that the bounds were set beside
reference()
{
	sources=$srcdir/../shared/bench_math
	if [ -z "$EGGLOG" ]; then
		return
	elif ! command -v cargo > /dev/null || [ ! -f "$sources/run.sh" ]; then
		left_out "egglog" "no cargo or no ../shared"
		return
	fi
	export CARGO_TARGET_DIR="${CARGO_TARGET_DIR:-${TMPDIR:-/tmp}/bench_math_target}"
	RUNS=0 sh "$sources/run.sh" > /dev/null || exit 1
	for run in 1 2 3 4 5; do
		"$CARGO_TARGET_DIR/release/egglog_math" plain || exit 1
	done | sort -k 4,4g | awk 'NR == 1 { best = $4; mb = $5 } NR == 3 { middle = $4 }
		END { printf "egglog, math, 11 steps: median %.2f s, best %.2f s, %.0f MB; this machine takes %.2f times the 0.72 s of the bounds\n",
			middle, best, mb, best / 0.72 }'
}

reference
printf "$line" work median best processor memory nodes firings status bound
neuron=$srcdir/../shared/corpus/neuron-llama
if [ -f "$neuron/tp2_layer1.hlo" ]; then
	pair "one Neuron Llama layer" "5 ms" "$neuron/tp1_layer1.hlo" "$neuron/tp2_layer1.hlo" "$neuron/tp2_layer1.plan"
else
	left_out "one Neuron Llama layer" "no ../shared"
fi
for l in 1 8 32 126; do
	layers "$l layers written out, tp=8" "250 ms, 150 MB for 126; linear" -l $l -t 8
done
for l in 1 8 32 126; do
	layers "$l layers as a loop, tp=8" "as one layer" -l $l -t 8 -s
done
for tp in 2 64; do
	layers "126 layers, tp=$tp" "250 ms, 150 MB" -l 126 -t $tp
	layers "126 layers as a loop, tp=$tp" "as one layer" -l 126 -t $tp -s
done
layers "126 layers of a 405B model, tp=8" "250 ms, 150 MB" -l 126 -t 8 -r
layers "126 layers of a 405B model as a loop, tp=8" "as one layer" -l 126 -t 8 -r -s
layers "126 layers, an all-reduce missing in one" "(none)" -l 126 -t 8 -m 100
layers "126 layers as a loop, an all-reduce missing" "(none)" -l 126 -t 8 -m 100 -s

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
reference
