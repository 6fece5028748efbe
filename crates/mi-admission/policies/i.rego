# Rule I: an image is named by its digest alone.
package mi.i

image if {
	is_string(input.spec.image)
	[name, digest] := split(input.spec.image, "@sha256:")
	count(name) <= 255
	regex.match(
		`(?x) ^
		(?: # A registry has a dot or a port; localhost is a name like any other here.
			[a-zA-Z0-9] (?: [a-zA-Z0-9-]* [a-zA-Z0-9] )?
			(?:
				(?: \. [a-zA-Z0-9] (?: [a-zA-Z0-9-]* [a-zA-Z0-9] )? )+
			|
				(?: \. [a-zA-Z0-9] (?: [a-zA-Z0-9-]* [a-zA-Z0-9] )? )*
				: (?: [1-9][0-9]{0,3} | [1-5][0-9]{4} | 6[0-4][0-9]{3} | 65[0-4][0-9]{2} | 655[0-2][0-9] | 6553[0-5] )
			)
			/
		)?
		[a-z0-9]+ (?: (?: \. | _ | __ | -+ ) [a-z0-9]+ )*
		(?: / [a-z0-9]+ (?: (?: \. | _ | __ | -+ ) [a-z0-9]+ )* )*
		$`,
		name,
	)
	count(digest) == 64
	trim(digest, "0123456789abcdef") == ""
	trim(digest, "0") != ""
}
