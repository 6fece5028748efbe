# Rule X: every limit is set, and a run can be repeated.
package mi.x

limits if {
	limits := input.spec.limits
	is_object(limits)
	object.keys(limits) == {"pids", "memory_bytes", "cpus", "nofile", "step_seconds", "job_seconds"}
	whole("pids", 1, 512)
	whole("memory_bytes", 16777216, 8589934592)
	whole("nofile", 64, 16384)
	whole("step_seconds", 1, 3600)
	whole("job_seconds", 1, 3600)
	limits.step_seconds <= limits.job_seconds
	is_number(limits.cpus)
	limits.cpus >= 0.01
	limits.cpus <= 16
}

# Rego takes 256.0 for 256; whether it was written as a whole number is found while reading.
whole(name, least, most) if {
	name in input.found.whole
	is_number(input.spec.limits[name])
	input.spec.limits[name] >= least
	input.spec.limits[name] <= most
}

determinism if {
	is_object(input.spec.env)
	input.spec.env.TZ == "UTC"
	input.spec.env.LC_ALL == "C.UTF-8"
	counts("SOURCE_DATE_EPOCH")
	counts("CHORUS_SEED")
}

# A decimal number of 64 bits, without sign and leading zero.
counts(name) if {
	is_string(input.spec.env[name])
	count(input.spec.env[name]) < 20
	regex.match(`^(0|[1-9][0-9]{0,18})$`, input.spec.env[name])
}

counts(name) if {
	is_string(input.spec.env[name])
	count(input.spec.env[name]) == 20
	regex.match(`^1[0-9]{19}$`, input.spec.env[name])
	input.spec.env[name] <= "18446744073709551615"
}
