//go:build cgo && linux

package vulkan

import "github.com/trackgen-go/trackgen/internal/site"

// site returns file:line of the first caller outside this package, for the leak report; empty unless in debug mode.
func (d *device) site() string {
	if !d.debug {
		return ""
	}
	return site.Outside("github.com/trackgen-go/trackgen/backend/vulkan")
}
