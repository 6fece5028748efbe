# Rule N: everything stays on this node.
package mi.n

mounts if {
	is_array(input.spec.mounts)
	every mount in input.spec.mounts {
		is_string(mount.source)
	}
	foreign := {mount.source | some mount in input.spec.mounts} - {"input", "data", "output"}
	every source in foreign {
		not regex.match(`://|^[A-Za-z0-9._@-]{2,}:|^//|^\\\\`, source)
	}
}
