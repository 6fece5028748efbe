# Rule X: every limit is set, and a run can be repeated.
package mi.x

limits if {
	limits := input.spec.limits
	is_object(limits)
	object.keys(limits) == {"pids", "memory_bytes", "cpus", "nofile", "step_seconds", "job_seconds"}

	# Rego takes 256.0 for 256; whether it was written as a whole number is found while reading.
	input.found.whole == ["pids", "memory_bytes", "nofile", "step_seconds", "job_seconds"]
	is_number(limits.pids)
	limits.pids >= 1
	limits.pids <= 512
	is_number(limits.memory_bytes)
	limits.memory_bytes >= 16777216
	limits.memory_bytes <= 8589934592
	is_number(limits.cpus)
	limits.cpus >= 0.01
	limits.cpus <= 16
	is_number(limits.nofile)
	limits.nofile >= 64
	limits.nofile <= 16384
	is_number(limits.step_seconds)
	limits.step_seconds >= 1
	limits.step_seconds <= limits.job_seconds
	is_number(limits.job_seconds)
	limits.job_seconds <= 3600
}

determinism if {
	is_object(input.spec.env)
	input.spec.env.TZ == "UTC"
	input.spec.env.LC_ALL == "C.UTF-8"
	counts(input.spec.env.SOURCE_DATE_EPOCH)
	counts(input.spec.env.CHORUS_SEED)
}

# A decimal number of 64 bits, without sign and leading zero. Compared as text, by length first: as numbers, those
# next to the largest would be rounded.
counts(text) if {
	is_string(text)
	text != ""
	trim(text, "0123456789") == ""
	startswith(text, "0") == (text == "0")
	[count(text), text] <= [20, "18446744073709551615"]
}
