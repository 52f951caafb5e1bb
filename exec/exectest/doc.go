// Package exectest helps to test code built on package exec: guards watch the hot path, and checks verify that a stage
// keeps its contract.
//
// # Guards
//
// Instrument a device once; the instruments are inert until a guard runs something:
//
//	device := exectest.Instrument(device)
//	guard := exectest.HotPath(device, exectest.Options{Modules: []string{"example.org/mine"}})
//	err := guard.Do(ctx, func(ctx context.Context) error { return generator.Generate(ctx) })
//
// A guard detects four kinds of violation: waiting for the device or reading back, allocating, emitting through another
// context or on another stream than the enqueue received, and nested captures. A strict guard refuses the call and
// returns the violation; a recording guard lets it through and lists it. Reads of a loop's flag and the host operations
// of HOST stages are sanctioned and listed separately; host operations used outside of their stage are not sanctioned.
//
// # Checks of stages
//
//	func TestStage(t *testing.T) {
//		exectest.CheckStage(t, stage, exectest.Config{Devices: devices})
//	}
//
// builds the stage afresh many times and runs it in every way in which a producer may run it. Each check has a name,
// such as bounded.absorbing, and says what the stage does wrong.
package exectest
