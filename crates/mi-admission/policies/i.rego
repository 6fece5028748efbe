# Rule I: an image is named by its digest alone.
package mi.i

image if {
	is_string(input.spec.image)
	regex.match(pattern, input.spec.image)
	not regex.match(`@sha256:0{64}$`, input.spec.image)
	count(input.spec.image) <= 327
}

# 255 characters of name, "@sha256:" and 64 digits are 327.
pattern := concat("", ["^(?:", host, "/)?", part, "(?:/", part, ")*@sha256:[0-9a-f]{64}$"])

part := `[a-z0-9]+(?:(?:\.|_|__|-+)[a-z0-9]+)*`

label := `[a-zA-Z0-9](?:[a-zA-Z0-9-]*[a-zA-Z0-9])?`

port := `:(?:[1-9][0-9]{0,3}|[1-5][0-9]{4}|6[0-4][0-9]{3}|65[0-4][0-9]{2}|655[0-2][0-9]|6553[0-5])`

host := concat("", [
	"(?:", label, `(?:\.`, label, ")+(?:", port, ")?|", label, port, "|localhost)",
])
