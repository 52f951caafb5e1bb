package world

import (
	"reflect"

	"github.com/trackgen-go/trackgen/config"
)

// StartOf returns the request with the settings of a configuration: the fields that differ from their defaults, and the
// components of a mixture with the fields that differ from the configuration.
func StartOf[C any](kind config.Kind[C], c C, course string) *Request {
	r := &Request{Course: course, Settings: differing(kind, kind.Default(), c)}
	weights := kind.Weights(c)
	for k, component := range kind.Components(c) {
		part := Component{Weight: weights[k], Settings: make(map[string]string)}
		for _, f := range kind.Fields() {
			switch {
			case f.Name == generatorField:
				part.Generator = f.Text(component)
			case !f.Shared() && !reflect.DeepEqual(f.Value(component), f.Value(c)):
				part.Settings[f.Name] = f.Text(component)
			}
		}
		r.Mix = append(r.Mix, part)
	}
	if len(r.Mix) > 0 {
		delete(r.Settings, generatorField)
	}
	return r
}

// differing returns the fields of c that are not as in base.
func differing[C any](kind config.Kind[C], base, c C) map[string]string {
	list := make(map[string]string)
	for _, f := range kind.Fields() {
		if f.Name != "num_envs" && !reflect.DeepEqual(f.Value(base), f.Value(c)) {
			list[f.Name] = f.Text(c)
		}
	}
	return list
}
