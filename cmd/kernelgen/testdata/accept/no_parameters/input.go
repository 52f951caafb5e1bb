package no_parameters

import "github.com/trackgen-go/trackgen/kernel"

//kernel:group
func nothing(g kernel.Group) {
	for range g.Each(1) {
	}
}
