# Sourced by the script tests: what is wrong is collected with `complain`, and
# `promise TEXT` prints one TAP line for all complaints since the last one.
number=0
complaints=

complain()
{
	complaints="$complaints# $(printf '%s' "$1" | tr '\n' ' ')
"
}

promise()
{
	number=$((number + 1))
	if [ -z "$complaints" ]; then
		echo "ok $number - $1"
	else
		printf 'not ok %s - %s\n%s' "$number" "$1" "$complaints"
	fi
	complaints=
}

promises_end()
{
	echo "1..$number"
}
