# Rule A: what a request is about must be well formed.
package mi.a

task_id if {
	is_string(input.spec.task_id)
	count(input.spec.task_id) <= 64
	regex.match(`^[A-Z][A-Z0-9]*(-[A-Z][A-Z0-9]*)+-[0-9]{3,6}$`, input.spec.task_id)
}

command if {
	words := input.spec.command
	is_array(words)
	count(words) >= 1
	count(words) <= 256
	every word in words {
		is_string(word)
	}
	words[0] != ""
	not contains(concat("", words), "\u0000")
	is_number(input.found.command_bytes)
	input.found.command_bytes <= 32768
}
