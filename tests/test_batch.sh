# The program without a terminal: exit statuses, one line for every kind of bad
# input, scripts, JSON, screens, the manual page.
. "${srcdir:=.}/tests/promises.sh"
samples=$srcdir/samples
DIVERGE=${DIVERGE:-${builddir:-.}/diverge}
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT

base=$samples/attention.base.hlo
good=$samples/attention.dist.hlo
broken=$samples/attention.broken.hlo
plan=$samples/attention.plan

# run STATUS ARGS..: what it prints is in $dir/out and $dir/err
run()
{
	want=$1
	shift
	"$DIVERGE" "$@" >"$dir/out" 2>"$dir/err" </dev/null
	status=$?
	[ $status -eq "$want" ] || complain "$*: exit status $status, not $want: $(head -c 300 "$dir/err")"
}

# one line on stderr that holds PART, nothing on stdout
one_line()
{
	[ "$(wc -l <"$dir/err")" -eq 1 ] || complain "not one line: $(head -c 500 "$dir/err")"
	grep -q -e "$1" "$dir/err" || complain "'$1' is not in: $(cat "$dir/err")"
	[ ! -s "$dir/out" ] || complain "stdout: $(head -c 300 "$dir/out")"
}

printed()
{
	grep -q -e "$1" "$dir/out" || complain "'$1' is not in: $(head -c 500 "$dir/out")"
}

# ---- verdicts
run 0 --batch --plan "$plan" "$base" "$good"
printed '^proved$'
run 0 --batch "$base" "$good"
printed '^proved$'
promise 'proved: 0, the plan beside DIST is found'

run 1 --batch --plan "$plan" "$base" "$broken"
printed 'unknown: no rule'
printed '^  against  base %slice.1: as said$'
promise 'not proved: 1'

run 3 --batch -e 'step' --plan "$plan" "$base" "$good"
run 3 --batch -e 'set limit 1' -e 'continue!' -e 'info outputs' --plan "$plan" "$base" "$good"
printed 'unknown: limit'
promise 'not carried to its end: 3'

run 4 --batch -e 'continue' -e 'assume %add.1 = base %add.1 R' -e 'continue!' --plan "$plan" "$base" "$broken"
printed 'under .*(A1)'
promise 'under a hypothesis: 4'

run 1 --batch
printed 'unknown: no rule'
promise 'without files: a sample that has a fault'

# a batch queue limits addresses, and a program with sanitizers needs them all
if (ulimit -v 400000 && "$DIVERGE" --version) >"$dir/out" 2>&1; then
	(ulimit -v 400000 && "$DIVERGE" --batch --plan "$plan" "$base" "$good") >"$dir/out" 2>&1
	printed '^proved$'
fi
promise 'address space may be limited'

# ---- JSON
run 1 --json --plan "$plan" "$base" "$broken"
printed '^{"verdict":"unknown-rule","exit":1,.*}$'
[ "$(wc -l <"$dir/out")" -eq 1 ] || complain 'more than the report'
promise '--json: the report and nothing else'

run 4 --json -e 'info rules' -e 'continue' -e 'assume %add.1 = base %add.1 R' -e 'continue!' --plan "$plan" "$base" "$broken"
printed '^{"verdict":"proved-under"'
printed '"hypotheses":\["A1: assume %add.1 = base %add.1 R"\]'
[ "$(wc -l <"$dir/out")" -eq 1 ] || complain 'more than the report'
promise '--json with commands: hypotheses are listed'

# ---- alternatives: a bias added before the all-reduce
printf 'mesh tp=2\n' >"$dir/mesh.plan"
run 1 --batch --plan "$dir/mesh.plan" "$samples/mlp.base.hlo" "$samples/mlp.broken.hlo"
printed '^unknown: no rule$'
printed '^alternative with input 0 as tp:P(sum) instead of R the output is proved$'
run 1 --json --plan "$dir/mesh.plan" "$samples/mlp.base.hlo" "$samples/mlp.broken.hlo"
printed '"alternatives":{"offer":"with input 0 as tp:P(sum) instead of R the output is proved","plan":\["input 0 tp:P(sum)"\]'
run 1 --batch --plan "$dir/mesh.plan" -e 'continue!' -e alternatives -e "save plan $dir/saved.plan" "$samples/mlp.base.hlo" "$samples/mlp.broken.hlo"
printed '^  input 0 tp:P(sum)$'
run 0 --batch --plan "$dir/saved.plan" "$samples/mlp.base.hlo" "$samples/mlp.broken.hlo"
printed '^proved$'
run 1 --batch --plan "$samples/mlp.plan" "$samples/mlp.base.hlo" "$samples/mlp.broken.hlo"
grep -q '^alternative' "$dir/out" && complain 'a plan that says it all has alternatives'
promise 'alternatives are offered, and change no verdict'

# ---- what has no counterpart is counted, and listed when asked for
{
	printf 'HloModule m\nENTRY e {\n x = f32[4] parameter(0)\n c = f32[] constant(1)\n b = f32[4] broadcast(c), dimensions={}\n y0 = f32[4] add(x, b)\n'
	for k in 1 2 3 4 5 6 7 8 9 10 11 12; do
		printf ' y%d = f32[4] add(y%d, b)\n' $k $((k - 1))
	done
	printf ' ROOT r = f32[4] add(y12, b)\n}\n'
} >"$dir/long.hlo"
printf 'HloModule m\nENTRY e {\n x = f32[4] parameter(0)\n c = f32[] constant(14)\n b = f32[4] broadcast(c), dimensions={}\n ROOT r = f32[4] add(x, b)\n}\n' >"$dir/short.hlo"
run 0 --batch "$dir/short.hlo" "$dir/long.hlo"
[ "$(grep -c '^unmatched   %y[0-7]$' "$dir/out")" -eq 8 ] || complain "not the first eight: $(cat "$dir/out")"
printed '^            7 more of 15; `info unmatched` and --json list them all$'
run 0 --batch "$dir/short.hlo" "$dir/long.hlo" -e continue! -e 'info unmatched'
printed '^13 values of DIST without counterpart$'
printed '^%y12$'
run 0 --json "$dir/short.hlo" "$dir/long.hlo"
printed '"unmatched":\["%y0",.*"%y12","base %c","base %b"\]'
promise 'values without counterpart: how many, and how to see all'

# ---- a row that many trips of a loop have is told once
cat >"$dir/half.hlo" <<'END'
HloModule m
cond { t = (s32[], f32[8,3], f32[8,3]) parameter(0)
 i = s32[] get-tuple-element(t), index=0
 l = s32[] constant(4)
 ROOT p = pred[] compare(i, l), direction=LT }
body { t = (s32[], f32[8,3], f32[8,3]) parameter(0)
 i = s32[] get-tuple-element(t), index=0
 v = f32[8,3] get-tuple-element(t), index=1
 w = f32[8,3] get-tuple-element(t), index=2
 k = s32[] constant(1)
 j = s32[] add(i, k)
 z = s32[] constant(0)
 row = f32[1,3] dynamic-slice(w, i, z), dynamic_slice_sizes={1,3}
 y = f32[1,3] sine(row)
 a = f32[8,3] dynamic-update-slice(v, y, i, z)
 ROOT r = (s32[], f32[8,3], f32[8,3]) tuple(j, a, w) }
ENTRY e { x = f32[8,3] parameter(0)
 s = s32[] constant(0)
 d = f32[] constant(0)
 f = f32[8,3] broadcast(d), dimensions={}
 t = (s32[], f32[8,3], f32[8,3]) tuple(s, f, x)
 o = (s32[], f32[8,3], f32[8,3]) while(t), condition=cond, body=body
 ROOT q = f32[8,3] get-tuple-element(o), index=1 }
