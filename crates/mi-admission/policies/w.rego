# Rule W: the three slots of the workspace, and nothing else of it.
package mi.w

mounts if {
	is_array(input.spec.mounts)
	every mount in input.spec.mounts {
		is_string(mount.source)
	}
	{"source": "input", "target": "/workspace/input", "mode": "ro"} in input.spec.mounts
	{"source": "data", "target": "/workspace/data", "mode": "rw"} in input.spec.mounts
	{"source": "output", "target": "/workspace/output", "mode": "rw"} in input.spec.mounts
	modes := {["input", "ro"], ["data", "rw"], ["output", "rw"]}
	others := {mount.source | some mount in input.spec.mounts; not [mount.source, mount.mode] in modes}
	others & {"input", "data", "output"} == set()
}

env if {
	is_object(input.spec.env)
	input.spec.env.WORKSPACE_ROOT == "/workspace"
	input.spec.env.WORKSPACE_INPUT == "/workspace/input"
	input.spec.env.WORKSPACE_DATA == "/workspace/data"
	input.spec.env.WORKSPACE_OUTPUT == "/workspace/output"
	known := {"WORKSPACE_ROOT", "WORKSPACE_INPUT", "WORKSPACE_DATA", "WORKSPACE_OUTPUT"}
	foreign := (object.keys(input.spec.env) - known) - {name | some name in input.config.env_allow}
	not strings.any_prefix_match(foreign, "WORKSPACE_")
}
