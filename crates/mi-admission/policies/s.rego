# Rule S: no secrets, no foreign folders, no foreign variables.
package mi.s

mounts if {
	is_array(input.spec.mounts)
	every mount in input.spec.mounts {
		is_string(mount.source)
		is_string(mount.target)
		is_string(mount.mode)
		count(mount) == 3
	}
	count(input.spec.mounts) == count({mount.source | some mount in input.spec.mounts})
	places := {["input", "/workspace/input"], ["data", "/workspace/data"], ["output", "/workspace/output"]}
	foreign := {mount.source | some mount in input.spec.mounts; not [mount.source, mount.target] in places}

	# A remote source is rule N's.
	every source in foreign {
		regex.match(`://|^[A-Za-z0-9._@-]{2,}:|^//|^\\\\`, source)
	}
}

env if {
	is_object(input.spec.env)
	every value in input.spec.env {
		is_string(value)
	}
	known := {
		"SOURCE_DATE_EPOCH", "TZ", "LC_ALL", "CHORUS_SEED",
		"WORKSPACE_ROOT", "WORKSPACE_INPUT", "WORKSPACE_DATA", "WORKSPACE_OUTPUT",
	}
	foreign := (object.keys(input.spec.env) - known) - {name | some name in input.config.env_allow}

	# Other variables of the workspace are rule W's.
	every name in foreign {
		startswith(name, "WORKSPACE_")
	}
}

secret if {
	is_array(input.found.secrets)
	count(input.found.secrets) == 0
}