END
printf 'HloModule m\nENTRY e { x = f32[8,3] parameter(0)\n ROOT y = f32[8,3] sine(x) }\n' >"$dir/sine.hlo"
run 1 --batch "$dir/sine.hlo" "$dir/half.hlo"
[ "$(grep -c '^  in it %o' "$dir/out")" -eq 1 ] || complain "not told once: $(cat "$dir/out")"
printed '^  and so in [0-9]* more trips of the loop; --json lists them$'
promise 'a row of many trips is told once'

run 1 --json "$dir/sine.hlo" "$dir/half.hlo"
[ "$(grep -o '"in_it":"%o\[[^"]*"' "$dir/out" | sed 's/\[[0-9]*\]//' | sort | uniq -d | wc -l)" -eq 0 ] || complain "a row once a trip: $(cat "$dir/out")"
printed '"in_it":"%o\[0\][^"]*","trips":\[0,1,2'
promise 'likewise in JSON, with the numbers of the trips'

# ---- of a product that is made the other way round the transposition is proposed, not a reshape
printf 'HloModule m\nENTRY e { x = f32[4,3] parameter(0)\n w = f32[4,5] parameter(1)\n y = f32[3,5] dot(x, w), lhs_contracting_dims={0}, rhs_contracting_dims={0}\n ROOT o = f32[3,5] tanh(y) }\n' >"$dir/turn.base.hlo"
printf 'HloModule m\nENTRY e { x = f32[4,3] parameter(0)\n w = f32[4,5] parameter(1)\n y = f32[5,3] dot(w, x), lhs_contracting_dims={0}, rhs_contracting_dims={0}\n d = f32[5,3] add(y, y)\n c = f32[] constant(4)\n b = f32[5,3] broadcast(c), dimensions={}\n s = f32[5,3] divide(d, b)\n t = f32[3,5] transpose(s), dimensions={1,0}\n ROOT o = f32[3,5] tanh(t) }\n' >"$dir/turn.dist.hlo"
run 1 --batch -e 'continue!' -e 'select %s' -e bijections -e assume "$dir/turn.base.hlo" "$dir/turn.dist.hlo"
printed '^proposed: assume %s = base %y transpose(1,0)$'
printed '^2   reshape(5,3) '
promise 'what is proposed where both would fit'

# ---- a pair that holds, and is on the frontier: why is said
printf 'HloModule m\nENTRY e { x = f32[4] parameter(0)\n a = f32[4] sine(x)\n b = f32[4] cosine(x)\n ROOT t = (f32[4], f32[4]) tuple(a, b) }\n' >"$dir/two.base.hlo"
printf 'HloModule m\nENTRY e { x = f32[4] parameter(0)\n a = f32[4] sine(x)\n b = f32[4] cosine(x)\n ROOT t = (f32[4], f32[4]) tuple(b, a) }\n' >"$dir/two.dist.hlo"
run 1 --batch -e 'continue!' -e 'select %a' -e bijections "$dir/two.base.hlo" "$dir/two.dist.hlo"
printed '^on the frontier all the same: %a is R of %a, the plan wants R of %b; %a is what output 0 should be: outputs are swapped$'
promise 'why a pair that holds is on the frontier'

# ---- names are told whole, however long
long=$(printf '%0300d' 0 | tr 0 n)
printf 'HloModule m\nENTRY e { x = f32[4] parameter(0)\n ROOT %s = f32[4] abs(x) }\n' "$long" >"$dir/long.hlo"
run 0 --batch "$dir/long.hlo" "$dir/long.hlo"
printed "^output 0 %$long: proved as R"
promise 'long names'

# ---- calls of libraries that are not read say why
# convolution CONFIG WORDS: such a call is not read, with these words
convolution()
{
	printf 'HloModule m\nENTRY e {\n x = f32[2,6,6,4] parameter(0)\n k = f32[5,3,3,4] parameter(1)\n c = (f32[2,6,6,5], u8[0]) custom-call(x, k), window={size=3x3 pad=1_1x1_1}, dim_labels=b01f_o01i->b01f, custom_call_target="__cudnn$convForward"%s\n ROOT r = f32[2,6,6,5] get-tuple-element(c), index=0\n}\n' "$1" >"$dir/call.hlo"
	printf 'HloModule m\nENTRY e {\n x = f32[2,6,6,4] parameter(0)\n k = f32[5,3,3,4] parameter(1)\n ROOT c = f32[2,6,6,5] convolution(x, k), window={size=3x3 pad=1_1x1_1}, dim_labels=b01f_o01i->b01f\n}\n' >"$dir/conv.hlo"
	"$DIVERGE" --batch "$dir/conv.hlo" "$dir/call.hlo" >"$dir/out" 2>&1
	[ $? -eq "$2" ] || complain "a call with '$1': not exit status $2"
	tr -s '\n ' '  ' <"$dir/out" >"$dir/flat" && mv "$dir/flat" "$dir/out"
	printed "$3"
}
convolution ', backend_config={"conv_result_scale":1}' 0 'is read as the convolution'
convolution '' 1 'convForward is not read: it has no backend_config, which says by what'
convolution ', backend_config={"conv_result_scale":1,"fancy":3}' 1 'convForward is not read: what `fancy: 3` in its backend_config means is not known'
convolution ', backend_config="scale of one"' 1 'convForward is not read: its backend_config is no object'
run 1 --batch -e 'continue!' -e test "$dir/conv.hlo" "$dir/call.hlo"
printed '^output 0 .*: the custom call __cudnn.convForward is not read: its backend_config is no object'
printed '^no output could be compared$'
promise 'calls of libraries that are not read: why'

# ---- usage
run 2 "$base"
one_line 'DIST is missing'
run 2 "$base" "$good" "$plan"
one_line 'two files'
run 2 --nonsense
one_line 'no such option'
run 2 --plan
one_line 'argument is missing'
run 2 --size 80 "$base" "$good"
one_line 'WIDTHxHEIGHT'
run 2 --size 100000x2 "$base" "$good"
one_line 'WIDTHxHEIGHT'
run 2 --no-trail "$base" "$good"
one_line 'needs --batch'
run 0 --help
printed 'Usage'
run 0 --version
printed 'diverge [0-9]'
promise 'usage: 2 and one line'

# ---- no terminal
run 2 "$base" "$good"
one_line 'terminal'
# with a terminal whose kind is not known
if script -qec true /dev/null >/dev/null 2>&1; then
	(unset TERM; script -qec "'$DIVERGE' '$base' '$good'" /dev/null >"$dir/out" 2>&1 </dev/null)
	[ $? -eq 2 ] || complain 'no TERM: not exit status 2'
	printed 'TERM'
fi
run 0 --batch --plan "$plan" "$base" "$good"
promise 'without a terminal: one line that names --batch'

# ---- files that cannot be read
: >"$dir/empty"
head -c 3000 "$base" >"$dir/cut"
head -c 100000 /dev/zero >"$dir/zeros"
printf 'HloModule m\nENTRY %%e {\n  ROOT %%x = f32[4] add(%%y, %%y)\n}\n' >"$dir/undefined"
mkdir "$dir/folder"
for form in --batch --json; do
	run 2 $form "$dir/none" "$good" && one_line "$dir/none"
	run 2 $form "$dir/empty" "$good" && one_line "$dir/empty"
	run 2 $form "$dir/folder" "$good" && one_line "$dir/folder"
	run 2 $form "$base" "$dir/none" && one_line "$dir/none"
	run 2 $form "$dir/cut" "$good" && one_line "$dir/cut:[0-9]*:[0-9]*: "
	run 2 $form "$base" "$dir/cut" && one_line "$dir/cut:[0-9]*:[0-9]*: "
	run 2 $form "$dir/zeros" "$good" && one_line "$dir/zeros"
	run 2 $form "$dir/undefined" "$good" && one_line "$dir/undefined:3:"
done
promise 'programs that cannot be read: 2 and file:line:column'

cp "$DIVERGE" "$dir/moved"
if env -u DIVERGE_DATA "$dir/moved" --batch --plan "$plan" "$base" "$good" >"$dir/out" 2>"$dir/err"; then
	echo '# one is installed, whose rules a moved program finds'
else
	one_line 'DIVERGE_DATA names the folder'
fi
promise 'a program that was moved away from its rules says how it is told where they are'

run 2 --batch --plan "$dir/empty" "$base" "$good" && one_line "$dir/empty"
run 2 --batch --plan "$dir/none" "$base" "$good" && one_line "$dir/none"
run 2 --batch --plan "$dir/folder" "$base" "$good" && one_line "$dir/folder"
run 2 --batch --plan "$base" "$base" "$good" && one_line "$base:1:"
printf 'mesh tp=2\ninput 0 tp:S(9)\n' >"$dir/plan"
run 2 --batch --plan "$dir/plan" "$base" "$good" && one_line "$dir/plan:2"
printf 'mesh tp=2\ninput 99 R\n' >"$dir/plan"
run 2 --batch --plan "$dir/plan" "$base" "$good" && one_line "$dir/plan:2:"
printf '# cut in four\nmesh tp=4\n' >"$dir/plan"
run 2 --batch --plan "$dir/plan" "$base" "$good" && one_line "^$dir/plan:2:6: the mesh has 4 devices, $good is a program for 2\$"
run 2 --batch --plan "$plan" "$base" "$base" && one_line "^$plan:[0-9]*:7: input [0-9]*: that gives shape"
for chain in 'scale(2) tp:P(max)' 'tp:P(min) scale(-1)' 'scale(1/2) tp:P(max)'; do
	printf 'mesh tp=2\ninput 0 %s\n' "$chain" >"$dir/plan"
	run 2 --batch --plan "$dir/plan" "$base" "$good" && one_line "$dir/plan:2:7: input 0: \`scale\` with parts"
done
{
	printf 'HloModule m\nf0 {\n a = f32[4] parameter(0)\n ROOT r = f32[4] negate(a)\n}\n'
	for k in 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23; do
		printf 'f%d {\n a = f32[4] parameter(0)\n b = f32[4] call(a), to_apply=f%d\n ROOT r = f32[4] call(b), to_apply=f%d\n}\n' $((k + 1)) $k $k
	done
} >"$dir/calls"
{ cat "$dir/calls"; printf 'ENTRY e {\n x = f32[4] parameter(0)\n ROOT r = f32[4] call(x), to_apply=f24\n}\n'; } >"$dir/twice.hlo"
{ cat "$dir/calls"; printf 'ENTRY e {\n x = f32[4] parameter(0)\n ROOT r = f32[4] custom-call(x), custom_call_target="g", called_computations={f24}\n}\n'; } >"$dir/within.hlo"
run 2 --batch "$dir/twice.hlo" "$dir/twice.hlo" && one_line "$dir/twice.hlo:[0-9]*:1: with all calls and loops written out"
run 1 --batch "$dir/within.hlo" "$dir/within.hlo"
printed 'too long to be compared'
promise 'calls of calls end with a sentence'

printf 'HloModule m\nENTRY e {\n x = pred[4] parameter(0)\n ROOT r = pred[4] not(x)\n}\n' >"$dir/pred.hlo"
printf 'mesh tp=2\ninput 0 scale(2)\n' >"$dir/plan"
run 2 --batch --plan "$dir/plan" "$dir/pred.hlo" "$dir/pred.hlo" && one_line "$dir/plan:2:7: input 0: .scale. of integers or truth values"
# counts wrap: what they came to was compared
for chain in 'repeat(0; 4611686018427387904)' 'repeat(0; 288230376151711744)' 'reshape(4294967296,4294967296)'; do
	printf 'mesh tp=2\ninput 0 %s\n' "$chain" >"$dir/plan"
	run 2 --batch --plan "$dir/plan" "$base" "$good" && one_line "$dir/plan:2:7: input 0: the relation speaks of more elements than can be counted"
done
promise 'plans that are wrong: 2 and file:line'

run 2 --batch --rules "$dir/none" "$base" "$good" && one_line "$dir/none"
mkdir "$dir/rules"
run 2 --batch --rules "$dir/rules" "$base" "$good" && one_line "$dir/rules: no rules"
cp "$srcdir"/rules/*.egg "$dir/rules"
echo '(rewrite (nonsense x) x)' >>"$dir/rules/lift.egg"
run 2 --batch --rules "$dir/rules" "$base" "$good" && one_line "$dir/rules/lift.egg:[0-9]*:[0-9]*: "
cp "$srcdir"/rules/lift.egg "$dir/rules"
# rule TEXT WORDS: such a rule is refused with these words
rule()
{
	echo "$1" >"$dir/rules/mine.egg"
	run 2 --batch --rules "$dir/rules" "$base" "$good" && one_line "$dir/rules/mine.egg:1:[0-9]*: .*$2"
}
rule '(rule ((= s (cosine t i j n x))) ((union s x)) :ruleset normalize :name "r")' 'normalize starts at a node of sort Core'
rule '(rule ((= s (map t p f x))) ((union s x)) :ruleset lift :name "r")' 'lift starts at an instruction'
rule '(rule ((= s (map t p f x))) ((union s x)) :ruleset structure :name "r")' 'structure relates the views or forms'
rule '(rule ((= s (map t p f x))) ((union s x) (union s x)) :ruleset normalize :name "r")' 'has one action that is no constructor'
rule '(rule ((= s (map t p f x))) ((panic "x")) :ruleset search :name "r")' 'has one action that is no constructor'
rule '(rule ((< 1 2)) ((panic "x")) :ruleset normalize :name "r")' 'starts at a node: its first fact is'
rule '(rule () ((panic "x")) :name "r")' 'this rule has no facts: it begins with one that matches a node'
rule '(rule ((= s (cosine t i j n x))) () :name "r")' 'this rule has no actions: it would do nothing'
rule '(rule ((= s (cosine t i j n x))) ((panic "x")) :name "r")' 'a rule of no ruleset has one action that is no constructor'
# of what stands behind the first fact nothing would be kept: an identity of s would be taken for one of u
rule '(rule ((= u (sum t2 p2 c y)) (= s (map t p f u))) ((union s (map t p f u))) :ruleset normalize :name "r")' 'says what the node of its first fact is equal to'
rule '(rule ((= u (negate t2 i2 j2 n2 x)) (= s (cosine t i j n u))) ((union s (cosine t i j n x))) :name "r")' 'a rule of no ruleset says what the node of its first fact'
# a primitive computes what is so of the nodes that it is about
rule '(rule ((= s (ein t p e xs..)) (= r (sum-flatten s))) ((union s r)) :ruleset normalize :name "r")' 'asks a primitive about a node (ein ..): the primitive is about sum'
rule '(rule ((= s (transpose t i j n x)) (= r (lift-slice s))) ((union s r)) :name "r")' 'asks a primitive about a node (transpose ..): the primitive is about slice'
rule '(rule ((= s (cosine t i j n x))) ((union s x)) :ruleset lift :name "lift-dot")' 'there is a rule .lift-dot. already, at .*/lift.egg:[0-9]'
rule '(rule ((= s (cosine t i j n x))) ((union s x)) :name "lift-dot")' 'there is a rule .lift-dot. already, at .*/lift.egg:[0-9]'
mv "$dir/rules/mine.egg" "$dir/mine.egg"
run 0 --batch --rules "$dir/rules" --plan "$plan" "$base" "$good"
printed "^assumption  the rules are those of $dir/rules"
run 2 --batch --rules "$base" "$base" "$good" && one_line "^$base: rules are a folder of files that end in .egg, or one such file"
run 2 --batch --rules "$dir/mine.egg" "$base" "$good" && one_line "^$dir/mine.egg:1:1: "
echo '; cos(-x) = cos(x)' >"$dir/none.egg"
run 2 --batch --rules "$dir/none.egg" "$base" "$good" && one_line "^$dir/none.egg: there is no rule in it"
promise 'rule files that are wrong: 2 and file:line:column'

# ---- a file of rules beside the program's own
cat >"$dir/mine.egg" <<'END'
; cos(-x) = cos(x)
(rule ((= s (cosine t i j n u)) (= u (negate t i2 j2 n2 x)))
      ((union s (cosine t i j n x)))
      :name "even cosine")
END
printf 'HloModule m\nENTRY e { x = f32[4] parameter(0)\n ROOT cos = f32[4] cosine(x) }\n' >"$dir/cos.base.hlo"
printf 'HloModule m\nENTRY e { x = f32[4] parameter(0)\n y = f32[4] negate(x)\n ROOT cos = f32[4] cosine(y) }\n' >"$dir/cos.dist.hlo"
run 2 --batch "$dir/mine.egg"
grep -q "mine.egg:2:14: unknown function .cosine.; rules about tensor graphs are read beside a pair: diverge --rules FILE BASE DIST" "$dir/err" || complain "$(cat "$dir/err")"
run 1 --batch --rules "$dir/mine.egg" "$dir/cos.base.hlo" "$dir/cos.dist.hlo"
! grep -q 'mine.egg' "$dir/out" || complain 'a verdict rests on rules that did not fire'
run 2 --batch --rules "$dir/mine.egg" -e 'rule on even cosine' "$dir/cos.base.hlo" "$dir/cos.dist.hlo"
one_line 'rule on even cosine: no ruleset that runs has it: .apply. alone fires it'
run 0 --batch --rules "$dir/mine.egg" -e 'continue!' -e 'apply even cosine at %cos' -e 'continue!' -e report "$dir/cos.base.hlo" "$dir/cos.dist.hlo"
printed "^assumption  the rules of $dir/mine.egg are right"
run 0 --batch --rules "$dir/mine.egg" -e 'continue!' -e 'apply even cosine at %cos' -e 'continue!' -e "save proof $dir/cos.proof" "$dir/cos.base.hlo" "$dir/cos.dist.hlo"
run 0 --rules "$dir/mine.egg" --check "$dir/cos.proof" "$dir/cos.base.hlo" "$dir/cos.dist.hlo"
printed "^assumption  the rules of $dir/mine.egg are right"
run 4 --batch -e 'continue!' -e 'select %cos' -e 'assume . = base . R' -e 'continue!' -e report "$dir/cos.base.hlo" "$dir/cos.dist.hlo"
printed '^hypothesis .*assume %cos = base %cos R'
printf 'mesh tp=2\ninput 0 R\noutput 0 tp:S(3)\n' >"$dir/stray.plan"
run 2 --batch --plan "$dir/stray.plan" "$dir/cos.base.hlo" "$dir/cos.dist.hlo"
one_line "^$dir/stray.plan:3:8: output 0: no dimension 3: the tensor has 1, numbered from 0"
printf 'mesh tp=2\ninput 0 R\noutput 0 tp:S(0)\n' >"$dir/unfit.plan"
run 1 --batch --plan "$dir/unfit.plan" "$dir/cos.base.hlo" "$dir/cos.dist.hlo"
promise 'a file of rules is read beside the own'

# ---- an extent without a bound is what is not understood
counted()
{
	printf 'HloModule m%s\na { x = s32[] parameter(0)\n y = s32[] parameter(1)\n ROOT r = s32[] add(x, y) }\nENTRY e { x = f32[%d] parameter(0)\n' "$1" "$2"
	printf ' c = f32[%d] constant({%s})\n p = pred[%d] compare(x, c), direction=GT\n k = s32[%d] convert(p)\n' "$2" "$3" "$2" "$2"
	printf ' z = s32[] constant(0)\n s = s32[] reduce(k, z), dimensions={0}, to_apply=a\n%s }\n' "$4"
}
counted '' 6 0,0,0,0,0,0 ' ROOT o = f32[] convert(s)' >"$dir/sum.hlo"
counted ', num_partitions=2' 3 0,0,0 ' f = f32[?] convert(s)
 ROOT o = f32[] convert(f)' >"$dir/unbounded.hlo"
printf 'mesh tp=2\ninput 0 tp:S(0)\noutput 0 R\n' >"$dir/plan"
run 1 --batch --plan "$dir/plan" "$dir/sum.hlo" "$dir/unbounded.hlo"
printed 'no rule says what convert computes'
promise 'extents without a bound: unknown'

# ---- what a rule takes for granted: which update wins where several meet at one place of a scatter
meeting()
{
	cat <<END
HloModule m
take { a = f32[] parameter(0)
 ROOT b = f32[] parameter(1) }
ENTRY e { x = f32[4] parameter(0)
 i = s32[3,1] parameter(1)
 u = f32[3] parameter(2)
 ROOT r = f32[4] scatter(x, i, u), update_window_dims={}, inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=$1 }
END
}
printf 'mesh tp=2\ninput 0 R\ninput 1 R\ninput 2 R\noutput 0 R\n' >"$dir/meet.plan"
meeting take >"$dir/meet.hlo"
run 0 --batch --plan "$dir/meet.plan" "$dir/meet.hlo" "$dir/meet.hlo"
printed '^assumption  of several updates of a scatter at one place the last'
run 0 --batch -e continue! -e "save proof $dir/meet.proof" --plan "$dir/meet.plan" "$dir/meet.hlo" "$dir/meet.hlo"
run 0 --check "$dir/meet.proof" --plan "$dir/meet.plan" "$dir/meet.hlo" "$dir/meet.hlo"
printed '^assumption  of several updates of a scatter at one place the last'
meeting take | sed 's/s32\[3,1\] parameter(1)/s32[3,1] iota(), iota_dimension=0/; s/parameter(2)/parameter(1)/' >"$dir/apart.hlo"
printf 'mesh tp=2\ninput 0 R\ninput 1 R\noutput 0 R\n' >"$dir/apart.plan"
run 0 --batch --plan "$dir/apart.plan" "$dir/apart.hlo" "$dir/apart.hlo"
! grep -q '^assumption  of several' "$dir/out" || complain 'an assumption about updates that do not meet'

# ---- what a sort leaves open: which of equal values is first; a sampler over a vocabulary in two parts
sampler()
{
	printf 'HloModule m%s\nby { a = f32[] parameter(0)\n b = f32[] parameter(1)\n c = s32[] parameter(2)\n d = s32[] parameter(3)\n' "$1"
	printf ' ROOT r = pred[] compare(a, b), direction=GT, type=TOTALORDER }\nENTRY e { x = f32[2,%d] parameter(0)\n' "$2"
	printf ' n = s32[2,%d] iota(), iota_dimension=1\n s = (f32[2,%d], s32[2,%d]) sort(x, n), dimensions={1}, to_apply=by\n' "$2" "$2" "$2"
	printf ' v0 = f32[2,%d] get-tuple-element(s), index=0\n n0 = s32[2,%d] get-tuple-element(s), index=1\n' "$2" "$2"
	printf ' v1 = f32[2,2] slice(v0), slice={[0:2],[0:2]}\n n1 = s32[2,2] slice(n0), slice={[0:2],[0:2]}\n i1 = s64[2,2] convert(n1)\n%s }\n' "$3"
}
parts()
{
	cat <<END
 p = u32[] partition-id()
 w = s64[] convert(p)
 k = s64[] constant($1)
 f = s64[] multiply(w, k)
 fb = s64[2,2] broadcast(f), dimensions={}
 j = s64[2,2] add(i1, fb)
 va = f32[2,4] all-gather(v1), dimensions={1}, replica_groups={{0,1}}, channel_id=1, use_global_device_ids=true
 ja = s64[2,4] all-gather(j), dimensions={1}, replica_groups={{0,1}}, channel_id=2, use_global_device_ids=true
 m = s32[2,4] iota(), iota_dimension=1
 t = (f32[2,4], s32[2,4]) sort(va, m), dimensions={1}, to_apply=by
 tv = f32[2,4] get-tuple-element(t), index=0
 tn = s32[2,4] get-tuple-element(t), index=1
 ov = f32[2,2] slice(tv), slice={[0:2],[0:2]}
 on = s32[2,2] slice(tn), slice={[0:2],[0:2]}
 u = u32[2,2] convert(on)
 row = u32[2,2,1] iota(), iota_dimension=0
 col = u32[2,2,1] reshape(u)
 at = u32[2,2,2] concatenate(row, col), dimensions={2}
 oi = s64[2,2] gather(ja, at), offset_dims={}, collapsed_slice_dims={0,1}, start_index_map={0,1}, index_vector_dim=2, slice_sizes={1,1}
 ROOT o = (f32[2,2], s64[2,2]) tuple(ov, oi)
END
}
sampler '' 6 ' ROOT o = (f32[2,2], s64[2,2]) tuple(v1, i1)' >"$dir/sample.hlo"
sampler ', num_partitions=2' 3 "$(parts 3)" >"$dir/sample.dist.hlo"
printf 'mesh tp=2\ninput 0 tp:S(1)\noutput 0 R\noutput 1 R\n' >"$dir/sample.plan"
run 0 --batch --plan "$dir/sample.plan" "$dir/sample.hlo" "$dir/sample.dist.hlo"
printed '^assumption  sorts that are not stable leave equal values in their order'
run 0 --batch -e continue! -e "save proof $dir/sample.proof" --plan "$dir/sample.plan" "$dir/sample.hlo" "$dir/sample.dist.hlo"
run 0 --check "$dir/sample.proof" --plan "$dir/sample.plan" "$dir/sample.hlo" "$dir/sample.dist.hlo"
sampler ', num_partitions=2' 3 "$(parts 2)" >"$dir/sample.dist.hlo"
run 1 --batch --plan "$dir/sample.plan" "$dir/sample.hlo" "$dir/sample.dist.hlo"
promise 'what a rule assumes is listed, when it fired'

# ---- bytes of an input are no orders to the terminal
printf 'st\033[31mep\n' >"$dir/escape"
run 2 --batch -x "$dir/escape" --plan "$plan" "$base" "$good"
one_line "escape:1: there is no command 'st?\[31mep'"
promise 'control characters of an input are shown as ?'

# ---- a relation that leaves out a part of what the baseline computes: how much is compared belongs to the verdict
cat >"$dir/whole.hlo" <<'END'
HloModule m
ENTRY e { x = f32[4] parameter(0)
 ROOT o = f32[4] add(x, x) }
END
cat >"$dir/half.hlo" <<'END'
HloModule m, num_partitions=2
ENTRY e { x = f32[4] parameter(0)
 y = f32[4] add(x, x)
 z = f32[2] slice(y), slice={[0:2]}
 w = f32[2] slice(y), slice={[2:4]}
 ROOT o = (f32[2], f32[2]) tuple(z, w) }
END
printf 'mesh tp=2\ninput 0 R\noutput 0 take(0; unit 2; 0)\noutput 1 any\noutput %%y<-%%o ignore(0; 1)\n' >"$dir/half.plan"
run 0 --batch --plan "$dir/half.plan" "$dir/whole.hlo" "$dir/half.hlo"
printed '^assumption  2 of 4 places of baseline output 0 are compared'
printed '^assumption  3 of 4 places of %o of the baseline are compared'
printf 'mesh tp=2\ninput 0 R\noutput 0 take(0; unit 2; 0)\noutput 1<-0 take(0; unit 1; 2,3)\n' >"$dir/half.plan"
run 0 --batch --plan "$dir/half.plan" "$dir/whole.hlo" "$dir/half.hlo"
! grep -q '^assumption' "$dir/out" || complain 'both parts are compared'
# where nothing is left of it, nothing is proved; padding is nothing, zeros are something
printf 'mesh tp=2\ninput 0 R\noutput 0 ignore(0; 0,1)\noutput 1 any\noutput %%y ignore(0; 0,1,2,3)\n' >"$dir/half.plan"
sed '/output 0 ignore/s/,1)/)/' "$dir/half.plan" >"$dir/some.plan"
cat >"$dir/two.hlo" <<'END'
HloModule m
ENTRY e { x = f32[4] parameter(0)
 y = f32[4] add(x, x)
 ROOT o = f32[2] slice(y), slice={[0:2]} }
END
run 1 --batch --plan "$dir/half.plan" "$dir/two.hlo" "$dir/half.hlo"
printed '^output 0 %z: not compared'
printed '^obligation %y: not compared'
printed '^assumption  the plan leaves out every place of output 0: it is not compared'
printed '^assumption  the plan leaves out every place of %y: it is not compared'
run 0 --batch --plan "$dir/some.plan" "$dir/two.hlo" "$dir/half.hlo"
printed '^output 0 %z: proved'
printed '^obligation %y: not compared'
printf 'mesh tp=2\ninput 0 R\noutput 0 pad(0; 4) take(0; unit 2; 1)\noutput 1 any\n' >"$dir/half.plan"
run 1 --batch --plan "$dir/half.plan" "$dir/two.hlo" "$dir/half.hlo"
printed '^output 0 %z: not compared'
printf 'mesh tp=2\ninput 0 R\noutput 0 take(0; unit 2; -1)\noutput 1 any\n' >"$dir/half.plan"
run 1 --batch --plan "$dir/half.plan" "$dir/two.hlo" "$dir/half.hlo"
printed '^output 0 %z: unknown: no rule; wanted take'
printf 'mesh tp=2\ninput 0 R\noutput 0 ignore(0; 2)\noutput 1 any\n' >"$dir/half.plan"
run 1 --batch --plan "$dir/half.plan" "$dir/two.hlo" "$dir/half.hlo"
printed 'there is no place 2, dimension 0 has 2'
printf 'mesh tp=2\ninput 0 ignore(0; 4)\noutput 1 any\n' >"$dir/half.plan"
run 2 --batch --plan "$dir/half.plan" "$dir/two.hlo" "$dir/half.hlo"
one_line 'half.plan:2:7: input 0: there is no place 4, dimension 0 has 4'
promise 'what a relation of an output leaves out is said with the verdict'

# ---- scripts
printf 'step 2\n# a comment\n\nnonsense\nstep\n' >"$dir/script"
run 2 --batch -x "$dir/script" --plan "$plan" "$base" "$good"
grep -q "script:4: there is no command 'nonsense'" "$dir/err" || complain "$(cat "$dir/err")"
[ "$(wc -l <"$dir/err")" -eq 1 ] || complain "not one line: $(cat "$dir/err")"
run 2 --batch -e 'step x' --plan "$plan" "$base" "$good"
run 2 --batch -x "$dir/none" --plan "$plan" "$base" "$good"
run 2 --json -e nonsense --plan "$plan" "$base" "$good" && one_line nonsense
promise 'a command that fails in a script: 2'

printf 'continue!\nsave session %s\nquit\nnonsense\n' "$dir/saved" >"$dir/script"
run 0 --batch -x "$dir/script" -e nonsense --plan "$plan" "$base" "$good"
run 0 --batch -x "$dir/saved" --plan "$plan" "$base" "$good"
promise 'scripts: in order, quit leaves, a saved session runs'

run 0 --batch -e 'step 3' -e 'reverse-step' -e 'continue!' -e 'info history' --plan "$plan" "$base" "$good"
printed '^step 2 of 3'
printed '^proved'
promise 'commands are run in order and say where one is'

# while firings wait no candidate is tried, and each is told all the same
printf '%s\n' 'HloModule b' 'mx {' 'a = f32[] parameter(0)' 'b = f32[] parameter(1)' 'ROOT r = f32[] maximum(a, b)' '}' 'ENTRY e {' 'x = f32[8] parameter(0)' \
	'n = f32[] constant(-inf)' 'm = f32[] reduce(x, n), dimensions={0}, to_apply=mx' 'o = f32[8] broadcast(m), dimensions={}' 'c = f32[8] subtract(x, o)' \
	'ROOT e = f32[8] exponential(c)' '}' >"$dir/shift.hlo"
printf '%s\n' 'HloModule d, num_partitions=2' 'ENTRY e {' 'x = f32[4] parameter(0)' 'ROOT e = f32[4] exponential(x)' '}' >"$dir/plain.hlo"
run 3 --batch -e 'step 8' -e bijections "$dir/shift.hlo" "$dir/plain.hlo"
printed '^1   dev:S(0)  *open'
promise 'candidates are listed in the middle of a run'

run 2 --batch --no-trail -e 'step 3' -e 'reverse-step' --plan "$plan" "$base" "$good"
run 0 --batch --no-trail -e 'continue!' --plan "$plan" "$base" "$good"
run 0 --json --no-trail --plan "$plan" "$base" "$good"
promise '--no-trail: forward only'

run 0 --batch --certify --plan "$plan" "$base" "$good"
printed '^output 0 .*: certified'
run 0 --json --certify --plan "$plan" "$base" "$good"
[ "$(wc -l <"$dir/out")" -eq 1 ] || complain 'more than the report'
run 0 --batch -e 'continue!' -e certify --plan "$plan" "$base" "$good"
printed '^output 0 .*: certified'
run 1 --batch --certify --plan "$plan" "$base" "$broken"
printed '^output 0 .*: not proved'
run 2 --certify "$base" "$good"
one_line 'needs --batch'
# sin(-x) is made sin(x): by a rule, which is wrong wherever it is asked, and by a hypothesis, before the goal is built
printf '%s\n' 'HloModule b' 'ENTRY e {' 'x = f32[8] parameter(0)' 'ROOT o = f32[8] sine(x)' '}' >"$dir/sine.hlo"
printf '%s\n' 'HloModule d, num_partitions=2' 'ENTRY e {' 'x = f32[4] parameter(0)' 'n = f32[4] negate(x)' 'ROOT o = f32[4] sine(n)' '}' >"$dir/minus.hlo"
printf 'mesh tp=2\ninput 0 tp:S(0)\noutput 0 tp:S(0)\n' >"$dir/plan"
echo '(rule ((= s (map t p f x)) (= x (sum t2 p2 c y))) ((union s (map t p f y))) :ruleset normalize :name "wrong")' >"$dir/rules/mine.egg"
run 1 --batch --certify --rules "$dir/rules" --plan "$dir/plan" "$dir/sine.hlo" "$dir/minus.hlo"
printed '^output 0 .*: unknown'
# .. and by one that is wrong at one place of many, so that it fires: the checker looks at all of them
printf '%s\n' 'HloModule b' 'ENTRY e {' 'x = f32[500] parameter(0)' 'ROOT o = f32[500] sine(x)' '}' >"$dir/sines.hlo"
printf '%s\n' 'HloModule d, num_partitions=2' 'ENTRY e {' 'x = f32[500] parameter(0)' "c = f32[500] constant({$(printf '1,%.0s' $(seq 301))2$(printf ',1%.0s' $(seq 198))})" \
	'n = f32[500] multiply(x, c)' 'ROOT o = f32[500] sine(n)' '}' >"$dir/once.hlo"
printf 'mesh tp=2\ninput 0 R\noutput 0 R\n' >"$dir/whole.plan"
echo '(rule ((= s (map t p f x)) (= x (mul t2 p2 e y z))) ((union s (map t p f y))) :ruleset normalize :name "wrong")' >"$dir/rules/mine.egg"
run 2 --batch --certify --rules "$dir/rules" --plan "$dir/whole.plan" "$dir/sines.hlo" "$dir/once.hlo"
grep -q 'its proof does not hold: .*rule wrong' "$dir/out" "$dir/err" || complain "$(cat "$dir/out" "$dir/err")"
for n in 1 2 3 4 5; do
	run 4 --batch -e "step $n" -e 'assume %n = base %x tp:S(0)' -e 'continue!' --plan "$dir/plan" "$dir/sine.hlo" "$dir/minus.hlo"
	printed 'proved under hypotheses'
done
rm "$dir/rules/mine.egg"
promise '--certify: the separate checker agrees'

# ---- proofs
proof=$dir/proof
run 0 --batch -e 'continue!' -e "save proof $proof" --plan "$plan" "$base" "$good"
run 0 --check "$proof" --plan "$plan" "$base" "$good"
printed '^output %add.1: the proof holds'
run 4 --batch -e continue -e 'assume %slice.1 = base %slice.1 tp:S(2)' -e 'continue!' -e "save proof $dir/under" --plan "$plan" \
	"$base" "$broken"
run 4 --check "$dir/under" --plan "$plan" "$base" "$broken"
printed '^hypothesis  %slice.1 = base %slice.1 tp:S(2)'
sed 's/"tp:S(2)"/"tp:S(1)"/' "$dir/under" >"$dir/bad"
run 2 --check "$dir/bad" --plan "$plan" "$base" "$broken"
one_line "$dir/bad:[0-9]*:1: step [0-9]* does not hold: "
run 2 --check "$proof" --plan "$plan" "$base" "$broken"
one_line "$proof:[0-9]*:[0-9]*: "
sed 's/^\(rule .lift-dot. [0-9]* \)\([0-9]*\)/\11/' "$proof" >"$dir/bad"
run 2 --check "$dir/bad" --plan "$plan" "$base" "$good"
one_line "$dir/bad:[0-9]*:1: step [0-9]* does not hold: "
sed '$d' "$proof" >"$dir/bad"
run 2 --check "$dir/bad" --plan "$plan" "$base" "$good"
one_line "$dir/bad:[0-9]*:1: .end. is expected: the file ends here"
sed '2s/base /base  /' "$proof" >"$dir/bad"
run 2 --check "$dir/bad" --plan "$plan" "$base" "$good"
one_line "$dir/bad:[0-9]*:5: the file was changed"
run 1 --batch -e 'continue!' -e "save proof $proof" --plan "$plan" "$base" "$broken"
printed 'with no proof in it: no output is proved'
run 1 --check "$proof" --plan "$plan" "$base" "$broken"
printed 'the file has no proof of it'
run 2 --check "$dir/none" "$base" "$good" && one_line "$dir/none"
run 2 --check "$proof" && one_line 'wants BASE and DIST'
run 2 --check "$proof" --json "$base" "$good" && one_line 'no commands'
promise '--check: a proof holds, or file:line:column of the step that does not'

# ---- rules of one's own, as diverge-rules(5) has them
for f in cosine sine; do
	printf '%s\n' 'HloModule b' 'ENTRY e {' 'x = f32[8] parameter(0)' "ROOT cos = f32[8] $f(x)" '}' >"$dir/$f.base.hlo"
	printf '%s\n' 'HloModule d, num_partitions=2' 'ENTRY e {' 'x = f32[8] parameter(0)' 'n = f32[8] negate(x)' "ROOT cos = f32[8] $f(n)" '}' >"$dir/$f.dist.hlo"
done
cat >"$dir/rules/mine.egg" <<'RULES'
; cos(-x) = cos(x)
(rule ((= s (cosine t i j n u)) (= u (negate t i2 j2 n2 x)))
      ((union s (cosine t i j n x)))
      :name "even cosine")
(rule ((= s (sine t i j n u)) (= u (negate t i2 j2 n2 x)))
      ((union s (sine t i j n x)))
      :name "even sine")
(rule ((= s (cosine t i j n x))) ((union s (unlifted t i j n x))) :name "unknown")
RULES
run 0 --rules "$dir/rules" --batch -e 'rule check even cosine' "$dir/cosine.base.hlo" "$dir/cosine.dist.hlo"
printed 'even cosine: equal in '
run 1 --rules "$dir/rules" --batch -e 'rule check even sine' "$dir/cosine.base.hlo" "$dir/cosine.dist.hlo"
printed '^  left   f32\[\] sine(f32\[\] negate(x))$'
printed '^  right  f32\[\] sine(x)$'
printed '^  with   x = f32\[\]: -*[0-9.]*$'
printed 'the left side is -*[0-9.]*, the right side is -*[0-9.]*$'
run 1 --rules "$dir/rules" --batch -e 'rule check even sine' -e 'rule check even cosine' -e 'continue!' "$dir/cosine.base.hlo" "$dir/cosine.base.hlo"
run 3 --rules "$dir/rules" --batch -e 'rule check lift-gather' "$dir/cosine.base.hlo" "$dir/cosine.dist.hlo"
printed '^not compared: instructions of this kind are not drawn at random'
run 0 --rules "$dir/rules" --batch -e 'rule check N10' -e 'continue!' "$dir/cosine.base.hlo" "$dir/cosine.base.hlo"
run 1 --rules "$dir/rules" --batch -e 'rule check N10' -e 'continue!' "$dir/cosine.base.hlo" "$dir/cosine.dist.hlo"
run 2 --rules "$dir/rules" --batch -e 'rule check none' "$dir/cosine.base.hlo" "$dir/cosine.dist.hlo"
promise 'rule check: the exit status says whether there is a counterexample'

run 0 --rules "$dir/rules" --batch --certify -e 'continue!' -e 'whynot even cosine at %cos' -e 'apply even cosine at %cos' -e 'continue!' \
	-e "save proof $dir/mine" "$dir/cosine.base.hlo" "$dir/cosine.dist.hlo"
printed 'matches at %cos'
printed '^output 0 .*: certified'
run 0 --rules "$dir/rules" --check "$dir/mine" "$dir/cosine.base.hlo" "$dir/cosine.dist.hlo"
printed 'the proof holds$'
run 2 --rules "$dir/rules" --batch -e 'continue!' -e 'apply even sine at %cos' "$dir/sine.base.hlo" "$dir/sine.dist.hlo"
grep -q 'it is wrong there: the two sides have different values' "$dir/err" || complain "$(cat "$dir/err")"
cat >"$dir/another.egg" <<RULES
(rule ((= s (cosine t i j n xs..)) (= r (lift-map s "sine"))) ((union s r)) :name "another function")
RULES
run 2 --rules "$dir/another.egg" --batch -e 'continue!' -e 'apply another function at %cos' "$dir/cosine.base.hlo" "$dir/cosine.dist.hlo"
grep -q 'it is wrong there: the two sides have different values' "$dir/err" || complain "$(cat "$dir/err")"
run 2 --rules "$dir/rules" --batch -e 'continue!' -e 'apply unknown at %cos' "$dir/cosine.base.hlo" "$dir/cosine.dist.hlo"
grep -q 'the unlifted that it builds: nothing is known of what it does' "$dir/err" || complain "$(cat "$dir/err")"
promise 'the first rule of diverge-rules(5) is checked, applied, certified and saved; a wrong one is not'

# forged PLACE WHY SED: the proof, changed so, is refused
forged()
{
	sed "$3" "$dir/mine" >"$dir/forged"
	cmp -s "$dir/mine" "$dir/forged" && complain "$3 changes nothing"
	run 2 --rules "$dir/rules" --check "$dir/forged" "$dir/$1.base.hlo" "$dir/$1.dist.hlo"
	grep -q "$2" "$dir/err" || complain "$3: $(cat "$dir/err")"
}
forged sine 'step .* does not hold: the two sides have different values' 's/cosine/sine/g'
forged cosine 'its own' 's/ cosine f32 \[ 2 8 \]/ cosine f32 [ 2 4 ]/'
forged cosine 'no program has these attributes' 's/\( cosine f32 \[ . 8 \]\) \[ \]/\1 [ 3 ]/'
forged cosine 'another number of operands' 's/\( cosine f32 \[ . 8 \] \[ \] ""\) ( \([0-9]*\) )/\1 ( \2 \2 )/'
forged cosine 'element types\|of this element type' 's/ cosine f32 \[/ cosine s32 [/'
forged cosine 'nothing is known' 's/ cosine f32 \[/ unlifted f32 [/'
forged cosine 'attributes do not fit' 's/ cosine f32 \[/ transpose f32 [/'
forged cosine 'is understood' 's/ cosine f32 \[/ gather f32 [/'
forged cosine 'does not hold' 's/ cosine f32 \[/ copy f32 [/'
rm "$dir/rules/mine.egg"
promise 'a forged proof by a rule about instructions is refused'

# An instruction of which nothing is known is no function of one place at a time: f(x) is not what f gives of x reversed.
turned()
{
	printf '%s\n' 'HloModule b' 'ENTRY e {' 'x = f32[4,4] parameter(0)' "ROOT o = f32[4,4] $1" '}' >"$dir/turned.base.hlo"
	printf '%s\n' 'HloModule d' 'ENTRY e {' 'x = f32[4,4] parameter(0)' 'r = f32[4,4] reverse(x), dimensions={0,1}' \
		"u = f32[4,4] $(echo "$1" | sed 's/x/r/')" 'ROOT o = f32[4,4] reverse(u), dimensions={0,1}' '}' >"$dir/turned.dist.hlo"
	printf '%s\n' 'diverge proof 1' 'base "b"  dist "d"' 'node 0 row base 0 "x"' 'node 1 param f32 16 "input 0" ( )' \
		'node 2 laid [ 1 2 0 1 4 4 16 1 ] ( 1 )' 'node 3 row dist 0 "x"' 'node 4 row base 1 "o"' 'node 5 row dist 1 "r"' \
		'node 6 row dist 2 "u"' 'node 7 row dist 3 "o"' 'given 0 2 built 1 [ ] built 2 [ 1 ]' 'given 3 2 built 1 [ ] built 2 [ 1 ]' \
		'rule "lift-reverse" 7 4 opened 6 6 5 5 4 4 3 0' 'goal 0 "o" 2 2' 'end 0' >"$dir/turned"
	run 2 --check "$dir/turned" "$dir/turned.base.hlo" "$dir/turned.dist.hlo"
}
turned 'abs(x)'
one_line ':14:1: goal 0 does not follow'
turned 'cholesky(x), lower=true'
one_line ':13:1: step 3 does not hold: nothing is known of what this instruction does'
promise 'a step through an instruction of unknown meaning is refused'

# ---- counterexamples
ce=$dir/found
run 1 --batch -e 'test' -e "save counterexample $ce" --plan "$plan" "$base" "$broken"
printed 'made simpler'
grep -q '^input 1 f32\[64,64\]' "$ce" || complain "no input 1: $(head -c 600 "$ce")"
seen=$(sed -n 's/^output 0  device 0  place \([0-9]*\) .*/\1/p' "$ce")
run 1 --batch -e "test --from $ce" -e report --plan "$plan" "$base" "$broken"
at="[$((seen / 512)),$((seen / 64 % 8)),$((seen % 64))]"	# of f32[2,8,64]
grep -F 'output 0 ' "$dir/out" | grep -Fq "differs: device 0, $at has" || complain "no difference at $at: $(head -c 600 "$dir/out")"
printed '^refuted'
grep -q 'the file says' "$dir/out" && complain 'the same inputs give other numbers'
run 3 --batch -e "test --from $ce" --plan "$plan" "$base" "$good"
printed 'agree on the inputs of the file'
run 2 --batch -e "save counterexample $dir/none" --plan "$plan" "$base" "$good"
[ ! -e "$dir/none" ] || complain 'a counterexample of nothing'
promise 'a counterexample is saved, small, and replayed'

# elided constants whose order differs: what is refuted hangs on how they are paired
elided()
{
	printf 'HloModule m\n\nENTRY main {\n  x = f32[4] parameter(0)\n  %s = f32[4] constant({...})\n  %s = f32[4] constant({...})\n' "$1" "$2"
	printf '  a = f32[4] multiply(x, c)\n  ROOT r = f32[4] add(a, d)\n}\n'
}
elided c d >"$dir/cd.hlo"
elided d c >"$dir/dc.hlo"
printf 'mesh t=1\ninput 0 R\noutput 0 R\n' >"$dir/cd.plan"
run 1 --batch -e test -e "save counterexample $dir/cd" -e "test --from $dir/cd" --plan "$dir/cd.plan" "$dir/cd.hlo" "$dir/dc.hlo"
[ "$(grep -c '^refuted: .*, if elided constants of one type and shape are equal in order' "$dir/out")" -eq 2 ] ||
	complain "what is taken for granted is not said: $(cat "$dir/out")"
promise 'a refutation says what it takes for granted'

# bad LINE:COLUMN PART SED: the file, changed so, is refused there
bad()
{
	sed "$3" "$ce" >"$dir/bad"
	cmp -s "$ce" "$dir/bad" && complain "$3 changes nothing"
	run 2 --batch -e "test --from $dir/bad" --plan "$plan" "$base" "$broken" && one_line "$dir/bad:$1: .*$2"
}
bad '1:1' 'this is no counterexample: those begin with `diverge counterexample`, this with .mesh' '1s/diverge/mesh/'
bad '1:9' 'counterexample is expected' '1s/counter/contra/'
bad '1:24' 'version 1' '1s/1$/2/'
bad '6:6' 'kind of numbers' '6s/integers/odd/'
bad '6:21' 'a seed' '6s/seed .*/seed x/'
bad '[0-9]*:7' 'no input .17' 's/^input 3 /input 17 /'
bad '[0-9]*:7' 'given twice' 's/^input 3 /input 2 /'
bad '[0-9]*:[0-9]*' 'f32\[64,64\] is expected' 's/64,64/64,65/'
bad '[0-9]*:[0-9]*' 'how often' 's/\* 63/* 65/'
bad '[0-9]*:[0-9]*' 'a value' 's/\* 63/* 63 x/'
bad '[0-9]*:[0-9]*' 'input 3 is missing' '/^input 3/,$d'
bad '[0-9]*:[0-9]*' 'not closed' 's/"Arg_0"/"Arg_0/'
run 2 --batch -e "test --from $dir/nothing" --plan "$plan" "$base" "$broken" && one_line "$dir/nothing"
promise 'malformed counterexamples: file:line:column'

# ---- where the output goes
if [ -w /dev/full ]; then
	"$DIVERGE" --json --plan "$plan" "$base" "$good" >/dev/full 2>"$dir/err"
	[ $? -eq 2 ] || complain 'a full disk is not noticed'
	: >"$dir/out"
	one_line 'standard output'
fi
"$DIVERGE" --json --plan "$plan" "$base" "$good" >&- 2>"$dir/err"
[ $? -eq 2 ] || complain 'a closed stdout is not noticed'
promise 'output that cannot be written: 2'

# ---- a collective that only the frame of a library tells of
lib='metadata={source_file="/v/lib/python3.11/site-packages/torch_xla/core/xla_model.py" source_line=446}'
cat >"$dir/one.hlo" <<'END'
HloModule m

ENTRY main {
  x = f32[4] parameter(0)
  ROOT e = f32[4] exponential(x)
}
END
cat >"$dir/two.hlo" <<END
HloModule m, num_partitions=2

add {
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT s = f32[] add(a, b)
}

ENTRY main {
  x = f32[4] parameter(0)
  e = f32[4] exponential(x), metadata={source_file="/m/model.py" source_line=7}
  ROOT r = f32[4] all-reduce(e), channel_id=1, replica_groups={{0,1}}, use_global_device_ids=true, to_apply=add, $lib
}
END
run 1 --batch "$dir/one.hlo" "$dir/two.hlo"
printed '^  after /m/model.py:7, the line of %e, which it comes from;$'
printed '^  itself in a library: torch_xla/core/xla_model.py:446$'
run 1 --json "$dir/one.hlo" "$dir/two.hlo"
printed '"source":{"file":"/m/model.py","line":7,"of":"%e","itself":"torch_xla/core/xla_model.py:446"}'
sed "s/, to_apply=add, .*/, to_apply=add/" "$dir/two.hlo" >"$dir/bare.hlo"
run 1 --batch "$dir/one.hlo" "$dir/bare.hlo"
printed '^  after /m/model.py:7, the line of %e, which it comes from$'
run 1 --json "$dir/one.hlo" "$dir/bare.hlo"
printed '"source":{"file":"/m/model.py","line":7,"of":"%e","itself":null}'
run 3 --batch -e continue "$dir/one.hlo" "$dir/two.hlo"
printed 'frontier: %r after model.py:7'
run 3 --batch --size 80x24 -e continue -e 'press l' -e 'save screen' "$dir/one.hlo" "$dir/two.hlo"
printed '^set substitute-path /m$'
printed '^model.py:7, of %e  frame 0'
run 3 --batch --size 80x24 -e 'view history' -e 'press Tab' -e 'save screen' "$dir/one.hlo" "$dir/two.hlo"
printed '^`history` has the keys that move'
promise 'a collective called in a library has the line of the model before it'

# ---- a screen without a terminal
run 1 --batch --size 80x24 -e 'continue!' -e 'save screen' --plan "$plan" "$base" "$broken"
[ "$(wc -l <"$dir/out")" -eq 24 ] || complain "$(wc -l <"$dir/out") lines, not 24"
printed 'frontier'
run 1 --batch --size 80x24 -e 'press c f Tab' -e "save screen $dir/screen" -e 'continue!' --plan "$plan" "$base" "$broken"
[ "$(wc -l <"$dir/screen")" -eq 24 ] || complain 'the screen in a file has not 24 lines'
run 2 --batch -e 'save screen' --plan "$plan" "$base" "$broken"
promise '--size: the screen is drawn without a terminal'

# ---- README.md shows what the program draws; counts of steps and nodes change with the rules
counts='s/\(step\|queue\|classes\|nodes\) *[0-9]*/\1 N/g; s/ *$//'
run 3 --batch --size 80x24 -e continue -e 'save screen' --plan "$plan" "$base" "$broken"
sed "$counts" "$dir/out" >"$dir/drawn"
sed -n '/^    = %broadcast/,/^    : command/s/^    //p' "$srcdir/README.md" | sed "$counts" >"$dir/shown"
[ "$(wc -l <"$dir/shown")" -eq 24 ] || complain "the picture in README.md has $(wc -l <"$dir/shown") lines"
cmp -s "$dir/shown" "$dir/drawn" || complain "$(diff "$dir/shown" "$dir/drawn" | head -n 6)"
promise 'the picture in README.md is what is drawn'

# ---- the manual page
sh "$srcdir/man/make-man.sh" "$DIVERGE" "$srcdir/man/diverge.1.in" >"$dir/diverge.1"
grep -q '^.SH COMMANDS' "$dir/diverge.1" || complain 'the program writes no page'
cmp -s "$dir/diverge.1" "$srcdir/man/diverge.1" || complain 'man/make-man.sh DIVERGE man/diverge.1.in >man/diverge.1 gives another page'
promise 'man/diverge.1 is what the tables say'
promises_end
