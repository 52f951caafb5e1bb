package exectest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/exec"
)

// Config configures the checks of a stage.
type Config struct {
	// Devices are the devices on which to check the stage. backend.parity compares each of the others with the first.
	Devices []backend.Device
	// Envs is the number of envs; 0 means 4.
	Envs int
	// Seeds are the effective seeds; none means 0 to Envs-1.
	Seeds []int32
	// Skip maps names of checks to the reason for skipping them, which the report shows.
	Skip map[string]string
}

// Outputs is implemented by a stage to name the memory that is read after it, as of the last Build. The checks compare
// only that memory. For other stages, or if the list is empty, they compare everything that Build registered with the
// builder.
type Outputs interface{ Outputs() []backend.View }

// Finding is one failure of a check.
type Finding struct {
	Check  string // name of the check, e.g. "bounded.absorbing"
	Device string
	Text   string
}

// String returns the finding in one line.
func (f Finding) String() string { return f.Check + " on " + f.Device + ": " + f.Text }

// stageCheck is one property of a stage.
type stageCheck struct {
	name    string
	applies func(class exec.CaptureClass, caps backend.Caps) bool
	run     func(k *kit, d *Device) error
}

// stageChecks lists all checks in the order in which they run.
var stageChecks = []stageCheck{
	{"static.no_active", isStatic, checkStaticNoActive},
	{"stage.no_sync", isDevice, checkNoSync},
	{"host.sanctioned", isHost, checkHostSanctioned},
	{"stage.lc_only", always, checkContextOnly},
	{"stage.no_alloc", always, checkNoAllocation},
	{"seed.epoch0", always, checkSeeds},
	{"seed.masked_noop", always, checkMaskedNoop},
	{"bounded.absorbing", hasLoops, checkAbsorbing},
	{"bounded.lowering", lowersOnDevice, checkLowering},
	{"record.twice", records, checkRecordTwice},
	{"replay.equals_eager", records, checkReplay},
	{"unconditional.equals_conditional", records, checkUnconditional},
	{"backend.parity", always, checkParity},
}

func always(exec.CaptureClass, backend.Caps) bool           { return true }
func isStatic(class exec.CaptureClass, _ backend.Caps) bool { return class == exec.Static }
func isHost(class exec.CaptureClass, _ backend.Caps) bool   { return class == exec.Host }
func isDevice(class exec.CaptureClass, _ backend.Caps) bool { return class != exec.Host }
func hasLoops(class exec.CaptureClass, _ backend.Caps) bool { return class != exec.Static }
func records(class exec.CaptureClass, caps backend.Caps) bool {
	return class != exec.Host && caps.Capture
}
func lowersOnDevice(c exec.CaptureClass, b backend.Caps) bool {
	return records(c, b) && b.CaptureConditionals
}

// Names returns the names of all checks.
func Names() []string {
	var names []string
	for _, c := range stageChecks {
		names = append(names, c.name)
	}
	return names
}

// CheckStage checks a stage, with one subtest per check. It builds the stage many times, each time with another
// builder, and never two at once. It counts allocations, so it cannot run in a parallel test.
func CheckStage(t *testing.T, stage exec.Stage, config Config) {
	t.Helper()
	k, err := newKit(t.Context(), stage, config)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range stageChecks {
		t.Run(c.name, func(t *testing.T) {
			if reason, skip := config.Skip[c.name]; skip {
				t.Skip(reason)
			}
			for _, f := range k.check(c) {
				t.Error(f)
			}
		})
	}
}

// Check is CheckStage without a test: it returns the findings. The error reports an invalid configuration.
func Check(ctx context.Context, stage exec.Stage, config Config) ([]Finding, error) {
	k, err := newKit(ctx, stage, config)
	if err != nil {
		return nil, err
	}
	var all []Finding
	for _, c := range stageChecks {
		if _, skip := config.Skip[c.name]; !skip {
			all = append(all, k.check(c)...)
		}
	}
	return all, nil
}

// kit holds what the checks of one stage share.
type kit struct {
	ctx     context.Context
	stage   exec.Stage
	devices []*Device
	seeds   []int32
}

func newKit(ctx context.Context, stage exec.Stage, config Config) (*kit, error) {
	if stage == nil {
		return nil, errors.New("exectest: the stage is nil")
	}
	if len(config.Devices) == 0 {
		return nil, errors.New("exectest: Config.Devices is empty: a stage is checked on 1 device or more")
	}
	if config.Envs < 0 {
		return nil, fmt.Errorf("exectest: Config.Envs is %d; allowed: 1 or more, or 0 for 4", config.Envs)
	}
	k := &kit{ctx: ctx, stage: stage, seeds: append([]int32(nil), config.Seeds...)}
	envs := config.Envs
	switch {
	case envs == 0 && len(k.seeds) > 0:
		envs = len(k.seeds)
	case envs == 0:
		envs = 4
	}
	if len(k.seeds) == 0 {
		for i := range envs {
			k.seeds = append(k.seeds, int32(i))
		}
	}
	if len(k.seeds) != envs {
		return nil, fmt.Errorf("exectest: Config.Seeds has %d values; allowed: %d, one for each env, or none",
			len(k.seeds), envs)
	}
	for name := range config.Skip {
		if !known(name) {
			return nil, fmt.Errorf("exectest: Config.Skip names %q, which is not a check; the checks are %q", name, Names())
		}
	}
	for i, device := range config.Devices {
		if device == nil {
			return nil, fmt.Errorf("exectest: Config.Devices[%d] is nil", i)
		}
		k.devices = append(k.devices, Instrument(device))
	}
	return k, nil
}

func known(name string) bool {
	for _, c := range stageChecks {
		if c.name == name {
			return true
		}
	}
	return false
}

// check runs one check on all devices.
func (k *kit) check(c stageCheck) []Finding {
	var found []Finding
	for i, d := range k.devices {
		if !c.applies(k.stage.Class(), d.Caps()) {
			continue
		}
		for _, err := range split(c.run(k, d)) {
			f := Finding{Check: c.name, Device: k.name(i), Text: err.Error()}
			if !slices.Contains(found, f) {
				found = append(found, f)
			}
		}
	}
	return found
}

// name returns the name of a device, with its index if several devices have that name.
func (k *kit) name(i int) string {
	name := k.devices[i].Info().Name
	for other, d := range k.devices {
		if other != i && d.Info().Name == name {
			return fmt.Sprintf("%s (device %d of the list)", name, i)
		}
	}
	return name
}

// split returns the errors joined by errors.Join.
func split(err error) []error {
	if err == nil {
		return nil
	}
	joined, ok := err.(interface{ Unwrap() []error })
	if !ok {
		return []error{err}
	}
	var all []error
	for _, part := range joined.Unwrap() {
		all = append(all, split(part)...)
	}
	return all
}
