# make soundness: the pairs of ../shared with known answers, wrong ones among
# them, then mutants of right ones (tests/soundness.c).  Fails when one that differs
# is proved.  Takes minutes.
srcdir=${srcdir:-..}
DIVERGE=${DIVERGE:-${builddir:-.}/diverge}
shared=$srcdir/../shared
if [ ! -d "$shared/score" ]; then
	echo "soundness: no ../shared beside the source tree"
	exit 0
fi
failed=0
python3 "$shared/score/run_cases.py" "$DIVERGE" "$shared/cases" | tee /dev/stderr | tail -n 1 |
	grep -q ' 0 false proofs' || failed=1
for pairs in cases-extra corpus/jax corpus/torch corpus/hlo corpus/neuron-llama; do
	[ -d "$shared/$pairs" ] || continue
	echo "== $pairs"
	python3 "$shared/score/run_pairs.py" "$DIVERGE" "$shared/$pairs" || failed=1
done
echo "== mutants"
"${builddir:-.}/tests/soundness" ${MUTANTS:-5000} ${SEED:-1} -s "$shared"/cases/*.base.hlo "$shared"/cases-extra/*.base.hlo || failed=1
exit $failed
