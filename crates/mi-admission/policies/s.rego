# Rule S: no secrets, no foreign folders, no foreign variables.
package mi.s

slots := {"input", "data", "output"}

mounts if {
	is_array(input.spec.mounts)
	every mount in input.spec.mounts {
		is_string(mount.source)
		harmless(mount)
	}
	count(input.spec.mounts) == count({mount.source | some mount in input.spec.mounts})
}

harmless(mount) if {
	object.keys(mount) == {"source", "target", "mode"}
	mount.source in slots
	mount.target == concat("", ["/workspace/", mount.source])
	is_string(mount.mode)
}

# A remote source is rule N's.
harmless(mount) if {
	object.keys(mount) == {"source", "target", "mode"}
	not mount.source in slots
	regex.match(`://|^[A-Za-z0-9._@-]{2,}:|^//|^\\\\`, mount.source)
	is_string(mount.target)
	is_string(mount.mode)
}

env if {
	is_object(input.spec.env)
	every name, value in input.spec.env {
		is_string(value)
		known(name)
	}
}

known(name) if name in {"SOURCE_DATE_EPOCH", "TZ", "LC_ALL", "CHORUS_SEED"}

# These are rule W's.
known(name) if startswith(name, "WORKSPACE_")

known(name) if name in input.config.env_allow

secret if {
	is_array(input.found.secrets)
	count(input.found.secrets) == 0
}
