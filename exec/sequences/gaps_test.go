package sequences

// What the library does otherwise than the rules say, so that the model follows it until that is mended. Each is a
// constant to delete together with its uses.
const (
	// R45: inside the body of a device conditional, unconditional() is ignored.
	gapUnconditionalInBody = true
	// D17: after work was refused to another context, the body goes on to its end where it is not on the device.
	gapBodyGoesOn = true
	// R166: a run is not refused for arrays that were named through contexts made inside its body.
	gapArraysOfInnerCalls = true
)
