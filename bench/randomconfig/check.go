package randomconfig

import (
	"context"
	"errors"
	"fmt"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/bench/parity"
)

// Check generates the tracks of valid settings on each device in the given modes. It returns an error if a device
// differs from the first one in any bit of any stage, or if a column has a number that no column may have. A device
// that refuses the configuration is left out; able counts the others.
func Check(ctx context.Context, devices []backend.Device, s Settings, seed int32, modes []parity.Mode) (able int,
	err error) {
	c, err := s.Config()
	if err != nil {
		return 0, err
	}
	var chosen []backend.Device
	for _, device := range devices {
		if err := c.CheckDevice(device); err == nil {
			chosen = append(chosen, device)
		} else if !errors.Is(err, backend.ErrUnsupported) {
			return 0, err
		}
	}
	comparisons, err := parity.Compare(ctx, chosen, c, seed, modes, nil)
	for _, found := range comparisons {
		if found.First != nil {
			err = errors.Join(err, fmt.Errorf("%s, %s: %v", found.Device, found.Mode, found.First))
		}
	}
	return len(chosen), err
}
