# Rule N: everything stays on this node.
package mi.n

mounts if {
	is_array(input.spec.mounts)
	every mount in input.spec.mounts {
		is_string(mount.source)
		not remote(mount.source)
	}
}

# The three slots come first: nothing else is to be matched then.
remote(source) if {
	not source in {"input", "data", "output"}
	regex.match(`://|^[A-Za-z0-9._@-]{2,}:|^//|^\\\\`, source)
}
