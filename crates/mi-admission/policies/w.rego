# Rule W: the three slots of the workspace, and nothing else of it.
package mi.w

modes := {"input": "ro", "data": "rw", "output": "rw"}

mounts if {
	is_array(input.spec.mounts)
	every slot, mode in modes {
		some mount in input.spec.mounts
		mount == {"source": slot, "target": concat("", ["/workspace/", slot]), "mode": mode}
	}
	every mount in input.spec.mounts {
		right_mode(mount)
	}
}

right_mode(mount) if {
	is_string(mount.source)
	modes[mount.source] == mount.mode
}

right_mode(mount) if {
	is_string(mount.source)
	not mount.source in object.keys(modes)
}

places := {
	"WORKSPACE_ROOT": "/workspace",
	"WORKSPACE_INPUT": "/workspace/input",
	"WORKSPACE_DATA": "/workspace/data",
	"WORKSPACE_OUTPUT": "/workspace/output",
}

env if {
	is_object(input.spec.env)
	every name, place in places {
		input.spec.env[name] == place
	}
	every name, _ in input.spec.env {
		known(name)
	}
}

known(name) if name in object.keys(places)

known(name) if not startswith(name, "WORKSPACE_")

known(name) if name in input.config.env_allow
