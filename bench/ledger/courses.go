package ledger

import (
	"context"
	"fmt"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/export"
	"github.com/trackgen-go/trackgen/gate"
)

// CourseEntry is Entry for a batch of gate courses.
type CourseEntry struct {
	Config export.GateConfig `json:"config"`
	Seed   int32             `json:"seed"`  // of the first env; env e has Seed+e
	Epoch  int32             `json:"epoch"` // of all envs
	Arrays []Array           `json:"arrays"`
	Envs   []EnvHash         `json:"envs"` // of each env, over its part of every array
}

// ComputeCourses is Compute for gate courses.
//
// Errors are those of the configuration (gate.ErrConfig) and of the device.
func ComputeCourses(ctx context.Context, device backend.Device, config gate.Config, seed, epoch int32) (CourseEntry,
	error) {
	batch, err := generateGates(ctx, device, config, gate.WithSeed(seed), gate.WithEpoch(epoch))
	if err != nil {
		return CourseEntry{}, fmt.Errorf("ledger: %w", err)
	}
	entry := CourseEntry{Config: export.GateConfig(config), Seed: seed, Epoch: epoch}
	entry.Arrays, entry.Envs = hashGates(batch)
	return entry, nil
}

// CheckCourses is Check for gate courses.
func CheckCourses(ctx context.Context, device backend.Device, entry CourseEntry, envs int) (*Difference, error) {
	config := gate.Config(entry.Config)
	if envs > 0 {
		config.NumEnvs = min(envs, len(entry.Envs))
	}
	batch, err := generateGates(ctx, device, config, gate.WithSeed(entry.Seed), gate.WithEpoch(entry.Epoch))
	if err != nil {
		return nil, fmt.Errorf("ledger: %w", err)
	}
	return hashes{entry.Arrays, entry.Envs}.compare(gate.Schema.Host(&batch.HostColumns), batch.Envs), nil
}

// courseEntries is entries for gate courses.
type courseEntries []CourseEntry

// UnmarshalJSON implements json.Unmarshaler.
func (list *courseEntries) UnmarshalJSON(text []byte) (err error) {
	*list, err = readEntries("gates", text, func(entry *CourseEntry, text []byte) error {
		if err := readEntry(text, entry, gate.Kind(), gate.FieldOfReference); err != nil {
			return err
		}
		return checkEntry(gate.Config(entry.Config), entry.Config.NumEnvs, entry.Arrays, entry.Envs)
	})
	return err
}
