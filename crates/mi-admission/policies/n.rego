# Rule N: everything stays on this node.
package mi.n

mounts if {
	is_array(input.spec.mounts)
	every mount in input.spec.mounts {
		is_string(mount.source)
		not regex.match(`://|^[A-Za-z0-9._@-]{2,}:|^//|^\\\\`, mount.source)
	}
}
