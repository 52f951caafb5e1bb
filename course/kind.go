package course

import "github.com/trackgen-go/trackgen/config"

// Kind describes Config, without Tracks and Gates, to programs that read or write configurations of several kinds.
func Kind() config.Kind[Config] { return config.Kind[Config]{Table: fields} }
