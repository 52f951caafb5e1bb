package gate

import "github.com/trackgen-go/trackgen/config"

// Kind describes Config to what reads and writes configurations of several kinds.
func Kind() config.Kind[Config] {
	return config.Kind[Config]{
		Table:      fields,
		Generators: Generators,
		Resolve:    Config.Resolved,
		Components: Config.Components,
		Weights:    Config.weights,
		SetComponents: func(c *Config, weights []float64, singles []Config) {
			c.Mix = nil
			for k, single := range singles {
				c.Mix = append(c.Mix, Component{Weight: weights[k], Source: single.Source})
			}
		},
	}
}
