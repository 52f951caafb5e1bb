//go:build slow

package coursetest

// allOnSwiftShader says that OnDevices runs its tests on SwiftShader, too.
const allOnSwiftShader = true
