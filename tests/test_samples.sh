# The samples and generated layers have the verdicts that they are made for, the
# broken ones with the frontier where the mistake is; and the source lines in the
# samples are lines of the files beside them.
. "${srcdir:=.}/tests/promises.sh"
samples=$srcdir/samples
tests=${builddir:=.}/tests
DIVERGE=${DIVERGE:-$builddir/diverge}
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT

for f in "$samples"/*.hlo; do
	sed -n 's/.*source_file="\([^"]*\)" source_line=\([0-9]*\).*/\1 \2/p' "$f" | sort -u |
	while read -r source line; do
		sed -n "${line}p" "$samples/$source" | grep -q '[^[:space:]]' || echo "$f: no line $line in $source"
	done
done >"$dir/lines"
[ ! -s "$dir/lines" ] || complain "$(cat "$dir/lines")"
promise 'source lines in the samples are lines of their sources'

# pair NAME STATUS FRONTIER BASE DIST PLAN; status 1 also stands for 3: not proved, the search was cut
pair()
{
	"$DIVERGE" --json --plan "$6" "$4" "$5" >"$dir/report" 2>"$dir/errors"
	status=$?
	[ $status -eq "$2" ] || { [ "$2" -eq 1 ] && [ $status -eq 3 ]; } || complain "exit status $status, not $2: $(head -c 300 "$dir/errors")"
	[ -z "$3" ] || grep -Eq "\"node\": *\"%?$3\"" "$dir/report" || complain "$3 is not on the frontier"
	promise "$1"
}

sample()
{
	pair "$2.$3" "$1" "$4" "$samples/$2.base.hlo" "$samples/$2.$3.hlo" "$samples/$2.plan"
}

layers()
{
	status=$1
	shift
	"$tests/gen_layers" "$@" "$dir/layers" || exit 1
	pair "gen_layers $*" $status '' "$dir/layers.base.hlo" "$dir/layers.dist.hlo" "$dir/layers.plan"
}

sample 0 attention dist ''
sample 1 attention broken slice.1
sample 0 mlp dist ''
sample 1 mlp broken add.1
layers 0 -l 2 -t 2
layers 0 -l 1 -t 8
layers 0 -l 1 -t 64
layers 0 -l 1 -t 8 -r
layers 1 -l 2 -t 2 -m 0
layers 1 -l 8 -t 8 -m 2
layers 0 -l 126 -t 8 -s
layers 0 -l 40 -t 8 -r -s
layers 1 -l 40 -t 2 -m 0 -s
for f in "$srcdir"/samples/lesson-*.egg; do
	"$DIVERGE" --batch "$f" >"$dir/lesson" 2>&1 || complain "$f: $(tail -n 1 "$dir/lesson")"
	printf 's\ns 3\nr 2\nc\nq\n' | "$DIVERGE" "$f" >"$dir/stepped" 2>&1 || complain "$f, stepped: $(tail -n 1 "$dir/stepped")"
	[ "$(tail -n 1 "$dir/lesson")" = "$(tail -n 1 "$dir/stepped")" ] || complain "$f: stepping and going back ends elsewhere"
done
promise 'the lessons run, and end alike when stepped back and forth'

# lesson FILE LINE..: what the stepper says to these commands
lesson()
{
	file=$samples/$1
	shift
	printf '%s\n' "$@" | "$DIVERGE" "$file" >"$dir/lesson" 2>&1
}

says()
{
	grep -Fqx "$1" "$dir/lesson" || complain "not said: $1; $(cat "$dir/lesson")"
}

