# Rule F: no network, no privilege, no uploads.
package mi.f

network if {
	is_string(input.spec.network)
	input.spec.network == "none"
}

user if {
	is_string(input.spec.user)
	input.spec.user == "1000:1000"
}

read_only if {
	is_boolean(input.spec.read_only)
	input.spec.read_only == true
}

cap_drop if {
	is_array(input.spec.cap_drop)
	input.spec.cap_drop == ["ALL"]
}

security_opt if {
	is_array(input.spec.security_opt)
	input.spec.security_opt == ["no-new-privileges"]
}

upload if {
	is_array(input.found.uploads)
	count(input.found.uploads) == 0
}
