#!/bin/sh
# make-man.sh DIVERGE TEMPLATE: writes diverge.1, its options, commands, keys and the report from the tables of the program
set -e
"$1" --help-man | awk -v template="$2" '
	/^\.SS Commands of a program/ { part = "@LESSONS@" }
	/^\.SH OPTIONS/ { part = "@OPTIONS@" }
	/^\.SH COMMANDS/ { part = "@COMMANDS@" }
	/^\.SH VERDICTS/ { part = "@REPORT@" }
	{ text[part] = text[part] $0 "\n" }
	END {
		while ((getline line < template) > 0)
			if (line in text)
				printf "%s", text[line]
			else
				print line
	}'
