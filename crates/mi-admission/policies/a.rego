# Rule A: what a request is about must be well formed.
package mi.a

task_id if {
	is_string(input.spec.task_id)
	count(input.spec.task_id) <= 64
	regex.match(`^[A-Z][A-Z0-9]*(-[A-Z][A-Z0-9]*)+-[0-9]{3,6}$`, input.spec.task_id)
}

command if {
	is_array(input.spec.command)
	count(input.spec.command) >= 1
	count(input.spec.command) <= 256
	every word in input.spec.command {
		is_string(word)
		not contains(word, "\u0000")
	}
	input.spec.command[0] != ""
	is_number(input.found.command_bytes)
	input.found.command_bytes <= 32768
}