lesson lesson-unsound.egg c 'w (Num 5) (Num 0)' g 'x (Mul (Num 5) (Num 0))' 'w (Num 5) (Num 1)' 'w (Num 5)' 'whynot mul-zero' 'r' 'w (Num 5) (Num 0)'
says '  (Mul (Num 5) (Num 0)): it has fired here (firing 1), and what it says is known'
says '  mul-zero: (Mul (Num 5) (Num 0)) = (Num 0)'
says '  mul-one: (Mul (Num 5) (Num 0)) = (Num 5)'
says '(Num 0) = (Num 5) = (Mul (Num 5) (Num 0))'
says '(Num 5)'
says 'it is not in the graph'
says 'two expressions are meant'
says 'they are not equal, as far as the program has run'
lesson lesson-fold.egg c "x \$nowhere" "x nowhere" "x (Num 1 2)" "w (Num 5) (Num \"a\")"
says "unbound symbol \`\$nowhere\`"
lesson lesson-congruence.egg 's 3' s 'w (A) (F (F (F (A))))' s 'w (A) (F (A))' g
says '    3  given              (union $three $a)'
says '  given: (F (F (F (A)))) = (A)'
says '(A) = (F (A))'
lesson lesson-shortest.egg 's 6' 'x (distance 2)' 'x (distance 9)' 'x (distance 1 2)' 'whynot go-on' c g 'x (distance 2)' r 'x (distance 4)'
says '    5  go-on              (distance 2) = 10  from (distance 1), (edge 1 2 10)'
says '10'
says 'the function has no value there'
says 'a function is asked with all its arguments'
says '  (distance 1): it matches, and has fired here: firing 5'
says '  (distance 2): it matches, and has not fired here: it does when its ruleset is run'
says '(distance 2) = 3'
says '3'
says '11'
lesson lesson-fold.egg 's 2' '' 'whynot fold-add' 'whynot fold-add (Num 6)' 'whynot fold' rules 'goto 2' 'goto 5' 'reverse' 'goto' 'goto x' \
	run 'x (Nom 1' 'x (Nom 1)' 'w (Num 1) (Nom 2)' '(Num 1)' '?'
says '    2  fold-mul           (Num 6)  from (Mul (Num 2) (Num 3))'
says '  (Add (Num 1) (Mul (Num 2) (Num 3))): it matches, and has not fired here: it does when its ruleset is run'
says 'no node of that class is of the kind that it starts at'
says "there is no rule 'fold'; \`rules\` lists them"
says 'fold-mul             fired 1'
says 'at line 12: (run 1)'
says 'goto takes a number'
says "goto takes a number, which 'x' is not"
says 'a form is typed as in the program: (run ..)'
says 'a list without end'
says 'unknown function `Nom`; perhaps `Num` is meant'
says 'it stands behind the program: continue goes there'
grep -q ':[0-9]' "$dir/lesson" && complain "a place in the program for what was typed: $(cat "$dir/lesson")"
awk 'length > 80 && !/^  /' "$dir/lesson" | grep . && complain 'a line of more than 80 columns'
lesson lesson-fold.egg :h 's 2' h 'h 1' rs h 'h x'
says 'nothing has fired yet'
says '  .. 1 before'
[ "$(grep -c '^    0  given ' "$dir/lesson")" = 3 ] || complain "history after steps there and back: $(cat "$dir/lesson")"
says "history takes a number, which 'x' is not"
lesson lesson-fold.egg 's 2' 'whynot fold-add'
says '  (Add (Num 1) (Mul (Num 2) (Num 3))): no Num in the class; there is Mul'
lesson lesson-fold.egg '(let $more (Add (Num 7)' '(let $more (Add (Num 7) (Num 8)))' c '(run 1)' s '(extract $more)' n 'rs 99' c
says 'a list without end'
says 'it stands behind the program: continue goes there'
says 'it comes next: s steps through it, n does it'
says 'at what was typed: (run 1)'
says '    7  fold-add           (Num 15)  from (Add (Num 7) (Num 8))'
says '(Num 15)'
printf '(datatype Math\n    (Num i64)\n    (Add Math Math) (Sub Math Math) (Mul Math Math))\n' >"$dir/long.egg"
echo p | "$DIVERGE" "$dir/long.egg" >"$dir/lesson"
says 'at line 1: (datatype Math (Num i64) (Add Math Math) (Sub Math Math) (Mu..'
promise 'a stepped lesson says what fired, what is equal, and why'

"$DIVERGE" "$samples/lesson-fold.egg" </dev/null >"$dir/lesson" 2>&1
"$DIVERGE" --batch "$samples/lesson-fold.egg" >"$dir/stepped" 2>&1
cmp -s "$dir/lesson" "$dir/stepped" || complain "run with nobody to step it: $(cat "$dir/lesson")"
for option in --json '-e c' '--plan x' '--size 80x24'; do
	"$DIVERGE" $option "$samples/lesson-fold.egg" >"$dir/lesson" 2>&1 </dev/null
	[ $? -eq 2 ] && grep -q "is for a pair, not for the egglog program" "$dir/lesson" || complain "$option: $(cat "$dir/lesson")"
done
"$DIVERGE" "$samples/lesson-fold.egg" "$samples/mlp.dist.hlo" >"$dir/lesson" 2>&1 </dev/null
[ $? -eq 2 ] && grep -q "stands alone" "$dir/lesson" || complain "beside a graph: $(cat "$dir/lesson")"
promise 'a program is run where nobody steps it, and options for a pair are refused'
promises_end
