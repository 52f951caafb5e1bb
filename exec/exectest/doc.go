// Package exectest helps to test what is built on package exec: guards that watch the hot path, and checks that every
// stage has to pass.
//
// # Guards
//
// A device is instrumented once; the instruments are inert until a guard runs something:
//
//	device := exectest.Instrument(device)
//	guard := exectest.HotPath(device, exectest.Options{Modules: []string{"example.org/mine"}})
//	err := guard.Do(ctx, func(ctx context.Context) error { return generator.Generate(ctx) })
//
// A guard sees four kinds of breach: waiting for the device and reading back, allocating, emitting through another
// context or on another stream than the enqueue received, and nested captures. A strict guard refuses the call and
// returns the breach; a recording one lets it through and lists it. Reads of a loop's flag and the host operations of
// HOST stages are sanctioned and listed apart; host operations that leaked out of their stage are not.
//
// # Checks of stages
//
//	func TestStage(t *testing.T) {
//		exectest.CheckStage(t, stage, exectest.Config{Devices: devices})
//	}
//
// builds the stage afresh, many times, and runs it in every way in which it may be run. Each check has a name, such as
// bounded.absorbing, and says what the stage does wrong.
package exectest
