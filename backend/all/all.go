// Package all registers every backend of this module:
//
//	import _ "github.com/trackgen-go/trackgen/backend/all"
package all

import (
	_ "github.com/trackgen-go/trackgen/backend/cpu"    // registers "cpu"
	_ "github.com/trackgen-go/trackgen/backend/cuda"   // registers "cuda"
	_ "github.com/trackgen-go/trackgen/backend/vulkan" // registers "vulkan"
)
